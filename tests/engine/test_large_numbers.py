"""A number that no suite can add up is refused wherever a record has one, with line and field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from good_lines import GOOD

from ragstone.contracts.diagnose import good_lines
from ragstone.contracts.record import Field, Record
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import ContractError, Diagnostics
from ragstone.suites.registry import records

pytestmark = pytest.mark.python

DIGITS = "9" * 400
# The kinds with a number in them, each with a value of one number.
HOLDERS = {
    "number": "{}",
    "integer": "{}",
    "score": "{}",
    "moment": "{}",
    "numbers": "[{}]",
    "chunks": '[{{"id": "a", "score": {}}}]',
    "hits": '[{{"id": "a", "score": {}}}]',
    "span": "[0, {}]",
    "spans": '{{"a": [0, {}]}}',
}
FIELDS = [
    (record, field)
    for record in records().values()
    for field in record.fields
    # A sample always has a qid, so its `chunks`, which belong to lines without one, are not read.
    if field.kind in HOLDERS and not any(record.field(name).required for name in field.unless)
]
SUMMED = [(record, field) for record, field in FIELDS if field.kind in ("number", "numbers")]


def named(value: Any) -> str:
    return getattr(value, "name", str(value)[:12])


def line_of(record: Record, field: Field, number: str) -> str:
    """A line in which the field holds the number, and nothing else of the record is wrong."""
    good: dict[str, Any] = next(
        (dict(lines[0]) for one, lines, _ in GOOD if one is record), {"qid": "A"}
    )
    good = {key: value for key, value in good.items() if key not in field.unless}
    inside = good
    for name in field.path[:-1]:
        inside[name] = dict(inside.get(name) or {})
        inside = inside[name]
    inside[field.leaf] = "HERE"
    if field.beside:
        good[field.beside] = [{"id": "a"}]
    if field.leaf == "topk" or (field.beside and field.leaf != "ΔS"):
        good.pop("ΔS")
    if field.leaf == "relevant_offsets":
        good["relevant"] = ["a"]
    text = json.dumps(good, ensure_ascii=False)
    return text.replace('"HERE"', HOLDERS[field.kind].format(number))


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as opened:
        yield opened


def in_engine(duck: Duck, record: Record, path: Path) -> list[str]:
    duck.run("drop table if exists lines")
    try:
        load(duck, Loading(record, (Source("file", path),), "lines", "", {}))
    except ContractError as error:
        return [str(found) for found in error.diagnostics]
    return []


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize(("record", "field"), FIELDS, ids=named)
def test_a_number_of_400_digits_is_a_diagnostic(
    record: Record,
    field: Field,
    small: bool,
    duck: Duck,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not small:
        monkeypatch.setattr("ragstone.engine.read_lines._SMALL", 0)
    path = tmp_path / "lines.jsonl"
    path.write_text(f"{line_of(record, field, '5')}\n" * 9 + line_of(record, field, DIGITS))
    with path.open("rb") as file:
        bad = Diagnostics()
        assert len(list(good_lines(record, [("file", file)], {}, bad))) == 9
    with pytest.raises(ContractError) as refused:
        bad.must_be_none()
    (found,) = map(str, refused.value.diagnostics)
    assert found.startswith(f"file:10: {field.name}: expected ")
    assert in_engine(duck, record, path) == [found]


@pytest.mark.parametrize("number", ["1e16", "-1e16", "1e308", "1e999"])
@pytest.mark.parametrize(("record", "field"), SUMMED, ids=named)
def test_what_is_added_up_has_a_range(
    record: Record, field: Field, number: str, duck: Duck, tmp_path: Path
) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(line_of(record, field, number))
    (found,) = in_engine(duck, record, path)
    assert "1e15" in found or "of at least 0" in found


@pytest.mark.parametrize("number", ["1e15", "1E5", "0.1e1", "1e-400", "999999999999999.9"])
@pytest.mark.parametrize(("record", "field"), SUMMED, ids=named)
def test_what_is_in_range_is_taken(
    record: Record, field: Field, number: str, duck: Duck, tmp_path: Path
) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(line_of(record, field, number))
    assert in_engine(duck, record, path) == []
