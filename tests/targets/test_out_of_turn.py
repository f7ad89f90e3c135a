"""A process that prints a line too many never puts an answer under another question."""

from __future__ import annotations

import json
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest
from running import lines, replies_in, start, until, words

from ragstone.cli.main import main

# Says when it prints what besides its answers; every answer repeats its question.
PROGRAM = """
import json, sys, time
kind, what, ids = sys.argv[1:4]
def stray(q="before any question"):
    answer = {"answer_json": {"claim": f"stray {q}", "citations": []}, "retrieved_ids": []}
    print({"text": "loading model ...", "log": '{"level": "info"}'}.get(what, json.dumps(answer)))
def reply(asked):
    answer = {"answer_json": {"claim": asked["q"], "citations": []}, "retrieved_ids": []}
    if ids == "ids":
        answer["id"] = asked["id"]
    print(json.dumps(answer), flush=True)
if kind == "start":
    stray()
if kind == "start_slowly":
    stray(); sys.stdout.flush()
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)
    if kind == "start_slowly":
        time.sleep(0.02)
    if kind == "before":
        stray(asked["q"])
    if kind == "before_once" and number == 2:
        stray(asked["q"]); sys.stdout.flush(); time.sleep(0.02)
    if kind == "dies" and number == 2:
        sys.exit("out of memory")
    if kind == "silent_after" and number == 2:
        time.sleep(60)
    if kind != "twice_at_once":
        reply(asked)
    if kind == "after":
        stray(asked["q"]); sys.stdout.flush()
    if kind == "after_a_while":
        time.sleep(0.02); stray(asked["q"]); sys.stdout.flush()
    if kind == "twice":
        reply(asked)
    if kind == "twice_at_once":
        answer = {"answer_json": {"claim": asked["q"], "citations": []}, "retrieved_ids": []}
        if ids == "ids":
            answer["id"] = asked["id"]
        sys.stdout.write((json.dumps(answer) + "\\n") * 2); sys.stdout.flush()
    if kind == "twice_after_a_while":
        time.sleep(0.02); reply(asked)
"""
CHATTER = ["start", "start_slowly", "before", "before_once", "after", "after_a_while"]
TWICE = ["twice", "twice_at_once", "twice_after_a_while"]


@pytest.fixture
def target(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    program = shlex.join([sys.executable, "-I", "-S", str(tmp_path / "program.py")])
    return lambda *told: f"cmd:{program} {' '.join(told)}"


ALL = [(kind, what) for kind in CHATTER for what in ("text", "log", "answer")]
ALL += [(kind, "answer") for kind in TWICE]
WORST = [("start", "text"), ("start_slowly", "answer"), *((kind, "answer") for kind in TWICE)]


@pytest.mark.parametrize("ids", ["ids", "none"])
@pytest.mark.parametrize(
    ("kind", "what", "concurrency", "count"),
    [(*each, "1", 6) for each in ALL]
    + [(*each, "8", 24) for each in WORST]
    + [pytest.param(*each, "8", 60, marks=pytest.mark.long) for each in WORST],
)
def test_an_answer_is_under_its_own_question_or_not_there(
    kind, what, concurrency, count, ids, target, questions, tmp_path
):
    given = words(questions(count), target(kind, what, ids), tmp_path / "t.jsonl")
    code = main([*given, "--concurrency", concurrency])
    found = replies_in(tmp_path / "t.jsonl")
    answered = [line for line in found if "answer_json" in line]
    failed = [line for line in found if "answer_json" not in line]
    assert [line["answer_json"]["claim"] for line in answered] == [line["q"] for line in answered]
    assert {line["reason"] for line in failed} == {"bad_answer"}
    assert code == (3 if failed else 0)
    if ids == "ids" and kind not in ("start", "start_slowly", "before"):
        assert answered


@pytest.mark.parametrize("ids", ["ids", "none"])
@pytest.mark.parametrize("kind", ["well", "dies", "silent_after"])
def test_one_that_dies_or_hangs_costs_its_question_alone(kind, ids, target, questions, tmp_path):
    given = words(questions(20), target(kind, "-", ids), tmp_path / "t.jsonl", "--timeout", "1")
    code = main([*given, "--retries", "9"])
    found = lines(tmp_path / "t.jsonl")
    answered = [line for line in found if "answer_json" in line]
    assert [line["answer_json"]["claim"] for line in answered] == [line["q"] for line in answered]
    assert {line["reason"] for line in found if line not in answered} <= {"timeout"}
    assert len(answered) == 20 or kind == "silent_after"
    assert code == (0 if len(answered) == 20 else 3)


def test_the_sentence_says_what_was_printed_and_what_to_do(target, questions, tmp_path, capsys):
    given = words(questions(2), target("start", "text", "none"), tmp_path / "t.jsonl", "--json")
    assert main(given) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["reasons"] == {"bad_answer": 2}
    assert '"loading model ..."' in found["examples"]["bad_answer"]
    assert "to standard error" in found["examples"]["bad_answer"]


def test_what_was_withdrawn_is_asked_again_by_the_next_run(target, questions, tmp_path):
    gold, output = questions(1), tmp_path / "t.jsonl"
    # The line too many is seen when the process ends: its answer was on record by then.
    given = words(gold, target("twice_after_a_while", "answer", "none"), output)
    assert main(given) == 3
    (line,) = replies_in(output)
    assert line["error"].startswith("withdrawn")
    (tmp_path / "program.py").write_text(PROGRAM.replace("time.sleep(0.02); reply", "pass #"))
    assert main(given) == 0
    (line,) = lines(output)
    assert line["answer_json"]["claim"] == line["q"]


def test_a_sweep_does_not_count_what_was_withdrawn(target, questions, tmp_path):
    load = ("--rps", "20", "--duration", "0.2", "--warmup", "0", "--concurrency", "1")
    program = target("twice_after_a_while", "answer", "none")
    given = ("--gold", str(questions(2)), "--target", program, "-o", str(tmp_path / "s.jsonl"))
    assert main(["latency", "sweep", "--no-config", "--quiet", *given, *load]) == 3
    assert not (tmp_path / "s.jsonl").exists()


FARES_WELL = PROGRAM + "\nprint('goodbye')\n"


def test_blank_lines_and_a_farewell_are_no_speech(target, questions, tmp_path):
    (tmp_path / "program.py").write_text(
        FARES_WELL.replace(
            "print(json.dumps(answer), flush", "print(json.dumps(answer), end='\\n\\n', flush"
        )
    )
    assert main(words(questions(5), target("well", "-", "none"), tmp_path / "t.jsonl")) == 0
    assert all("answer_json" in line for line in lines(tmp_path / "t.jsonl"))


def test_the_id_of_a_reply_is_not_in_the_traces(target, questions, tmp_path):
    main(words(questions(2), target("well", "-", "ids"), tmp_path / "t.jsonl"))
    assert not any("id" in line for line in lines(tmp_path / "t.jsonl"))


STAYS = """
import os, sys, time
open(f"pid_{os.getpid()}", "w").close()
while True:
    time.sleep(0.05)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the signal of a parent's death is Linux's")
def test_a_process_dies_with_us_even_when_we_are_killed(target, questions, tmp_path):
    (tmp_path / "program.py").write_text(STAYS)
    running = start(questions(4), target(), tmp_path / "t.jsonl", "--concurrency", "2")
    until(lambda: len(list(tmp_path.glob("pid_*"))) == 2, running)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    deadline = time.monotonic() + 30
    for path in tmp_path.glob("pid_*"):
        while is_running(int(path.name.removeprefix("pid_"))):
            assert time.monotonic() < deadline, "the process lives on"
            time.sleep(0.01)


def is_running(process: int) -> bool:
    """Whether it lives; one that has ended and that nobody has waited for does not."""
    try:
        said = Path(f"/proc/{process}/stat").read_text()
        return said.rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_program_that_cannot_be_started_says_why(target, questions, tmp_path):
    (tmp_path / "broken").write_text("#!/no/such/interpreter\n")
    (tmp_path / "broken").chmod(0o755)
    given = words(
        questions(1), f"cmd:{tmp_path / 'broken'}", tmp_path / "t.jsonl", "--retries", "0"
    )
    assert main(given) == 3
    assert "No such file or directory" in replies_in(tmp_path / "t.jsonl")[0]["error"]


def test_a_pipe_that_breaks_ends_the_program_as_it_does_elsewhere(questions, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Python ignores SIGPIPE, and what it starts would inherit that.
    (tmp_path / "program.sh").write_text(
        "read line; (yes; echo $? >&2) 2> code | head -1 > /dev/null\n"
        'echo "{\\"retrieved_ids\\": [\\"$(head -1 code)\\"]}"\n'
    )
    given = words(questions(1), f"cmd:bash {tmp_path / 'program.sh'}", tmp_path / "t.jsonl")
    assert main(given) == 0
    assert lines(tmp_path / "t.jsonl")[0]["retrieved_ids"] == ["141"]
