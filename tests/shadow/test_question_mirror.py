"""A mirror under load: every question is counted once, and whoever offers one never waits."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_server import raw_server, reply
from serve.running_server import until
from shadow import shadows

from ragstone.errors import ConfigError
from ragstone.shadow.live_answer import LiveAnswer, Unread
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.shadow.pair_files import Counts, PairFiles
from ragstone.shadow.pairs import ArmRecord, Hit, Retrieval, Said
from ragstone.shadow.question_mirror import QuestionMirror
from ragstone.shadow.sampling import is_chosen

# As pytest finds the modules of tests.
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
GOOD = "py:shadow.shadows:good"
ARM = ArmRecord(
    Retrieval(topk=(Hit("d1", "all about it"),), index_hash="now"),
    Said(claim="live", citations=(Hit("d1"),)),
)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    shadows.asked.clear()
    shadows.free.clear()
    yield
    shadows.free.set()


def mirror(data: Path, target: str = GOOD, **more: Any) -> QuestionMirror:
    return QuestionMirror(MirrorSettings(target, data, **{"share": 1.0, **more}))


def live(question: str, id: str = "") -> LiveAnswer:
    return LiveAnswer(question, ARM, id=id or question, ts=1, qid=f"qid of {question}")


def offer(to: QuestionMirror, question: str, size: int = 10) -> None:
    to.offer(partial(reading, question), size)


def reading(question: str, is_chosen: Callable[[str], bool]) -> LiveAnswer | None:
    return live(question) if is_chosen(question) else None


def pairs(data: Path) -> dict[str, Any]:
    return {pair.id: pair for pair in PairFiles(data).pairs()}


def total(counts: Counts) -> int:
    settled = counts.left_out + counts.unread + counts.dropped + counts.answered + counts.failed
    return settled + counts.waiting


def test_a_question_becomes_a_pair_of_two_arms(tmp_path: Path) -> None:
    made = mirror(tmp_path)
    offer(made, "What is X?")
    counts = made.close()
    (pair,) = pairs(tmp_path).values()
    assert (pair.question, pair.qid, pair.ts) == ("What is X?", "qid of What is X?", 1)
    assert pair.live.retrieval.index_hash == "now"
    assert pair.shadow.retrieval.index_hash == "next"
    assert pair.shadow.answer.claim == "shadow of What is X?"
    assert (pair.live.answer.delta_s_by, pair.shadow.answer.delta_s_by) == ("ngram/1",) * 2
    assert (counts.seen, counts.answered) == (1, 1)
    assert PairFiles(tmp_path).counts() == [counts]


KINDS = st.sampled_from(("answer", "fail", "stall", "break", "unread", "raise", "left"))


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    kinds=st.lists(KINDS, max_size=40),
    callers=st.integers(1, 3),
    queue=st.integers(1, 10),
    concurrency=st.integers(1, 4),
    closing=st.sampled_from((0.0, 0.2)),
    writes=st.booleans(),
)
def test_every_question_is_in_exactly_one_count_whatever_fails(
    tmp_path_factory: pytest.TempPathFactory,
    kinds: list[str],
    callers: int,
    queue: int,
    concurrency: int,
    closing: float,
    writes: bool,
) -> None:
    data = tmp_path_factory.mktemp("data") / "live"
    if not writes:
        data.write_text("a file is where the folder should be")
    made = mirror(
        data,
        "py:shadow.shadows:by_its_words",
        share=0.7,
        queue=queue,
        concurrency=concurrency,
        timeout=0.05,
    )

    def call(part: int) -> None:
        for number in range(part, len(kinds), callers):
            made.offer(partial(read, kinds[number], number), 10)
            found = made.counts()
            assert total(found) == found.seen

    def read(kind: str, number: int, is_chosen: Callable[[str], bool]) -> LiveAnswer | None:
        if kind == "unread":
            raise Unread("it is so")
        if kind == "raise":
            raise KeyError("a mistake in a function of the user's")
        return reading(f"{kind} {number}", is_chosen)

    threads = [threading.Thread(target=call, args=(part,)) for part in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total(made.counts()) == len(kinds)
    counts = made.close(closing)
    assert counts.seen == len(kinds)
    assert counts.waiting == 0
    assert total(counts) == counts.seen
    known = Counter(kinds)
    assert counts.unread <= known["unread"] + known["raise"]
    kept = pairs(data) if writes else {}
    assert len([pair for pair in kept.values() if pair.shadow is not None]) == counts.answered
    assert len([pair for pair in kept.values() if pair.shadow is None]) == counts.failed
    assert all(is_chosen(pair.question, 0.7) for pair in kept.values())
    if not counts.dropped:
        asked = [f"{kind} {n}" for n, kind in enumerate(kinds) if kind not in ("unread", "raise")]
        assert set(kept) == {each for each in asked if is_chosen(each, 0.7)}
        assert counts.unread == known["unread"] + known["raise"]


def test_nobody_waits_for_a_shadow_that_stands_still(tmp_path: Path) -> None:
    made = mirror(tmp_path, "py:shadow.shadows:held", queue=5, concurrency=2)
    for number in range(100):
        offer(made, f"question {number}")
    # All were taken while not one has been answered.
    counts = until(lambda: (found := made.counts()).dropped and found)
    assert (counts.seen, counts.answered, counts.failed) == (100, 0, 0)
    assert counts.why["dropped"] == "too many questions were waiting"
    shadows.free.set()
    counts = made.close(20)
    assert counts.answered == len(pairs(tmp_path)) == 100 - counts.dropped
    assert 5 <= counts.answered <= 12


def test_nobody_waits_for_a_shadow_that_blocks_its_own_thread(tmp_path: Path) -> None:
    made = mirror(tmp_path, "py:shadow.shadows:hogging", queue=5)
    for number in range(50):
        offer(made, f"question {number}")
    assert made.counts().seen == 50
    shadows.free.set()
    counts = made.close(20)
    assert counts.answered + counts.dropped == 50


def test_what_waits_is_bounded_in_bytes_too(tmp_path: Path) -> None:
    made = mirror(tmp_path, "py:shadow.shadows:held", held=30_000, concurrency=1)
    for number in range(10):
        offer(made, f"question {number}", size=9_000)
    assert until(lambda: made.counts().dropped) == 7
    shadows.free.set()
    until(lambda: made.counts().waiting == 0)
    # What is done has given its place back.
    offer(made, "one more", size=29_000)
    assert made.close(20).answered == 4


def test_a_closed_mirror_drops_and_counts(tmp_path: Path) -> None:
    made = mirror(tmp_path)
    offer(made, "one")
    made.close()
    offer(made, "two")
    assert made.counts().why["dropped"] == "the mirror has ended"
    assert (made.counts().seen, made.counts().answered, made.counts().dropped) == (2, 1, 1)


def test_a_mirror_that_starts_again_counts_anew(tmp_path: Path) -> None:
    made = mirror(tmp_path)
    offer(made, "one")
    made.close()
    made.start()
    offer(made, "two")
    made.close()
    first, second = PairFiles(tmp_path).counts()
    assert (first.seen, second.seen) == (1, 1)
    assert first.mirror != second.mirror
    assert set(pairs(tmp_path)) == {"one", "two"}


@pytest.mark.parametrize("target", ["stuck", "held", "hogging"])
def test_the_end_does_not_wait_for_what_never_ends(tmp_path: Path, target: str) -> None:
    made = mirror(tmp_path, f"py:shadow.shadows:{target}", concurrency=1)
    for number in range(3):
        offer(made, f"question {number}")
    ended = threading.Event()
    threading.Thread(target=lambda: (made.close(0.1), ended.set()), daemon=True).start()
    assert ended.wait(20)
    counts = made.counts()
    assert (counts.seen, counts.dropped, counts.waiting) == (3, 3, 0)
    assert counts.why["dropped"] == "the mirror ended"


def failures(data: Path, target: str, **more: Any) -> tuple[Counts, str]:
    made = mirror(data, target, **more)
    offer(made, "What is X?")
    counts = until(lambda: (found := made.counts()).failed and found)
    made.close()
    (pair,) = pairs(data).values()
    assert pair.shadow is None
    assert counts.why["failed"] == pair.failure
    return counts, pair.failure


def test_a_server_that_never_answers_is_a_failure_after_the_time_out(tmp_path: Path) -> None:
    with raw_server(lambda send, q, number: threading.Event().wait(20)) as server:
        _, failure = failures(tmp_path, server.url, timeout=0.2)
    assert failure == "timeout: no answer within 0.2 s"


def test_a_server_that_fails_is_asked_once_a_question(tmp_path: Path) -> None:
    status = "500 Internal Server Error"
    with raw_server(lambda send, q, number: send(reply(q, status=status))) as server:
        _, failure = failures(tmp_path, server.url)
        assert len(server.bodies) == 1
    assert failure == "http_status: HTTP status 500"


def test_a_server_that_is_gone_is_a_failure(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    _, failure = failures(tmp_path, f"http://127.0.0.1:{port}/ask")
    assert failure.startswith("transport: ")


def test_answers_over_http_come_under_their_own_questions(tmp_path: Path) -> None:
    with raw_server(lambda send, q, number: send(reply(q))) as server:
        made = mirror(tmp_path, server.url)
        for number in range(40):
            offer(made, f"question {number}")
        assert made.close(20).answered == 40
        assert server.connections == 40
    for pair in pairs(tmp_path).values():
        assert pair.shadow.answer.claim == f"You asked: {pair.question}"


def test_a_shadow_that_cannot_be_opened_is_said_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    made = mirror(tmp_path, f"index:{tmp_path}/none.index")
    for number in range(3):
        offer(made, f"question {number}")
    counts = made.close()
    assert (counts.failed, counts.seen) == (3, 3)
    said = capfd.readouterr().err
    assert said.count("ragstone: the mirror:") == 1
    assert "none.index" in said


def test_a_key_in_the_address_is_shown_nowhere(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    key = "sk-abcdefghijklmnop"
    behave = partial(_repeating, key)
    with raw_server(behave) as server:
        made = mirror(tmp_path, f"{server.url}?api_key={key}")
        offer(made, "What is X?")
        counts = made.close()
    assert counts.answered == 1
    assert key not in str(counts)
    assert all(key.encode() not in path.read_bytes() for path in PairFiles(tmp_path).files())
    assert key not in "".join(capfd.readouterr())


def _repeating(key: str, send: Any, q: str, number: int) -> None:
    body = f'{{"answer_json": {{"claim": "your key is {key}"}}}}'.encode()
    send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def test_a_folder_that_vanishes_is_made_again(tmp_path: Path) -> None:
    made = mirror(tmp_path)
    offer(made, "one")
    until(lambda: made.counts().answered)
    for path in PairFiles(tmp_path).files():
        path.unlink()
    PairFiles(tmp_path).folder.rmdir()
    offer(made, "two")
    assert made.close().answered == 2
    assert set(pairs(tmp_path)) == {"two"}


def test_a_disk_that_takes_nothing_is_counted_and_said_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "live"
    made = mirror(data)
    offer(made, "one")
    until(lambda: made.counts().answered)
    (path,) = PairFiles(data).files()
    path.unlink()
    # Nothing can be opened for writing under this name, by root either.
    path.mkdir()
    for number in range(3):
        offer(made, f"question {number}")
    counts = made.close()
    assert (counts.answered, counts.dropped) == (1, 3)
    assert counts.why["dropped"] == "a pair could not be kept: is a directory"
    assert capfd.readouterr().err.count("a pair could not be kept") == 1


def test_a_full_disk_leaves_no_half_of_a_pair(tmp_path: Path) -> None:
    """The limit of a file's size stands for a disk that is full: write() fails in the same way."""
    program = """
import resource, signal, sys
from pathlib import Path
from shadow.test_question_mirror import mirror, offer
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
made = mirror(Path(sys.argv[1]))
for number in range(20):
    offer(made, f"question {number}")
counts = made.close()
print(counts.answered, counts.dropped)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
    )
    answered, dropped = map(int, done.stdout.split())
    assert answered == len(pairs(tmp_path)) > 0
    assert answered + dropped == 20
    assert done.stderr.count("a pair could not be kept: file too large") == 1


@pytest.mark.parametrize(("texts", "longest"), [("all", 10**6), ("clip", 80), ("none", 0)])
def test_texts_are_kept_as_far_as_was_said(tmp_path: Path, texts: Any, longest: int) -> None:
    question = "What is " + "x" * 200 + "?"
    made = mirror(tmp_path, texts=texts)
    offer(made, question)
    offer(made, "y")
    made.close()
    pair = pairs(tmp_path)[question]
    kept = [pair.question, pair.shadow.answer.claim or "", pair.shadow.retrieval.topk[0].text]
    assert max(map(len, kept)) <= longest
    assert (texts == "all") == (pair.question == question)
    # Computed before the texts went.
    assert pair.shadow.answer.delta_s is not None


def test_what_is_forgotten_while_it_waits_is_never_written(tmp_path: Path) -> None:
    made = mirror(tmp_path, "py:shadow.shadows:held", concurrency=1)
    for question in ("one", "two", "three"):
        offer(made, question)
    until(lambda: shadows.asked)
    made.forget(["one", "qid of three"])
    offer(made, "three")
    shadows.free.set()
    counts = made.close(20)
    assert (counts.answered, counts.dropped) == (2, 2)
    # The last question came after the others of its id were forgotten.
    assert [pair.id for pair in PairFiles(tmp_path).pairs()] == ["two", "three"]


def _served_in_a_child(made: QuestionMirror, data: Path) -> None:
    offer(made, "asked in the child")
    made.close()


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("before", [False, True])
def test_a_mirror_works_in_a_forked_child(tmp_path: Path, before: bool) -> None:
    made = mirror(tmp_path)
    if before:
        offer(made, "asked in the parent")
    child = multiprocessing.get_context("fork").Process(
        target=_served_in_a_child, args=(made, tmp_path)
    )
    child.start()
    child.join(60)
    assert child.exitcode == 0
    made.close()
    assert set(pairs(tmp_path)) == {"asked in the child"} | (
        {"asked in the parent"} if before else set()
    )
    assert sum(counts.seen for counts in PairFiles(tmp_path).counts()) == 1 + before


def test_nothing_runs_before_the_first_question(tmp_path: Path) -> None:
    before = threading.active_count()
    mirror(tmp_path / "live", "py:shadow.nowhere:function")
    assert threading.active_count() == before
    assert not (tmp_path / "live").exists()


@pytest.mark.parametrize("way", ["end", "interrupt"])
def test_a_program_that_ends_without_closing_keeps_what_it_can(tmp_path: Path, way: str) -> None:
    program = """
import os, signal, sys
from pathlib import Path
from shadow.test_question_mirror import mirror, offer
made = mirror(Path(sys.argv[1]))
for number in range(20):
    offer(made, f"question {number}")
if sys.argv[2] == "interrupt":
    os.kill(os.getpid(), signal.SIGINT)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), way],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
    )
    assert done.returncode in (0, -signal.SIGINT, 130), done.stderr
    (counts,) = PairFiles(tmp_path).counts()
    assert (counts.seen, counts.answered) == (20, 20) == (20, len(pairs(tmp_path)))


def test_counts_are_written_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragstone.shadow.pair_writer.COUNTS_EVERY", 0.05)
    made = mirror(tmp_path)
    offer(made, "one")
    (counts,) = until(lambda: PairFiles(tmp_path).counts())
    assert (counts.seen, counts.answered) == (1, 1)
    size = sum(path.stat().st_size for path in PairFiles(tmp_path).files())
    made.close()
    # Nothing has changed since, so nothing is written.
    assert sum(path.stat().st_size for path in PairFiles(tmp_path).files()) == size


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"target": "nonsense"}, "expected py:module:function"),
        ({"target": "ftp://host/x"}, "'ftp' is no known kind"),
        ({"share": 2}, "a number from 0 to 1"),
        ({"run": "../up"}, "expected a name"),
        ({"queue": 0}, "queue"),
        ({"concurrency": 10**6}, "concurrency"),
        ({"timeout": float("nan")}, "timeout"),
        ({"texts": "some"}, "all, clip or none"),
    ],
)
def test_a_wrong_setting_is_said_at_once(tmp_path: Path, given: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(words)):
        MirrorSettings(**{"target": GOOD, "data": tmp_path, **given})
    assert list(tmp_path.iterdir()) == []
