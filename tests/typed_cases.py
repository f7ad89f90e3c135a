"""Gold sets with typed answers, nuggets and must_not, and claims that nearly hold what they ask."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st
from strategies import CONSTRAINTS, QIDS, REFUSALS, SEEDS, SPACES, Case, Record, often, trace_line

FORMS: tuple[Any, ...] = (
    {"number": "1577.00", "unit": "USD million"},
    {"number": 1577},
    {"number": 0.087},
    {"number": "8.7", "unit": "%"},
    {"number": -12.5, "sign": False},
    {"number": 100, "rel": 0.05},
    {"any": ["Yes", "v2.1"]},
    {"any": ["straße"]},
    {"regex": "(?i)null keys?"},
    {"regex": "x*"},
    {"all": ["null keys", {"number": 30}]},
    {"all": [{"any": ["v2.1", {"number": 7}]}, {"regex": "[0-9]"}]},
    "n/a",
)
PHRASES = ("rejects null keys", "30 days", "null", "STRASSE")
WORDS = (
    *("1,577", "$1.577 billion", "$21,577", "(12.5)", "8.7 %", "0.087", "1.577", "102", "106"),
    *("yes", "Yes!", "v2.1", "v2.10", "Strasse", "STRASSE", "NULL KEYS", "null keyboard", "no"),
    *("30 days", "130 days", "30", "7", "n/a", "N/A", "rejects null keys", "12,5", "1.577,00"),
)


@st.composite
def typed_cases(draw: st.DrawFn) -> Case:
    """A gold set of which most items ask for something beyond phrases, and its traces."""
    plan = draw(
        st.lists(
            st.tuples(st.sampled_from(QIDS), SEEDS),
            min_size=1,
            max_size=4,
            unique_by=lambda question: question[0],
        )
    )
    items: list[Record] = []
    lines: list[Record] = []
    for qid, seed in plan:
        chance = Random(seed)
        items.append(_item(chance, qid))
        lines += [_line(chance, items[-1]) for _ in range(chance.choice((0, 1, 1, 1, 1, 2)))]
    return items, lines


def _item(chance: Random, qid: str) -> Record:
    item: Record = {"qid": qid, "answerable": often(chance, 0.8)}
    if often(chance, 0.4):
        item["gold_claim_substr"] = chance.sample(PHRASES, chance.randint(0, 2))
    if often(chance, 0.6):
        item["gold_answer"] = chance.choice((chance.choice(FORMS), _some(chance, 3), None, []))
    if often(chance, 0.5):
        item["nuggets"] = [_nugget(chance, number) for number in range(chance.randint(0, 3))]
    if often(chance, 0.4):
        item["must_not"] = chance.choice((_some(chance, 2), [chance.choice(PHRASES)], [], None))
    if often(chance, 0.2):
        item["constraints"] = [chance.choice(CONSTRAINTS)]
    return item


def _nugget(chance: Random, number: int) -> Record:
    form = chance.choice([form for form in FORMS if isinstance(form, dict)])
    vital: Record = chance.choice(({}, {"vital": True}, {"vital": False}, {"vital": None}))
    return {"id": f"n{number}", **form, **vital}


def _some(chance: Random, most: int) -> list[Any]:
    return chance.sample(FORMS, chance.randint(1, most))


def _line(chance: Random, item: Record) -> Record:
    line = trace_line(chance, item)
    answer: Record = line.get("answer_json") or {}
    said = " ".join(chance.sample(WORDS, chance.randint(1, 4)))
    claim = chance.choice((said, said, said, chance.choice(SPACES), chance.choice(REFUSALS), None))
    return {**line, "answer_json": {**answer, "claim": claim}}
