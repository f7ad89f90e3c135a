"""`py:` and `cmd:`: how functions are called, how processes are kept, how they fail."""

from __future__ import annotations

import json
import os
import shlex
import sys

import pytest
from running import run, words

from ragstone.cli.main import main

pytestmark = pytest.mark.python

PIPELINE = """
import asyncio, sys, time

def said(text):
    return {"answer_json": {"claim": text, "citations": []}, "retrieved_ids": []}

def plain(q): return said(q)
async def asynchronous(question, seed): return said(f"{question} {seed}")
def everything(qid, q, seed, jitter, knobs, paraphrase, constraints):
    return said(f"{qid} {q} {seed} {jitter} {knobs} {paraphrase} {list(constraints)}")
def one_object(request, /): return said(f"{sorted(request)} {request['q']}")
def returns_a_coroutine(q): return asynchronous(q, 1)

class Pipeline:
    def answer(self, q): return said("from a method")
    async def __call__(self, q): return said("from an object")
pipeline = Pipeline()

def raises(q): raise ValueError("no index")
def leaves(q): sys.exit(4)
async def leaves_later(q): sys.exit(5)
def interrupts(q): raise KeyboardInterrupt
async def interrupts_later(q): raise KeyboardInterrupt
async def cancels(q): raise asyncio.CancelledError("by itself")
class Final(BaseException): pass
def ends(q): raise Final("for good")
def hangs(q): time.sleep(30)
def talks(q):
    print("thinking aloud")
    return said(q)
def not_json(q): return {"answer_json": {"claim": float("nan")}}
def not_an_object(q): return "X rejects null keys."
def empty(q): return {}
def two_things(left, right): return said(left)
number = 7
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "pipeline_of_test.py").write_text(PIPELINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("pipeline_of_test", None)


def claim_of(folder, questions, name, *more):
    (line,) = run(questions(1), f"py:pipeline_of_test:{name}", folder / "t.jsonl", *more)
    return line["answer_json"]["claim"]


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("plain", "Question 0?"),
        ("asynchronous", "Question 0? 3"),
        ("everything", "Q0000 Question 0? 3 None {} None []"),
        ("one_object", "['jitter', 'knobs', 'q', 'seed'] Question 0?"),
        ("returns_a_coroutine", "Question 0? 1"),
        ("pipeline", "from an object"),
        ("pipeline.answer", "from a method"),
    ],
)
def test_a_function_gets_what_its_parameters_name(name, claim, folder, questions):
    assert claim_of(folder, questions, name, "--seeds", "3") == claim


@pytest.mark.parametrize(
    ("name", "reason", "says"),
    [
        ("raises", "exception", "ValueError: no index"),
        ("leaves", "exception", "SystemExit: 4"),
        ("leaves_later", "exception", "SystemExit: 5"),
        ("interrupts", "exception", "KeyboardInterrupt"),
        ("interrupts_later", "exception", "KeyboardInterrupt"),
        ("cancels", "exception", "CancelledError: by itself"),
        ("ends", "exception", "Final: for good"),
        ("hangs", "timeout", "no answer within 0.3 s"),
        ("not_json", "bad_answer", "not JSON"),
        ("not_an_object", "bad_answer", 'expected an object, found "X rejects'),
        ("empty", "bad_answer", "expected answer_json or retrieved_ids"),
    ],
)
def test_a_function_that_fails_costs_one_answer(name, reason, says, folder, questions):
    target = f"py:pipeline_of_test:{name}"
    found = run(questions(2), target, folder / "t.jsonl", "--timeout", "0.3")
    assert [line["reason"] for line in found] == [reason, reason]
    assert all(says in line["error"] for line in found)
    assert all(line["ok"] is False and "answer_json" not in line for line in found)


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("py:pipeline_of_test", "expected py:module:function"),
        ("py:no_such_module:f", "No module named 'no_such_module'"),
        ("py:pipeline_of_test:missing", "has no function missing"),
        ("py:pipeline_of_test:number", "has no function number"),
        ("py:pipeline_of_test:two_things", "found two_things(left, right)"),
        ("cmd:no-such-program-here", "there is no program"),
        ("cmd:'", "No closing quotation"),
        ("ftp://host/path", "'ftp' is no known kind"),
        ("nonsense", "expected py:module:function"),
        ("http://", "is not a URL"),
        ("http://host:port/", "is not a URL"),
        ("openai:http://host/v1", "expected openai:URL#model"),
    ],
)
def test_a_target_that_cannot_be_is_refused_at_the_door(target, says, folder, questions, capsys):
    assert main(words(questions(1), target, folder / "t.jsonl")) == 2
    printed = capsys.readouterr()
    assert says in printed.err
    assert "Traceback" not in printed.err
    assert not (folder / "t.jsonl").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import sys; sys.exit(0)", "importing leaving calls sys.exit(0)"),
        ("import sys; sys.exit('no licence')", "importing leaving calls sys.exit('no licence')"),
        ("raise SystemExit", "importing leaving calls sys.exit(None)"),
        ("1 / 0", "importing leaving raised ZeroDivisionError"),
        ("def __getattr__(name): raise ValueError(name)", "raised ValueError"),
    ],
)
def test_a_module_that_ends_python_or_raises_is_refused(text, says, folder, questions, capsys):
    (folder / "leaving.py").write_text(text)
    try:
        assert main(words(questions(1), "py:leaving:f", folder / "t.jsonl")) == 2
    finally:
        sys.modules.pop("leaving", None)
    printed = capsys.readouterr()
    assert says in printed.err
    assert "Traceback" not in printed.err
    assert not (folder / "t.jsonl").exists()


def test_debug_shows_the_traceback_of_the_first_exception_of_each_kind(folder, questions, capsys):
    given = words(questions(5), "py:pipeline_of_test:raises", folder / "t.jsonl")
    assert main([*given, "--debug"]) == 3
    said = capsys.readouterr().err
    assert said.count("Traceback (most recent call last)") == 1
    assert "def raises(q): raise ValueError" in said
    assert said.rstrip().endswith("ValueError: no index")
    assert main([*given, "--fresh"]) == 3
    assert "Traceback" not in capsys.readouterr().err


def test_what_a_function_prints_does_not_mix_with_the_result(folder, questions, capsys):
    words_given = words(questions(1), "py:pipeline_of_test:talks", folder / "t.jsonl", "--json")
    assert main(words_given) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["answered"] == 1
    assert "thinking aloud" in printed.err


PROGRAM = """
import json, os, sys
told = sys.argv[1]
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)
    if told == "dies" and number == 2:
        sys.exit("out of memory")
    if told == "hangs" and asked["q"] == "Question 1?":
        import time; time.sleep(60)
    if told == "garbles":
        print("not json", flush=True)
        continue
    print("note", file=sys.stderr)
    claim = f"{asked['q']} {os.getpid()}"
    print(json.dumps({"answer_json": {"claim": claim}, "retrieved_ids": []}), flush=True)
"""


@pytest.fixture
def command(folder):
    (folder / "program.py").write_text(PROGRAM)
    return lambda told: f"cmd:{shlex.quote(sys.executable)} program.py {told}"


def test_a_process_is_kept_for_many_questions(command, folder, questions):
    found = run(questions(20), command("works"), folder / "t.jsonl", "--concurrency", "2")
    claims = [line["answer_json"]["claim"].rpartition(" ") for line in found]
    assert [claim[0] for claim in claims] == [line["q"] for line in found]
    assert len({claim[2] for claim in claims}) <= 2


def test_a_process_that_dies_is_replaced_and_its_question_asked_again(command, folder, questions):
    found = run(questions(7), command("dies"), folder / "t.jsonl", "--concurrency", "1")
    assert all("answer_json" in line for line in found)
    assert len({line["answer_json"]["claim"].rpartition(" ")[2] for line in found}) >= 3


def test_a_process_that_dies_says_its_last_words(command, folder, questions):
    found = run(
        questions(3), command("dies"), folder / "t.jsonl", "--concurrency", "1", "--retries", "0"
    )
    assert found[-1]["reason"] == "exited"
    assert found[-1]["error"] == "the process ended with 1: out of memory"


def test_a_late_answer_is_never_taken_for_the_next_ones(command, folder, questions):
    found = run(
        questions(4), command("hangs"), folder / "t.jsonl", "--concurrency", "1", "--timeout", "2"
    )
    late = [line for line in found if line.get("reason") == "timeout"]
    assert [line["q"] for line in late] == ["Question 1?"]
    answered = [line for line in found if "answer_json" in line]
    assert all(line["answer_json"]["claim"].startswith(line["q"]) for line in answered)


def test_a_line_that_is_not_json_is_a_bad_answer(command, folder, questions):
    (line,) = run(questions(1), command("garbles"), folder / "t.jsonl")
    assert line["reason"] == "bad_answer"


def test_no_process_is_left_behind(command, folder, questions):
    found = run(questions(4), command("works"), folder / "t.jsonl")
    for line in found:
        process = int(line["answer_json"]["claim"].rpartition(" ")[2])
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
