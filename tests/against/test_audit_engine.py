"""The audit of the engine and that of the plain oracle agree on logs that were made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from against import audit_oracle as oracle
from builders import write_jsonl
from command import ragstone

QUESTIONS = ("Who?", "who? ", "Why?", "How much?", "How many?", "When?", "Where?", "Which?")
WORDS = ("It is", "They made", "We saw", "Nobody has")
IDS = ("p1", "p2", "p3", "p4")
QUOTES = ("all null keys", "some null keys", "null keys", "ALL NULL KEYS")


def sentence(chance: Random) -> str:
    parts = [
        chance.choice(WORDS),
        *(str(chance.randrange(70, 90)) for _ in range(chance.choice((0, 1, 2)))),
    ]
    if chance.random() < 0.3:
        parts.append(f'and "{chance.choice(QUOTES)}" there')
    return " ".join(parts) + " ok."


def trace(chance: Random, number: int) -> dict[str, Any]:
    seen = chance.sample(IDS, chance.randrange(4))
    answer: dict[str, Any] = {"citations": chance.sample(IDS, chance.choice((0, 0, 1, 2)))}
    match chance.randrange(8):
        case 0:
            answer["claim"] = chance.choice((None, "", "  "))
        case 1 | 2:
            answer["claim"] = chance.choice(
                ("not in context", " Not in Context ", "So: not in context.")
            )
        case 3 | 4:
            answer["claims"] = [
                {"text": sentence(chance), "citations": chance.sample(IDS, chance.randrange(3))}
                for _ in range(chance.randrange(1, 4))
            ]
        case _:
            answer["claim"] = " ".join(sentence(chance) for _ in range(chance.randrange(1, 4)))
    row = {"trace_id": f"t{number}", "q": chance.choice(QUESTIONS), "retrieved_ids": seen}
    if chance.random() < 0.4:
        row["constraints"] = ["metric units"]
        answer["constraints_echo"] = chance.choice(([], ["metric units "], ["metric units", "x"]))
    return {**row, "answer_json": answer}


@pytest.mark.parametrize("seed", range(12))
def test_the_engine_agrees_with_the_plain_oracle(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    traces = [trace(chance, number) for number in range(chance.choice((1, 8, 60, 200)))]
    texts = {id: " ".join(sentence(chance) for _ in range(6)) for id in IDS[:3]}
    write_jsonl(tmp_path / "log.jsonl", traces)
    write_jsonl(tmp_path / "texts.jsonl", [{"id": id, "text": text} for id, text in texts.items()])
    words = ("--trace", "log.jsonl", "--texts", "texts.jsonl", "--json", "--no-config")
    words += ("--refusal", oracle.TOKEN)
    found = ragstone("audit", *words, cwd=tmp_path).json["metrics"]
    for name, (hits, size) in oracle.audit(traces, texts).items():
        assert found[name]["denominator"] == size, name
        if name == "uncited":
            expected = Fraction(hits) / size if size else Fraction(0)
            assert found[name]["value"] == pytest.approx(float(expected))
        else:
            assert found[name]["numerator"] == hits, name
