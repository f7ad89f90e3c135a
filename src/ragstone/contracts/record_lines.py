"""The records of any file but Parquet as lines of JSON, with what its path says of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ragstone.contracts.diagnose import numbered
from ragstone.contracts.placed_lines import PlacedLine, element_of
from ragstone.contracts.record import FieldMap, Record
from ragstone.contracts.sources import Source, lines_of
from ragstone.contracts.strict_json import NotJson, parse

_NONE: Mapping[str, str] = {}


def record_lines(
    source: Source,
    record: Record | None = None,
    mapping: FieldMap = _NONE,
    columns: Mapping[str, str] = _NONE,
) -> Iterator[bytes]:
    """The lines of a source; rows of a table become JSON, with cells of the kinds of the record.

    Records that are tables by contract have a reader of their own, and get the lines as they are.
    """
    lines = lines_of(source)
    if record and record.tables:
        return lines
    if source.form in ("csv", "tsv"):
        from ragstone.contracts.csv_lines import csv_lines

        mark = "\t" if source.form == "tsv" else ","
        return csv_lines(source.name, lines, mark, record, mapping, columns)
    return _with_columns(lines, columns) if columns else lines


def _with_columns(lines: Iterator[bytes], columns: Mapping[str, str]) -> Iterator[bytes]:
    """Lines with what the path of their file says, each key that a line does not have itself."""
    for number, line in numbered(lines):
        text = line
        for key, value in columns.items():
            if not _has(line, key):
                text = _with_member(text, key, value)
        yield PlacedLine.of(text, number, element_of(line))


def _has(line: bytes, key: str) -> bool:
    """Whether a line has a key, or is none that could get one."""
    if not line.startswith(b"{"):
        return True
    # In another spelling it could be there too.
    if json.dumps(key, ensure_ascii=False).encode() not in line and b"\\u" not in line:
        return False
    try:
        value = parse(line, explain=False)
    except NotJson:
        return True
    return not isinstance(value, dict) or key in value


def _with_member(line: bytes, key: str, value: str) -> bytes:
    """The object with one more member, at its end, so that every character keeps its place."""
    inside = line.removesuffix(b"}").rstrip()
    # What is broken stays as it is, and is told so.
    if inside == line.rstrip() or inside.endswith((b",", b":")):
        return line
    comma = b"" if inside == b"{" else b", "
    member = f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
    return inside + comma + member.encode("utf-8", "surrogatepass") + b"}"
