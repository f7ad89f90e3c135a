"""A mirror under load: every question is counted once, and whoever offers one never waits."""

from __future__ import annotations

import multiprocessing
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serve.running_server import until
from shadow import shadows
from shadow.offered_questions import (
    ENVIRONMENT,
    GOOD,
    mirror,
    offer,
    pairs,
    reading,
    total,
)

from ragstone.errors import ConfigError
from ragstone.shadow.live_answer import LiveAnswer, Unread
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.shadow.pair_files import PairFiles
from ragstone.shadow.question_mirror import QuestionMirror
from ragstone.shadow.sampling import is_chosen

pytestmark = pytest.mark.python


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
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
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
    # All were taken while not one has been answered. What did not fit is dropped by now: as long as
    # some are being read, an answer would make room for one more.
    counts = until(lambda: (found := made.counts()).waiting <= 12 and found)
    assert (counts.seen, counts.answered, counts.failed) == (100, 0, 0)
    assert counts.why["dropped"] == "too many questions were waiting"
    shadows.free.set()
    counts = made.close(60)
    assert counts.answered == len(pairs(tmp_path)) == 100 - counts.dropped
    assert 5 <= counts.answered <= 12


def test_nobody_waits_for_a_shadow_that_blocks_its_own_thread(tmp_path: Path) -> None:
    made = mirror(tmp_path, "py:shadow.shadows:hogging", queue=5)
    for number in range(50):
        offer(made, f"question {number}")
    assert made.counts().seen == 50
    shadows.free.set()
    counts = made.close(60)
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
    assert made.close(60).answered == 4


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
    assert ended.wait(60)
    counts = made.counts()
    assert (counts.seen, counts.dropped, counts.waiting) == (3, 3, 0)
    assert counts.why["dropped"] == "the mirror ended"


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
    counts = made.close(60)
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
    # What was counted before the answer came is written, too.
    (counts,) = until(lambda: [each for each in PairFiles(tmp_path).counts() if each.answered])
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
