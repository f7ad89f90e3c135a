"""A shadow that fails, stalls or is gone, and a disk that takes nothing: counted, and said once."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from raw_server import raw_server, reply
from serve.running_server import until
from shadow.offered_questions import (
    ENVIRONMENT,
    mirror,
    offer,
    pairs,
)

from ragstone.shadow.pair_files import Counts, PairFiles


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
    assert counts.why["dropped"].startswith(f"a pair could not be kept: {path} is no file")
    assert capfd.readouterr().err.count("a pair could not be kept") == 1


def test_a_full_disk_leaves_no_half_of_a_pair(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from full_disk import full_disk
from shadow.test_question_mirror import mirror, offer
with full_disk(1500):
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
