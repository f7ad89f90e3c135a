"""What `score` and `power` say."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from saying.asking import GATE, Checks, Said, case, passed, proofs, ragstone, report, verdict
from saying.files import Row, named, questions, refused, right, waivers, write, wrong
from saying.truths import provable

SCORE = ("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--no-config")
# What the waived questions are part of, and fail.
OF_ALL = ("precision", "chr")


def scored(gold: Sequence[Row], traces: Sequence[Row], *words: str) -> str:
    write("gold.jsonl", gold)
    write("trace.jsonl", traces)
    return ragstone(*SCORE, *words)


@case(1, "one question, answered wrongly")
def one_wrong() -> Checks:
    yield from proofs(scored(questions(1), [wrong("Q0")]))


@case(2, "three questions without an answer, one of them answered")
def one_of_three() -> Checks:
    text = scored(questions(3, answerable=False), [right("Q0"), refused("Q1"), refused("Q2")])
    yield from proofs(text)


@case(7, "how many more questions prove a gate of a share")
def gates_of_shares() -> Checks:
    for n, failing in ((10, 0), (10, 1), (20, 2), (40, 5), (60, 9)):
        traces = [wrong(qid) if i < failing else right(qid) for i, qid in enumerate(named(n))]
        write("gold.jsonl", questions(n))
        write("trace.jsonl", traces)
        gate = report(*SCORE)["gates"]["precision"]
        low, high = gate["needed"] or (0, 0)
        # Questions are whole, so from one to the next the share goes up and down.
        proven = [
            bool(provable((n - failing) * (n + more) // n, n + more, ">=", 0.8))
            for more in range(1_000)
        ]
        first, for_good = proven.index(True), len(proven) - proven[::-1].index(False)
        is_true = low <= for_good and first <= (math.inf if high is None else high)
        said = f"precision {n - failing}/{n}: {low} to {high} more questions"
        yield Said(said, is_true, f"{first} to {for_good} do, if they go on like these")


@case(14, "100 questions without expectations, answered with nonsense")
def nonsense() -> Checks:
    items = [{"qid": qid, "question": f"Why {qid}?", "answerable": True} for qid in named(100)]
    text = scored(
        items,
        [
            {**right(qid), "answer_json": {"claim": "blah", "citations": ["p1#2"]}}
            for qid in named(100)
        ],
    )
    yield passed(text, 2, main_question=False)


@case(15, "100 questions without an answer, all refused")
def all_refused() -> Checks:
    text = scored(questions(100, answerable=False), [refused(qid) for qid in named(100)])
    yield passed(text, 2, main_question=True)
    yield from proofs(text)


@case(16, "two questions under 180 ids")
def two_texts() -> Checks:
    gold = [{**each, "question": f"Why {i % 2}?"} for i, each in enumerate(questions(180))]
    for words in ((), ("--confidence", "0.95")):
        text = scored(gold, [right(qid) for qid in named(180)], *words)
        yield from proofs(text, clusters=2)
        if words:
            last = verdict(text)
            yield Said(last, not last.startswith("SHIP"), "two questions prove nothing")


@case(17, "power of two questions under 180 ids")
def power_of_two() -> Checks:
    gold = [{**each, "question": f"Why {i % 2}?"} for i, each in enumerate(questions(180))]
    write("gold.jsonl", gold)
    write("trace.jsonl", [right(qid) for qid in named(180)])
    text = ragstone("power", *SCORE[1:])
    yield Said(text[:70], "LARGE ENOUGH" not in text, "there are two questions")


@case(18, "power of one question")
def power_of_one() -> Checks:
    write("gold.jsonl", questions(1))
    write("trace.jsonl", [right("Q0")])
    said = re.search(r"Two samples[^.]*(?:\.\d[^.]*)?\.", ragstone("power", *SCORE[1:]))
    sentence = said[0] if said else "nothing of how often samples disagree"
    yield Said(sentence, "0.0 %" not in sentence, "one question says nothing of that")


def waived(*words: str) -> str:
    Path("ragstone.toml").write_text(waivers(10))
    file = ("--config", "ragstone.toml", "--as-of", "2026-01-01")
    traces = [wrong(qid) if i < 10 else right(qid) for i, qid in enumerate(named(30))]
    write("gold.jsonl", questions(30))
    write("trace.jsonl", traces)
    return ragstone(*SCORE[:-1], *file, *words)


@case(19, "the ten failures of 30 are waived")
def ten_waived() -> Checks:
    text = waived()
    yield Said(verdict(text), "20/30" in text or "0.6667" in text, "20 of 30 are right")
    gates = [each.groups() for each in GATE.finditer(text)]
    proven = [name for name, *_, word in gates if word == "proven" and name in OF_ALL]
    yield Said(f"proven: {proven}", not proven, "what waivers leave proves nothing")


@case(20, "the same, with --confidence")
def ten_waived_surely() -> Checks:
    last = verdict(waived("--confidence", "0.95"))
    yield Said(last, not last.startswith("SHIP"), "what waivers leave proves nothing")


@case(21, "ten of 50 answers refuse in other words")
def other_words() -> Checks:
    traces = [
        {**refused(qid), "answer_json": {"claim": "I am sorry, I cannot comply.", "citations": []}}
        if i < 10
        else right(qid)
        for i, qid in enumerate(named(50))
    ]
    text = scored(questions(50), traces)
    hinted = "10 of 50 claims read like refusals" in text
    yield Said(
        verdict(text), hinted, "20 % of the answers are refusals, and the report must say so"
    )


@case(25, "200 repeats of one question")
def repeats() -> Checks:
    text = scored(questions(1), [right("Q0")] * 200, "--keep", "all")
    yield from proofs(text, clusters=1)
