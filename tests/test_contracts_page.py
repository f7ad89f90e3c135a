"""The page of contracts names every field of every record, with its type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragstone.contracts.kinds import KINDS
from ragstone.contracts.record import Field
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.trace_records import TRACE

PAGE = Path(__file__).parents[1] / "docs" / "contracts.md"
# The page's own words, where those of the diagnostics are longer.
TYPES = {
    **{name: kind.expected.removeprefix("a ").removeprefix("an ") for name, kind in KINDS.items()},
    "any": "any",
    "moment": "seconds, milliseconds or ISO-8601",
    "evidence": "list of strings, or object from id to grade",
    "groups": "list of lists of strings, none of them empty",
    "chunks": "list of objects with a string `id`",
    "claims": "list of objects with a string `text`",
}


def rows(title: str) -> list[list[str]]:
    """The cells of every table row under a heading of the second level."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]


@pytest.mark.parametrize(
    ("title", "field"),
    [("Gold", field) for field in GOLD.fields] + [("Trace", field) for field in TRACE.fields],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_field_is_on_the_page_with_its_type(title: str, field: Field):
    found = [row for row in rows(title) if field.name in re.findall(r"`([^`]+)`", row[0])]
    assert found, f"{field.name} is in no table"
    assert all(row[1].startswith(TYPES[field.kind]) for row in found)
    assert any("**required**" in row[2] for row in found) == field.required
