"""A page of every suite over inputs of a usual size, for the tests that open pages in a browser."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from command import ragstone
from recorded_history import gate, keep, metric, recording

Line = dict[str, Any]

SECTIONS = (
    "install_md",
    "install_md.from-source",
    "configuration_md",
    "configuration_md.environment-variables-and-secrets",
    "configuration_md.files",
    "billing_md",
    "billing_md.refunds",
    "limits_md",
)
TAGS = ("billing", "install", "accounts", "limits")
CONFIGS = ("k=3", "k=5", "k=5,rerank", "k=10", "k=10,rerank=cross-encoder-large", "k=20,rerank")
COMMANDS = {
    "answers-pass": "score --gold gold.jsonl --trace good.jsonl --by tags",
    "answers-fail": "score --gold gold.jsonl --trace bad.jsonl --by tags",
    "retrieval": "retrieval --gold asked.jsonl --log live.jsonl --manifest manifest.jsonl",
    "canary": "canary --gold asked.jsonl --live live.jsonl --shadow shadow.jsonl "
    "--manifest manifest.jsonl",
    "context-1": "context --results system00.jsonl --reference reference.jsonl "
    "--gates context_recall=0.6",
    "context-4": "context --results system00.jsonl system01.jsonl system02.jsonl system03.jsonl "
    "--reference reference.jsonl",
    "context-25": "context --results {systems} --reference reference.jsonl",
    "latency": "latency score --gold gold.jsonl --samples samples.jsonl",
    "agreement": "agreement --pairs pairs.jsonl",
    "stability": "stability score --gold gold.jsonl --runs runs.jsonl",
    "audit": "audit --trace bad.jsonl --sample-rate 0.5",
    "gate": "gate --config everything.toml",
}


def write_inputs(folder: Path, questions: int = 60) -> None:
    """Files for every command above, the same ones each time."""
    chance = random.Random(17)
    gold = [_gold(number) for number in range(questions)]
    _write(folder / "gold.jsonl", gold)
    _write(folder / "good.jsonl", [_trace(each, chance, 0.02) for each in gold])
    _write(folder / "bad.jsonl", [_trace(each, chance, 0.3) for each in gold])
    _write(folder / "asked.jsonl", [_asked(number) for number in range(questions)])
    _write(folder / "manifest.jsonl", [_chunk(number) for number in range(questions)])
    for name, worse in (("live", 0.1), ("shadow", 0.12)):
        _write(folder / f"{name}.jsonl", _log(questions, name, worse))
    _write(folder / "reference.jsonl", _reference(questions))
    for number in range(100):
        _write(folder / f"system{number:02}.jsonl", _ranked(questions, number))
    _write(folder / "samples.jsonl", _samples(gold))
    _write(folder / "pairs.jsonl", _pairs(questions))
    _write(folder / "runs.jsonl", _runs(gold[:20]))
    _write(folder / "few_gold.jsonl", gold[:20])
    (folder / "everything.toml").write_text(EVERYTHING, encoding="utf-8")


EVERYTHING = """
[paths]
gold = "gold.jsonl"
trace = ["good.jsonl"]
[answers]
by = ["tags"]
[retrieval]
gold = "asked.jsonl"
log = ["live.jsonl"]
manifest = "manifest.jsonl"
[context]
results = ["system00.jsonl"]
reference = "reference.jsonl"
[context.gates]
context_recall = 0.6
[latency]
samples = "samples.jsonl"
[agreement]
pairs = "pairs.jsonl"
[stability]
gold = "few_gold.jsonl"
runs = "runs.jsonl"
"""


def write_page(folder: Path, name: str) -> Path:
    """The HTML page of one of the commands, or of `compare` and `trend`, in the folder."""
    file = folder / f"{name}.html"
    if name == "trend":
        keep(list(_history()), folder / "ledger")
        words = ["trend", "--ledger", str(folder / "ledger")]
    elif name == "compare":
        for side, trace in (("old", "good"), ("new", "bad")):
            _run(folder, f"score --gold gold.jsonl --trace {trace}.jsonl -o {side}.parquet".split())
        words = ["compare", "old.parquet", "new.parquet"]
    else:
        # Any number of systems is a page; those of a test that needs no more have 25.
        kind, _, count = name.partition("-")
        words = COMMANDS[name if name in COMMANDS else f"{kind}-25"].split()
        if "{systems}" in words:
            at = words.index("{systems}")
            words[at : at + 1] = [f"system{number:02}.jsonl" for number in range(int(count))]
    _run(folder, [*words, "-o", str(file)])
    return file


PAGES = (*COMMANDS, "compare", "trend")


def _run(folder: Path, words: Sequence[str]) -> None:
    ran = ragstone(*words, "--quiet", cwd=folder)
    assert ran.code in (0, 1, 3), ran.err


def _write(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _gold(number: int) -> Line:
    answerable = number % 6 != 5
    line: Line = {
        "qid": f"Q{number:03}",
        "question": f"What is the limit of plan {number}?",
        "answerable": answerable,
        "tags": [TAGS[number % len(TAGS)]],
    }
    if answerable:
        line |= {"gold_claim_substr": [f"limit is {number} gigabytes"]}
        line |= {"gold_citations": [f"plans#{number}"]}
    return line


def _trace(gold: Line, chance: random.Random, wrong: float) -> Line:
    number = int(gold["qid"][1:])
    amount = number if chance.random() > wrong else number + 1
    cited = [f"plans#{number if chance.random() > wrong else number + 7}"]
    claim = f"The limit is {amount} gigabytes."
    if not gold["answerable"] and chance.random() > wrong:
        claim, cited = "not in context", []
    return {
        "qid": gold["qid"],
        "q": gold["question"],
        "retrieved_ids": [f"plans#{number}", *cited, f"plans#{number + 1}"],
        "answer_json": {"claim": claim, "citations": cited},
        "latency_ms": round(200 + 300 * chance.random(), 1),
        "cost_usd": 0.001,
    }


def _asked(number: int) -> Line:
    return {
        "qid": f"R{number:03}",
        "paraphrases": [f"What is the limit of plan {number}?", f"Plan {number}: which limit?"],
        "relevant": [f"plans#{number}"],
        "anchor_section": SECTIONS[number % len(SECTIONS)],
        "type": ("prose", "table", "code")[number % 3],
    }


def _chunk(number: int) -> Line:
    return {
        "id": f"plans#{number}",
        "section_id": SECTIONS[number % len(SECTIONS)],
        "offsets": [0, 40],
        "type": ("prose", "table", "code")[number % 3],
    }


def _log(questions: int, index: str, worse: float) -> list[Line]:
    chance, lines = random.Random(23), []
    for number in range(questions):
        # Questions that are lost in one log are not always those that are lost in the other.
        lost = chance.random() < worse
        for paraphrase in range(2):
            others = [f"plans#{(number + step) % questions}" for step in range(1, 6)]
            rank = chance.choice((0, 0, 0, 1, 2, 4))
            ids = others if lost else [*others[:rank], f"plans#{number}", *others[rank:]]
            near = 0.62 if lost else 0.25
            spread = [round(near + 0.05 * n + 0.2 * chance.random(), 3) for n in range(5)]
            lines.append(
                {
                    "qid": f"R{number:03}",
                    "query": _asked(number)["paraphrases"][paraphrase],
                    "paraphrase": paraphrase,
                    "seed": 0,
                    "topk": [
                        {"id": each, "score": 9.0 - n, "offsets": [0, 40]}
                        for n, each in enumerate(ids[:5])
                    ],
                    "ΔS": spread,
                    "index_hash": index,
                    "answer_citations": [{"id": ids[0], "offsets": [0, 40]}],
                }
            )
    return lines


def _reference(questions: int) -> list[Line]:
    return [
        {"qid": f"C{n:03}", "question": f"Plan {n}?", "document_ids": [f"d{n}", f"d{n}b"]}
        for n in range(questions)
    ]


def _ranked(questions: int, system: int) -> list[Line]:
    chance = random.Random(system)
    good = 0.35 + 0.6 * math.sin(system + 1) ** 2
    lines = []
    for number in range(questions - (system % 3)):
        wanted = [f"d{number}", f"d{number}b"]
        docs = [each for each in wanted if chance.random() < good]
        noise = [f"x{number}-{n}" for n in range(4)]
        lines.append(
            {
                "qid": f"C{number:03}",
                "question": f"Plan {number}?",
                "doc_ids": [*noise[: chance.randrange(3)], *docs, *noise[2:]],
                "system_name": f"system-{system:02}",
            }
        )
    return lines


def _samples(gold: Sequence[Line]) -> list[Line]:
    return [
        {
            **_trace(each, chance, max(0.0, 0.25 - 0.05 * place)),
            "config": config,
            "knobs": {"name": config},
            "rps": load,
            "planned": number / load,
            "latency_ms": round(slow * (0.6 + chance.expovariate(2.5)), 4),
            "stage_ms": {"retrieval": 20, "llm": round(slow * 0.7, 3)},
        }
        for place, config in enumerate(CONFIGS)
        for load in (1, 5)
        for chance in [random.Random(f"{config} {load}")]
        for slow in [180 * (1 + place) ** 0.9 * (1 + 0.1 * load)]
        for number, each in enumerate([*gold, *gold])
    ]


def _pairs(questions: int) -> list[Line]:
    labels = ("VALID", "NOT_IN_CONTEXT", "REJECT")
    chance = random.Random(5)
    lines = []
    for number in range(questions):
        first = chance.choice(labels)
        second = first if chance.random() < 0.8 else chance.choice(labels)
        lines.append(
            {
                "qid": f"P{number:03}",
                "scholar": {"label": first, "reason": "as the text has it"},
                "auditor": {"label": second, "reason": "as the rule has it"},
                "answer_json": {"claim": "said", "citations": ["d#1"]},
                "retrieved_ids": ["d#1"],
            }
        )
    return lines


def _runs(gold: Sequence[Line]) -> list[Line]:
    chance = random.Random(3)
    return [
        {
            **_trace(each, chance, 0.1 if jitter == "syn" else 0.01),
            "seed": seed,
            "jitter": jitter,
            "run_id": f"{each['qid']}#seed={seed};j={jitter}",
        }
        for each in gold
        for jitter in ("none", "ws", "punct", "syn")
        for seed in range(3)
    ]


def _history() -> Iterator[Any]:
    for day in range(24):
        value = round(0.86 + 0.04 * math.sin(day / 3) - 0.003 * day, 4)
        slow = 268.9414 + 3 * day
        yield recording(
            day,
            {"precision": gate(value), "p95": gate(slow, "<= 330", of="p95")},
            {"precision": metric(value), "p95": metric(slow, unit="ms", wide=20)},
        )
