"""A killed run goes on, asks nothing twice that was answered, and ends in the same bytes."""

from __future__ import annotations

import json
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from long_runs import examples
from running import lines, run, start, until, words

from ragstone.cli.main import main

pytestmark = pytest.mark.python

PIPELINE = """
import asyncio, os

async def answer(q, seed):
    with open("asked.txt", "a") as file:
        file.write(f"{q}|{seed}\\n")
    await asyncio.sleep(0.002)
    return {
        "answer_json": {"claim": f"You asked: {q} é", "citations": ["p1#1"], "score": 0.1 + 0.2},
        "retrieved_ids": ["p1#1"],
        "tokens": {"in": len(q), "out": 3},
        "cost_usd": 0.0001,
        "stage_ms": {"llm": 2.0},
    }
"""
TARGET = "py:killed_pipeline:answer"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    (tmp_path / "killed_pipeline.py").write_text(PIPELINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("killed_pipeline", None)


def timings(output: Path) -> tuple[str, str]:
    return "--timings", str(output.with_suffix(".timings"))


def asked(folder: Path) -> list[str]:
    return (folder / "asked.txt").read_text().splitlines()


def recorded(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") - 1 if journal.exists() else -1


def test_killed_at_random_moments_the_finished_file_is_the_same(folder, questions):
    gold = questions(500)
    plain = folder / "plain.jsonl"
    run(gold, TARGET, plain, *timings(plain))
    chance = random.Random(5)
    output = folder / "killed.jsonl"
    journal = folder / "killed.jsonl.journal"
    # The first two are at the very edges: before the first answer, and after the last.
    for moment in (-1, 499, *(chance.randrange(500) for _ in range(examples(4, long=48)))):
        for path in (output, journal, folder / "asked.txt"):
            path.unlink(missing_ok=True)
        running = start(gold, TARGET, output, *timings(output))
        until(lambda: recorded(journal) >= moment, running)  # noqa: B023 (called at once)
        running.send_signal(signal.SIGKILL)
        running.communicate()
        # Where it was too late to kill it, the journal ends with what file it wrote.
        kept = {line["record"]["q"] for line in whole_lines(journal) if "record" in line}
        run(gold, TARGET, output, *timings(output))
        assert output.read_bytes() == plain.read_bytes(), f"killed after {moment} answers"
        again = asked(folder)
        assert all(again.count(f"{q}|None") == 1 for q in kept)
        # What was in flight may be asked again, and there were at most 8 of these.
        assert 500 <= len(again) <= 508


def whole_lines(journal: Path) -> list[dict[str, dict[str, str]]]:
    if not journal.exists():
        return []
    whole = journal.read_bytes().rpartition(b"\n")[0]
    return [json.loads(line) for line in whole.splitlines()]


def test_killed_twice_it_goes_on_twice(folder, questions):
    gold = questions(200)
    output = folder / "t.jsonl"
    for moment in (50, 120):
        running = start(gold, TARGET, output, *timings(output))
        until(lambda: recorded(folder / "t.jsonl.journal") >= moment, running)  # noqa: B023
        running.send_signal(signal.SIGKILL)
        running.communicate()
        assert not output.exists()
    run(gold, TARGET, output, *timings(output))
    plain = folder / "plain.jsonl"
    assert output.read_bytes() == (run(gold, TARGET, plain, *timings(plain)), plain)[1].read_bytes()


def test_a_journal_cut_at_any_byte_is_taken_up(folder, questions):
    gold = questions(6)
    output = folder / "t.jsonl"
    run(gold, TARGET, output, *timings(output))
    finished, journal = output.read_bytes(), folder / "t.jsonl.journal"
    whole = journal.read_bytes()
    for end in range(0, len(whole), 37):
        journal.write_bytes(whole[:end])
        run(gold, TARGET, output, *timings(output))
        assert output.read_bytes() == finished, f"cut after {end} bytes"


def test_the_grid_is_in_gold_order_then_paraphrase_seed_jitter_and_knobs(folder, questions):
    gold = questions(2, paraphrases=["One?", "Two?"])
    (folder / "grid.toml").write_text("k = [5, 10]\ndeep = true\n")
    more = ("--paraphrases", "--seeds", "1,0", "--jitters", "none", "--knobs", "grid.toml")
    found = run(gold, TARGET, folder / "t.jsonl", *more)
    order = [
        (line["qid"], line["paraphrase"], line["seed"], line["jitter"], line["knobs"]["k"])
        for line in found
    ]
    assert order == [
        (qid, paraphrase, seed, "none", k)
        for qid in ("Q0001", "Q0000")
        for paraphrase in (0, 1)
        for seed in (0, 1)
        for k in (5, 10)
    ]
    assert {line["q"] for line in found} == {"One?", "Two?"}


def test_timings_hold_what_was_measured_and_the_traces_do_not(folder, questions):
    output = folder / "t.jsonl"
    (line,) = run(questions(1), TARGET, output, *timings(output))
    assert not {"ts", "latency_ms", "stage_ms"} & line.keys()
    assert line["tokens"] == {"in": 11, "out": 3}
    assert line["cost_usd"] == 0.0001
    (beside,) = lines(folder / "t.timings")
    assert beside.keys() == {"qid", "ts", "latency_ms", "stage_ms", "attempts"}


def test_an_edited_question_alone_is_asked_again(folder, questions):
    gold = questions(5)
    output = folder / "t.jsonl"
    run(gold, TARGET, output)
    gold.write_text(gold.read_text().replace("Question 3?", "Question three?"))
    found = run(gold, TARGET, output)
    assert [q.partition("|")[0] for q in asked(folder)[5:]] == ["Question three?"]
    assert [line["qid"] for line in found] == ["Q0002", "Q0003", "Q0004", "Q0000", "Q0001"]


def test_fresh_asks_everything_again(folder, questions):
    gold = questions(3)
    run(gold, TARGET, folder / "t.jsonl")
    run(gold, TARGET, folder / "t.jsonl", "--fresh")
    assert len(asked(folder)) == 6


def test_answers_of_another_target_are_not_taken_for_this_ones(folder, questions, capsys):
    gold = questions(3)
    run(gold, TARGET, folder / "t.jsonl")
    other = "cmd:cat"
    assert main(words(gold, other, folder / "t.jsonl")) == 2
    assert f"holds answers of {TARGET}, not of {other}" in capsys.readouterr().err


def test_two_runs_cannot_share_a_journal(folder, questions, capsys):
    pytest.importorskip("fcntl")
    gold = questions(2000)
    running = start(gold, TARGET, folder / "t.jsonl")
    try:
        until(lambda: recorded(folder / "t.jsonl.journal") >= 1, running)
        assert main(words(gold, TARGET, folder / "t.jsonl")) == 2
        assert "is in use by another run" in capsys.readouterr().err
    finally:
        running.kill()
        running.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_it_in_order_and_with_exit_code_three(number, folder, questions):
    gold = questions(2000)
    output = folder / "t.jsonl"
    running = start(gold, TARGET, output)
    until(lambda: recorded(folder / "t.jsonl.journal") >= 20, running)
    running.send_signal(number)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 3
    # It was started with --quiet.
    assert said == ""
    assert not output.exists()
    # Nothing in flight was given up: every question that was put has its answer on record.
    assert recorded(folder / "t.jsonl.journal") == len(asked(folder))


def test_a_second_interrupt_does_not_wait_for_what_is_in_flight(folder, questions):
    (folder / "killed_pipeline.py").write_text(PIPELINE.replace("0.002", "600"))
    running = start(questions(20), TARGET, folder / "t.jsonl")
    until((folder / "asked.txt").exists, running)
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 3
    assert "Traceback" not in said


def test_a_target_that_was_mistyped_leaves_nothing_in_the_way(folder, questions):
    gold = questions(2)
    assert main(words(gold, "py:killed_pipelin:answer", folder / "t.jsonl")) == 2
    assert len(run(gold, TARGET, folder / "t.jsonl")) == 2


def test_a_journal_that_is_not_one_is_named_with_its_line(folder, questions, capsys):
    gold = questions(2)
    run(gold, TARGET, folder / "t.jsonl")
    journal = folder / "t.jsonl.journal"
    journal.write_text(journal.read_text() + "nonsense\n")
    assert main(words(gold, TARGET, folder / "t.jsonl")) == 2
    assert f"{journal}:5: journal: " in capsys.readouterr().err


def test_a_hangup_that_is_ignored_stays_ignored(folder, questions):
    gold = questions(200)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        running = start(gold, TARGET, folder / "t.jsonl")
    finally:
        signal.signal(signal.SIGHUP, before)
    until(lambda: recorded(folder / "t.jsonl.journal") >= 20, running)
    running.send_signal(signal.SIGHUP)
    running.communicate(timeout=60)
    assert running.returncode == 0
    assert len(lines(folder / "t.jsonl")) == 200


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b"You asked", b"You \xff\xfe", ":3: journal: it is not UTF-8; --fresh drops it"),
        (b'"q":', b'"p":', ":3: journal: the record has no q; --fresh drops it"),
        (b'"record":{', b'"record":7,"x":{', ":3: journal: "),
    ],
)
def test_a_damaged_record_is_named_with_its_line(old, new, says, folder, questions, capsys):
    gold = questions(2)
    run(gold, TARGET, folder / "t.jsonl")
    journal = folder / "t.jsonl.journal"
    first, second, third, wrote = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(first + second + third.replace(old, new) + wrote)
    assert main(words(gold, TARGET, folder / "t.jsonl")) == 2
    assert f"{journal}{says}" in capsys.readouterr().err


def test_no_byte_of_a_journal_that_changes_is_a_fault_of_ours(folder, questions, capsys):
    gold = questions(2)
    run(gold, TARGET, folder / "t.jsonl")
    journal = folder / "t.jsonl.journal"
    whole = journal.read_bytes()
    chance = random.Random(11)
    for _ in range(300):
        at, byte = chance.randrange(len(whole)), chance.choice(b'\x00\x80\xff"{}[],:\\ \nx1')
        journal.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
        code = main(words(gold, TARGET, folder / "t.jsonl"))
        said = capsys.readouterr().err
        assert code in (0, 2), (at, byte)
        assert "a fault in ragstone" not in said, (at, byte, said)


def test_questions_that_cannot_be_asked_are_all_named(folder, capsys):
    gold = folder / "gold.jsonl"
    gold.write_text(
        '{"qid": "A", "answerable": true}\n{"qid": "B", "question": 7}\n'
        '{"qid": "A", "question": "Who?"}\n{"qid": "C", "question": " ", "paraphrases": [""]}\n'
    )
    assert main(words(gold, TARGET, folder / "t.jsonl")) == 2
    said = capsys.readouterr().err
    assert f"{gold}:2: question: expected a string, found 7" in said
    assert f"{gold}:3: qid: " in said
    gold.write_text('{"qid": "A"}\n{"qid": "C", "question": " ", "paraphrases": [""]}\n')
    assert main(words(gold, TARGET, folder / "t.jsonl")) == 2
    said = capsys.readouterr().err
    assert f"{gold}:1: question: expected a string to ask" in said
    assert f"{gold}:2: question: expected a string that is not empty" in said
    assert f"{gold}:2: paraphrases: " in said


def test_retrieval_gold_is_asked_in_its_paraphrases_and_written_as_a_log(folder):
    gold = folder / "gold.jsonl"
    gold.write_text('{"qid": "R1", "paraphrases": ["One?", "Two?"], "relevant": ["p1#1"]}\n')
    first, second = run(gold, TARGET, folder / "l.jsonl", "--paraphrases", "-f", "log")
    assert (first["query"], second["query"]) == ("One?", "Two?")
    assert (first["paraphrase"], second["paraphrase"]) == (0, 1)
    assert first["topk"] == [{"id": "p1#1", "score": 1.0}]
    assert first["answer_citations"] == [{"id": "p1#1"}]
    assert "q" not in first
    (only,) = run(gold, TARGET, folder / "m.jsonl", "-f", "log")
    assert only["query"] == "One?"


def test_a_file_that_is_no_journal_is_never_cut(folder, questions, capsys):
    gold = questions(2)
    precious = folder / "notes.txt"
    precious.write_text("one line without its end")
    for more in ((), ("--fresh",)):
        given = ("--journal", str(precious), *more)
        assert main(words(gold, TARGET, folder / "t.jsonl", *given)) == 2
        assert "is not a journal of ragstone" in capsys.readouterr().err
    assert precious.read_text() == "one line without its end"
    assert main(words(gold, TARGET, gold)) == 2
    assert len(lines(gold)) == 2
