"""What `retrieval`, `agreement`, `stability` and `audit` say."""

from __future__ import annotations

import re

from saying.asking import Checks, Said, case, passed, ragstone, verdict
from saying.files import labels, log_lines, named, questions, retrieval_gold, right, write


@case(9, "two relevant ids each, one of them at rank 1")
def two_relevant() -> Checks:
    write("gold.jsonl", retrieval_gold(20, relevant=("d1", "d2")))
    write("log.jsonl", log_lines(20, ("d1", "d9", "d8")))
    text = ragstone("retrieval", "--gold", "gold.jsonl", "--log", "log.jsonl", "--no-config", "-v")
    line = re.search(r"[^.]*how many have a relevant id[^.]*\.?", text)
    yield Said(line[0][-120:] if line else "a share of the relevant ids", line is None, "all have")


@case(10, "ids of another shape than the sections that gold names")
def other_ids() -> Checks:
    write("gold.jsonl", retrieval_gold(10, relevant=("S.1.p.B0",), anchor_section="S.1"))
    write("log.jsonl", log_lines(10, ("S.1.p.B0",)))
    text = ragstone("retrieval", "--gold", "gold.jsonl", "--log", "log.jsonl", "--no-config", "-v")
    said = re.search(r"[^.]*missing from the index[^.]*\.", text)
    yield Said(said[0] if said else verdict(text), said is None, "the section is found every time")


@case(11, "ten tables, one of them found, no manifest")
def by_type() -> Checks:
    write("gold.jsonl", retrieval_gold(20, own=True))
    lines = log_lines(20, ("x",))
    for number, line in enumerate(lines):
        kind = "table" if number < 10 else "prose"
        hit = number == 0 or number >= 10
        line["topk"] = [{"id": f"d{number}" if hit else "x9", "type": kind if hit else "prose"}]
    write("log.jsonl", lines)
    text = ragstone("retrieval", "--gold", "gold.jsonl", "--log", "log.jsonl", "--no-config", "-v")
    said = re.search(r"\btable\b[^a-z]*1\.0000[^a-z]*", text)
    told = "the recall of the other types may be too high" in text
    yield Said(
        said[0] if said else "no recall of tables", told or not said, "1 of 10 tables is found"
    )


def agreed(n: int) -> Checks:
    write("a.jsonl", labels(n, "VALID"))
    text = ragstone("agreement", "--scholar", "a.jsonl", "--auditor", "a.jsonl", "--no-config")
    said = re.search(r"\(kappa\)[^()\n]*? (?<!not )proven", text)
    yield Said(verdict(text), said is None, "kappa was never tested: there is one label only")
    counted = re.search(r"all (\d+) gates pass", text)
    yield Said(
        verdict(text), counted is None, "a gate that could not be tested is not one that passes"
    )


@case(12, "40 pairs of labels, all the same")
def forty_alike() -> Checks:
    yield from agreed(40)


@case(13, "3 pairs of labels, all the same")
def three_alike() -> Checks:
    yield from agreed(3)


@case(22, "stability of 30 questions, each asked once")
def asked_once() -> Checks:
    write("gold.jsonl", questions(30))
    write(
        "runs.jsonl",
        [
            {**right(qid), "seed": 0, "jitter": "none", "run_id": f"{qid}#seed=0;j=none"}
            for qid in named(30)
        ],
    )
    words = ("stability", "score", "--gold", "gold.jsonl", "--runs", "runs.jsonl", "--no-config")
    yield passed(ragstone(*words), 0, main_question=False)


@case(23, "one table of 30 questions is missed")
def one_table() -> Checks:
    write("gold.jsonl", retrieval_gold(30, own=True))
    lines = log_lines(30, ("x",))
    for number, line in enumerate(lines):
        kind = "table" if number == 0 else "prose"
        line["topk"] = [{"id": f"d{number}" if number else "x9", "type": kind}]
    write("log.jsonl", lines)
    write(
        "manifest.jsonl",
        [
            {
                "id": f"d{n}",
                "section_id": f"S.{n}",
                "offsets": [0, 9],
                "type": "prose" if n else "table",
            }
            for n in range(30)
        ],
    )
    words = ("--log", "log.jsonl", "--manifest", "manifest.jsonl", "--no-config", "-v")
    text = ragstone("retrieval", "--gold", "gold.jsonl", *words)
    said = re.search(r"[^.]*(?:on the way into the index|flattened)[^.]*\.", text)
    yield Said(said[0] if said else verdict(text), said is None, "one row tells of no cause")


@case(24, "the same number in figures and in words")
def in_words() -> Checks:
    lines = [{**right(qid), "q": "How many?"} for qid in ("Q0", "Q1")]
    for line, claim in zip(lines, ("It is 5.", "It is five."), strict=True):
        line["answer_json"] = {"claim": claim, "citations": ["p1#2"]}
    write("trace.jsonl", lines)
    text = ragstone("audit", "--trace", "trace.jsonl", "--no-config", "-v")
    said = re.search(r"[^.]*(?:gets different answers|temperature)[^.]*\.", text)
    yield Said(said[0] if said else verdict(text), said is None, "both say five")
