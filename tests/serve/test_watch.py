"""`ragstone watch`: the same windows and alerts over files, read once or followed."""

from __future__ import annotations

import gzip
import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from builders import trace
from command import Command, Folder
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from serve.recorded_hour import START, records
from written_spans import openinference, tracer

from ragstone.errors import InputError
from ragstone.serve.alert_rules import DEFAULTS
from ragstone.serve.followed_files import FollowedFile
from ragstone.serve.watch_board import _COLUMNS, alert_text

SMALL = "[serve]\nlate = '1s'\nrolling = '1m'\nsamples = 5\n[serve.alerts]\ncoverage = '< 0.7'\n"


def lines(values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def test_once_finds_what_was_put_into_an_hour(command: Command, folder: Folder) -> None:
    folder.write("live.jsonl.gz", gzip.compress(lines(records(range(10, 24))).encode()))
    ran = command("watch", "--once", "--json", "live.jsonl.gz")
    assert ran.code == 1, ran.err
    assert [(alert["alert"], alert["minute"]) for alert in ran.json["alerts"]] == [
        ("coverage", "2026-01-01T00:19Z")
    ]
    assert ran.json["records"] == 14 * 50
    # The order of lines, and the file that they are in, do not matter.
    values = list(records(range(10, 24)))
    folder.write("b.jsonl", lines(values[::2]))
    folder.write("a.jsonl", lines(values[::-1][::2]))
    assert command("watch", "--once", "--json", "?.jsonl").out == ran.out


def test_the_board_fits_a_terminal_and_ends_with_what_is_wrong(
    command: Command, folder: Folder
) -> None:
    folder.write("live.jsonl", lines(records(range(10, 20))))
    ran = command("watch", "--once", "live.jsonl")
    said = ran.text.splitlines()
    assert max(map(len, said)) <= 80
    assert said[0] == "500 records"
    assert said[-2:] == [
        "ALERT cites what it should (coverage): 0.5",
        "  the rule is < 0.7 for 5m, 250 samples, since 2026-01-01T00:19Z",
    ]
    # What stands is on the board, and is not told again below it.
    assert ran.text.count("ALERT") == 1
    assert len(said) <= 24


def test_every_number_of_an_alert_has_a_plain_name_that_fits() -> None:
    for name in (*DEFAULTS, *_COLUMNS):
        alert = {"alert": name, "state": "resolved", "minute": "2026-01-01T00:19Z", "value": None}
        said = alert_text({**alert, "rule": ">= 0.125 for 15m", "samples": 10**6, "detail": ""})
        assert all(len(line) <= 80 for line in said.splitlines()), said
        assert re.match(r"ended [^_]+( \([^)]+\))?: unmeasured\n", said), said


def test_a_quiet_log_ends_with_0(command: Command, folder: Folder) -> None:
    folder.write("live.jsonl", lines(records(range(5))))
    ran = command("watch", "--once", "live.jsonl")
    assert (ran.code, "no alert stands" in ran.text) == (0, True)


def test_a_log_with_too_few_samples_was_not_judged(command: Command, folder: Folder) -> None:
    folder.write("live.jsonl", lines(records(range(3))))
    ran = command("watch", "--once", "live.jsonl")
    assert (ran.code, "no alert stands" in ran.text) == (3, True)
    assert "no rule on what was answered had enough samples" in ran.err


def test_bad_lines_are_told_and_the_others_counted(command: Command, folder: Folder) -> None:
    folder.write("live.jsonl", lines(records(range(1))) + '{"qid": 5}\n{"a"\n')
    ran = command("watch", "--once", "--json", "live.jsonl")
    # So few records are not judged.
    assert (ran.code, ran.json["refused"], ran.json["records"]) == (3, 2, 50)
    assert ran.err.splitlines()[0] == "live.jsonl:51: qid: expected a string, found 5"
    assert ran.err.splitlines()[1].startswith("live.jsonl:52: json: ")


@pytest.mark.parametrize(
    ("content", "words", "code", "said"),
    [
        ('{"qid": 5}\n', (), 2, "live.jsonl:1: qid: expected a string, found 5"),
        (lines([trace("A1")]), (), 3, "no record has a ts"),
        ("", (), 3, "no record has a ts"),
        ("", ("--from", "nothing"), 2, "nothing"),
        ("", ("other.jsonl",), 2, "other.jsonl does not exist"),
    ],
)
def test_what_cannot_be_watched_is_said(
    command: Command,
    folder: Folder,
    content: str,
    words: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    folder.write("live.jsonl", content)
    ran = command("watch", "live.jsonl", *words, "--once")
    assert (ran.code, said in ran.err) == (code, True), ran.err


def test_spans_of_a_file_are_joined(command: Command, folder: Folder) -> None:
    folder.write("ragstone.toml", SMALL)
    with tracer(FileSpanExporter(folder.work / "otlp.jsonl")) as spans:
        for number in range(8):
            openinference(spans, f"Q{number}", "Who?", "Ada.", {"d1": "Ada wrote it."})
    ran = command("watch", "--once", "--json", "otlp.jsonl", "--from", "otel")
    # They cite nothing, so that no rule judges them.
    assert (ran.code, ran.json["records"]) == (3, 8), ran.err
    assert sum(each["records"] for each in ran.json["windows"]["minutes"]) == 8


def test_plain_traces_are_watched_too(command: Command, folder: Folder) -> None:
    folder.write("ragstone.toml", SMALL)
    made = [{**trace(f"A{n}"), "ts": START + n * 1000} for n in range(90)]
    folder.write("trace.jsonl", "\ufeff" + lines(made).replace("\n", " \r\n"))
    ran = command("watch", "--once", "--json", "trace.jsonl")
    assert (ran.code, ran.json["records"], ran.err) == (0, 90, "")
    assert ran.json["windows"]["audit"]["answer_rate"] == {"value": 1.0, "samples": 30}


@contextmanager
def following(folder: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(
        [sys.executable, "-m", "ragstone", "watch", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    try:
        yield child
    finally:
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=30)


def next_alert(child: subprocess.Popen[bytes], seconds: float = 30) -> tuple[str, str]:
    """The next line that it prints, which comes soon or not at all."""
    assert child.stdout is not None
    ready, _, _ = select.select([child.stdout], [], [], seconds)
    assert ready, "nothing was printed"
    said = json.loads(child.stdout.readline())
    return said["state"], said["minute"]


def covered(minute: int, share: float, count: int = 10) -> list[dict[str, Any]]:
    made = list(records(range(1), each=count))
    for number, value in enumerate(made):
        value["ts"] = START + minute * 60_000 + number
        value["answer"]["coverage"] = share
        value["trace_id"] = f"{minute}-{number}"
    return made


def test_a_file_is_followed_through_rotation_and_truncation(folder: Folder) -> None:
    folder.write("ragstone.toml", SMALL)
    log = folder.write("live.jsonl", lines(covered(0, 1.0)))
    with following(folder.work, "live.jsonl") as child:
        with log.open("a") as file:
            file.write(lines(covered(1, 0.0)) + lines(covered(4, 1.0)))
        # A minute ends an alert once it is closed itself, with records of a later one.
        assert next_alert(child) == ("raised", "2026-01-01T00:01Z")
        log.rename(folder.work / "live.jsonl.1")
        log.write_text(lines(covered(5, 0.0)) + lines(covered(9, 1.0)))
        assert next_alert(child) == ("resolved", "2026-01-01T00:04Z")
        assert next_alert(child) == ("raised", "2026-01-01T00:05Z")
        log.write_text(lines(covered(12, 0.0)))
        with log.open("a") as file:
            file.write(lines(covered(16, 1.0)))
        assert next_alert(child) == ("resolved", "2026-01-01T00:09Z")
        assert next_alert(child) == ("raised", "2026-01-01T00:12Z")
    # It was interrupted.
    assert child.returncode == 3


def test_what_is_written_to_a_renamed_file_is_read_before_the_next(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"a\nb")
    followed = FollowedFile(log)
    assert list(followed.new_lines()) == [(1, b"a")]
    with log.open("ab") as old:
        log.rename(tmp_path / "log.1")
        old.write(b"b\nlast")
        old.flush()
        assert list(followed.new_lines()) == [(2, b"bb")]
    log.write_bytes(b"new\n")
    assert list(followed.new_lines()) == [(3, b"last"), (1, b"new")]
    followed.close()


def test_a_file_that_was_cut_is_read_anew(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"one\ntwo\n")
    followed = FollowedFile(log)
    assert len(list(followed.new_lines())) == 2
    os.truncate(log, 0)
    assert list(followed.new_lines()) == []
    log.write_bytes(b"x\n")
    assert list(followed.new_lines()) == [(1, b"x")]
    # Emptied, and longer than before by the next look.
    log.write_bytes(b"yy\nz\n")
    assert list(followed.new_lines()) == [(1, b"yy"), (2, b"z")]
    followed.close()


def test_a_packed_file_cannot_be_followed(tmp_path: Path) -> None:
    log = tmp_path / "log.gz"
    log.write_bytes(gzip.compress(b"{}"))
    with pytest.raises(InputError, match="cannot be followed; --once reads it"):
        FollowedFile(log)
