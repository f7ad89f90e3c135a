"""Traces that a pipeline writes itself: whole lines, from any thread and process."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from builders import gold, write_jsonl
from command import Folder, Process, Ran
from full_disk import full_disk
from test_imports import heavy_modules_after

from ragstone.contracts.record import problems
from ragstone.contracts.records.trace_records import TRACE
from ragstone.errors import InputError
from ragstone.trace import TraceFile

pytestmark = pytest.mark.python


def score(folder: Path, *words: str) -> Ran:
    """`ragstone score` as a process, over the files of a folder."""
    (folder / "own").mkdir()
    given = ("--gold", "gold.jsonl", "--trace", "trace.jsonl")
    return Process(Folder(folder / "own"))("score", *given, *words, cwd=folder)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def written(tmp_path: Path, **said: Any) -> dict[str, Any]:
    """The one line of a block that makes these calls."""
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
    with TraceFile(path) as trace, trace("A1", "Why?") as t:
        for name, given in said.items():
            getattr(t, name)(*given)
    (line,) = lines(path)
    assert list(problems(TRACE, line, {})) == []
    return line


def test_a_traced_pipeline_is_scored(tmp_path: Path) -> None:
    script = tmp_path / "pipeline.py"
    script.write_text(
        """
from ragstone.trace import TraceFile

trace = TraceFile("trace.jsonl")
with trace("A1", "Does X take null keys?") as t:
    with t.stage("retrieval"):
        t.retrieved(["p1#1", "p1#2"])
    t.answer("X rejects null keys.", ["p1#2"])
with trace("A2", "Who wrote X?") as t:
    t.retrieved([])
    t.refuse()
try:
    with trace("A3", "And null values?") as t:
        t.retrieved(["p1#2"])
        t.answer("X rejects null keys.", ["p1#2"])
        raise TimeoutError("the key is sk-123")
except TimeoutError:
    pass
"""
    )
    subprocess.run([sys.executable, script.name], cwd=tmp_path, check=True)
    write_jsonl(tmp_path / "gold.jsonl", [gold("A1"), gold("A2", answerable=False), gold("A3")])
    ran = score(tmp_path, "--json")
    assert ran.code == 1, ran.err
    report = ran.json
    assert report["inputs"]["kept"] == 3
    assert (report["precision"], report["over_refusal"]) == (1.0, 0.0)
    assert report["metrics"]["missing"]["numerator"] == 1
    failed = lines(tmp_path / "trace.jsonl")[2]
    assert (failed["ok"], failed["reason"]) == (False, "TimeoutError")
    assert "answer_json" not in failed
    assert "sk-123" not in (tmp_path / "trace.jsonl").read_text()


def test_every_call_has_its_field(tmp_path: Path) -> None:
    line = written(
        tmp_path,
        retrieved=(("a", "b"), ["one", "two"]),
        answer=("Yes.", ["a"]),
        constraints=(["in EUR"], ["in EUR"]),
        tokens=(812, 64),
        cost=(0.002,),
        judge=("faithfulness", 0.92),
    )
    clock = {name: line.pop(name) for name in ("ts", "latency_ms")}
    assert clock["latency_ms"] >= 0
    assert line == {
        "qid": "A1",
        "q": "Why?",
        "retrieved_ids": ["a", "b"],
        "retrieved_texts": ["one", "two"],
        "constraints": ["in EUR"],
        "tokens": {"in": 812, "out": 64},
        "cost_usd": 0.002,
        "judge": {"faithfulness": 0.92},
        "answer_json": {"claim": "Yes.", "citations": ["a"], "constraints_echo": ["in EUR"]},
    }
    assert written(tmp_path, refuse=())["answer_json"] == {
        "claim": "not in context",
        "citations": [],
        "refused": True,
    }
    assert "answer_json" not in written(tmp_path, retrieved=(["a"],))


def test_stages_add_up_and_have_known_names(tmp_path: Path) -> None:
    with TraceFile(tmp_path / "t.jsonl") as trace, trace("A1") as t:
        for _ in range(2):
            with t.stage("llm"):
                pass
        says = r"stage 'search': there are retrieval, rerank, llm, guard"
        with pytest.raises(ValueError, match=says), t.stage("search"):
            pass
    assert list(lines(tmp_path / "t.jsonl")[0]["stage_ms"]) == ["llm"]


@pytest.mark.parametrize(
    ("call", "given", "says"),
    [
        ("retrieved", ("p1#2",), 'retrieved_ids: expected a list of strings, found "p1#2"'),
        (
            "retrieved",
            ([1, 2],),
            "retrieved_ids: expected a list of strings, found 1 at position 0",
        ),
        (
            "retrieved",
            (["a"], []),
            "retrieved_texts: expected one string per entry of retrieved_ids",
        ),
        ("answer", (None,), None),
        ("answer", (7,), "answer_json.claim: expected a string, found 7"),
        ("answer", (b"x",), "answer_json: expected what JSON can hold: Object of type bytes"),
        ("answer", ("\ud800",), "answer_json: expected text that UTF-8 can hold"),
        ("cost", (float("nan"),), "cost_usd: expected a number from -1e15 to 1e15, found NaN"),
        ("tokens", ("many", 1), 'tokens.in: expected a number, found "many"'),
        ("judge", ("tone", [1]), "judge: expected an object from names to numbers, true or false"),
        ("constraints", ("one",), "constraints: expected a list of strings"),
    ],
)
def test_what_the_contract_does_not_take_is_refused_at_the_call(
    tmp_path: Path, call: str, given: tuple[Any, ...], says: str | None
) -> None:
    path = tmp_path / "t.jsonl"
    with TraceFile(path) as trace, trace("A1") as t:
        if says is None:
            # Null is the same as absent in the contract.
            getattr(t, call)(*given)
        else:
            with pytest.raises(TypeError) as error:
                getattr(t, call)(*given)
            assert str(error.value).startswith(says)
    (line,) = lines(path)
    assert list(problems(TRACE, line, {})) == []


def test_a_trace_has_a_name(tmp_path: Path) -> None:
    with TraceFile(tmp_path / "t.jsonl") as trace:
        with pytest.raises(TypeError, match="needs a qid, a question or a trace_id"):
            trace()
        with pytest.raises(TypeError, match="qid: expected a string, found 7"):
            trace(7)  # type: ignore[arg-type]
        with trace(trace_id=7):
            pass
        t = trace("A1")
        with t:
            pass
        with pytest.raises(RuntimeError, match="written already"):
            t.answer("late")
        with pytest.raises(RuntimeError, match="one block"), t:
            pass


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    notes = tmp_path / "notes.txt"
    notes.write_text("shopping: milk")
    for path, says in (
        (folder, "is a directory"),
        (tmp_path / "none" / "t.jsonl", "there is no folder"),
        (notes, "does not hold traces; name another file"),
        (Path("/dev/null"), "expected a file that lines are appended to"),
    ):
        with pytest.raises(InputError, match=says):
            TraceFile(path)
    assert notes.read_text() == "shopping: milk"
    trace = TraceFile(tmp_path / "t.jsonl")
    t = trace("A1")
    trace.close()
    trace.close()
    with pytest.raises(InputError, match="is closed"):
        trace("A2")
    with pytest.raises(InputError, match="is closed"), t:
        pass
    other = TraceFile(tmp_path / "u.jsonl")
    with pytest.raises(ZeroDivisionError) as error, other("A1"):
        other.close()
        _ = 1 / 0
    assert "is closed" in error.value.__notes__[0]


def test_a_full_disk_takes_back_what_it_took(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    trace = TraceFile(str(path))
    with trace("A1") as t:
        t.answer("short")
    with full_disk(4096):
        told = f"{path} cannot be written: file too large"
        with pytest.raises(InputError, match=re.escape(told)), trace("A2") as t:
            t.answer("x" * 10_000)
        with trace("A3") as t:
            t.answer("short again")
    assert [line["qid"] for line in lines(path)] == ["A1", "A3"]


def write_some(trace: TraceFile, who: int, many: int) -> None:
    for number in range(many):
        with trace(f"{who}-{number}") as t:
            t.answer(chr(97 + who) * (200_000 if number % 4 == 0 else 10 + number))


def all_there(path: Path, writers: int, many: int) -> None:
    found = {line["qid"]: line["answer_json"]["claim"] for line in lines(path)}
    assert len(lines(path)) == len(found) == writers * many
    for qid, claim in found.items():
        who, number = map(int, qid.split("-"))
        size = 200_000 if number % 4 == 0 else 10 + number
        assert claim == chr(97 + who) * size


def test_threads_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    trace = TraceFile(path)
    threads = [threading.Thread(target=write_some, args=(trace, who, 40)) for who in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    trace.close()
    all_there(path, 8, 40)


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_processes_share_a_file(tmp_path: Path, how: str) -> None:
    path = tmp_path / "t.jsonl"
    trace = TraceFile(path)
    context = multiprocessing.get_context(how)
    children = [context.Process(target=write_some, args=(trace, who, 60)) for who in range(4)]
    for each in children:
        each.start()
    write_some(trace, 4, 60)
    for each in children:
        each.join()
    assert [each.exitcode for each in children] == [0] * 4
    all_there(path, 5, 60)


def test_tasks_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"

    async def one(trace: TraceFile, number: int) -> None:
        with trace(f"0-{number}") as t:
            await asyncio.sleep(0)
            t.answer("a" * (200_000 if number % 4 == 0 else 10 + number))

    async def every() -> None:
        with TraceFile(path) as trace:
            await asyncio.gather(*(one(trace, number) for number in range(20)))

    asyncio.run(every())
    all_there(path, 1, 20)


def test_a_folder_that_is_left_is_no_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trace = TraceFile("t.jsonl")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pickle.loads(pickle.dumps(trace)) as again, again("A1"):
        pass
    trace.close()
    assert len(lines(tmp_path / "t.jsonl")) == 1


def test_a_killed_writer_leaves_at_most_one_cut_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    code = """
from ragstone.trace import TraceFile
trace = TraceFile("t.jsonl")
number = 0
while True:
    with trace(f"Q{number}") as t:
        t.answer("x" * 1_000_000)
    number += 1
"""
    child = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    deadline = time.monotonic() + 60
    while (not path.exists() or path.stat().st_size < 5_000_000) and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    whole = path.read_bytes().split(b"\n")[:-1]
    assert [json.loads(line)["qid"] for line in whole] == [f"Q{n}" for n in range(len(whole))]


def test_a_cut_line_is_named_by_the_reader_and_removed_by_the_next_writer(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with TraceFile(path) as trace, trace("A1") as t:
        t.answer("X rejects null keys.", ["p1#2"])
    with path.open("ab") as file:
        file.write(b'{"qid": "A2", "answer_json": {"claim": "' + b"x" * 100_000)
    write_jsonl(tmp_path / "gold.jsonl", [gold("A1"), gold("A2")])
    ran = score(tmp_path)
    assert ran.code == 2
    assert "trace.jsonl:2: json: " in ran.err
    says = "cut when its writer"
    with TraceFile(path) as trace, pytest.warns(RuntimeWarning, match=says), trace("A2") as t:
        t.refuse()
    assert [line["qid"] for line in lines(path)] == ["A1", "A2"]


def test_a_last_line_without_its_line_feed_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text('{"qid": "A0"}')
    with TraceFile(path) as trace, trace("A1"):
        pass
    assert [line["qid"] for line in lines(path)] == ["A0", "A1"]


def test_importing_it_loads_nothing_heavy() -> None:
    assert heavy_modules_after("import ragstone.trace") == []
