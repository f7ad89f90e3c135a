"""Pairs of an expectation and a claim, each with the verdict that a person would give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragstone.matching.expectations import Claim, parse

pytestmark = pytest.mark.python

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parent / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
]
FORMS = {"number", "date", "yesno", "any", "all", "regex"}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['expect']} {pair['claim']}")
def test_the_verdict_is_a_persons(pair):
    match = parse(pair["expect"]).match(Claim(pair["claim"]))
    assert match.ok is pair["ok"], match
    assert bool(match.spans) >= match.ok
    assert all(0 <= begin <= end <= len(pair["claim"]) for begin, end in match.spans)


def test_every_form_has_pairs_of_both_verdicts():
    assert len(PAIRS) >= 150
    seen = {
        (form, pair["ok"])
        for pair in PAIRS
        if isinstance(pair["expect"], dict)
        for form in FORMS & pair["expect"].keys()
    }
    assert seen == {(form, ok) for form in FORMS for ok in (True, False)}
