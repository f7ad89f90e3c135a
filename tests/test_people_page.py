"""The table of forms in docs/people.md: each example is judged as the page says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ragstone.matching.expectations import Claim, parse

PAGE = Path(__file__).parents[1] / "docs" / "people.md"
_ROW = re.compile(
    r"^\| `(?P<form>\{.*\})` \| (?P<right>[^|]*) \| (?P<wrong>[^|]*) \|$", re.MULTILINE
)
EXAMPLES = [
    (row["form"], text, verdict)
    for row in _ROW.finditer(PAGE.read_text(encoding="utf-8"))
    for verdict in ("right", "wrong")
    for text in re.findall('"([^"]*)"', row[verdict])
]


def test_there_are_examples_of_every_form() -> None:
    assert {next(iter(json.loads(form))) for form, _, _ in EXAMPLES} >= {
        *("number", "date", "yesno", "any", "all", "regex", "text", "words", "name", "list")
    }


@pytest.mark.parametrize(("form", "claim", "verdict"), EXAMPLES)
def test_an_example_is_judged_as_the_page_says(form: str, claim: str, verdict: str) -> None:
    assert parse(json.loads(form)).match(Claim(claim)).ok == (verdict == "right")
