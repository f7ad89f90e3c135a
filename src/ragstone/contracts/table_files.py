"""The rows of a TSV, CSV, JSON or JSON Lines file, each with the line it begins on.

Every reader yields rows; what cannot be read is a `Diagnostic` in the same stream, so that
one pass finds everything that is wrong.
"""

from __future__ import annotations

import csv
import itertools
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ragstone.contracts import packed
from ragstone.contracts.diagnose import BOM, numbered
from ragstone.contracts.placed_lines import element_of, in_element
from ragstone.contracts.record import FieldMap, column_of, shown
from ragstone.contracts.strict_json import NotJson, decode, parse
from ragstone.errors import Diagnostic

Shape = Literal["json", "jsonl", "tsv", "csv", "run", "qrels", "beir", "empty", "unknown"]
TABLES = ("tsv", "csv", "json", "jsonl")

_BEIR = ["query-id", "corpus-id", "score"]
_TOO_LARGE = "more than 256 MB that must be read at once"


class Row(NamedTuple):
    """A row, and the line it begins on; in an array, the number of the element that it is."""

    line: int
    cells: dict[str, object]
    element: int = 0


@dataclass
class _Held:
    """How many bytes of the row that is being read are in memory: a quote may never be closed."""

    size: int = 0


def shape_of(first: bytes, key: str = "qid") -> Shape:
    """What a file is, seen from its first line that is not blank; `key` is a column it must have.

    >>> [shape_of(line) for line in (b'[', b'{"qid": 1}', b"qid\\tdoc_ids", b"qid,doc_ids", b"")]
    ['json', 'jsonl', 'tsv', 'csv', 'empty']
    >>> [shape_of(line) for line in (b"1 Q0 d 1 0.5 tag", b"1 0 d 1", b"query-id corpus-id score")]
    ['run', 'qrels', 'beir']
    """
    line = first.removeprefix(BOM).strip(b" \r\n")
    if not line:
        return "empty"
    if line.startswith(b"[") or line == b"{":
        return "json"
    if line.startswith(b"{"):
        return "jsonl"
    words = [word.decode("utf-8", "replace") for word in line.split()]
    if words == _BEIR:
        return "beir"
    for mark, kind in ((b"\t", "tsv"), (b",", "csv")):
        cells = [cell.strip(b' "') for cell in line.split(mark)]
        if key.encode() in cells and len(cells) > 1:
            return "tsv" if kind == "tsv" else "csv"
    return {4: "qrels", 6: "run"}.get(len(words), "unknown")  # type: ignore[return-value]


def shaped(lines: Iterable[bytes], mapping: FieldMap) -> tuple[Shape, Iterator[bytes]]:
    """The shape of a file, seen from its first line that is not blank, and all of its lines."""
    rest = iter(lines)
    first, blank = b"", 0
    for first in rest:
        if first.removeprefix(BOM).strip():
            break
        first, blank = b"", blank + 1
    # A file may begin with any number of blank lines, and those behind them keep their numbers.
    head = itertools.repeat(b"\n", blank)
    return shape_of(first, column_of("qid", mapping)), itertools.chain(
        head, [first] if first else [], rest
    )


def rows_of(name: str, shape: Shape, lines: Iterable[bytes]) -> Iterator[Row | Diagnostic]:
    """The rows of a file whose shape is known, with the lines they begin on."""
    if shape in ("tsv", "csv"):
        return delimited(name, lines, "\t" if shape == "tsv" else ",")
    if shape == "json":
        return _json(name, lines)
    return (_object(name, number, line) for number, line in numbered(lines))


def table_rows(name: str, lines: Iterable[bytes], mapping: FieldMap) -> Iterator[dict[str, object]]:
    """The rows of a table as dictionaries, as they are written; bad ones are passed over."""
    shape, all_lines = shaped(lines, mapping)
    for row in rows_of(name, shape, all_lines) if shape in TABLES else ():
        if not isinstance(row, Diagnostic):
            yield row.cells


def _object(name: str, number: int, text: bytes) -> Row | Diagnostic:
    try:
        value = parse(text)
    except NotJson as error:
        return Diagnostic(name, number, error.field, in_element(str(error), element_of(text)))
    return _row(name, number, value, element_of(text))


def _row(name: str, number: int, value: object, element: int = 0) -> Row | Diagnostic:
    if isinstance(value, dict):
        return Row(number, value, element)
    reason = f"expected an object, found {shown(value)}"
    return Diagnostic(name, number, "json", in_element(reason, element))


def _json(name: str, lines: Iterable[bytes]) -> Iterator[Row | Diagnostic]:
    """The one object of a file, which is read whole."""
    data = bytearray()
    for number, text_line in enumerate(lines, 1):
        data += text_line
        if len(data) > packed.LONGEST:
            yield Diagnostic(name, number, "json", f"{_TOO_LARGE}; write it as JSON Lines")
            return
    text = bytes(data).removeprefix(BOM)
    before = text[: len(text) - len(text.lstrip())]
    try:
        value = parse(text)
    except NotJson as error:
        line = text.decode("utf-8", "replace").count("\n", 0, error.at) + 1
        yield Diagnostic(name, line, error.field, str(error))
        return
    yield _row(name, before.count(b"\n") + 1, value)


def delimited(name: str, lines: Iterable[bytes], mark: str) -> Iterator[Row | Diagnostic]:
    """A header, then one record a row as pandas writes it; a cell may hold line breaks."""
    bad: list[Diagnostic] = []
    # The limit belongs to the whole process: it is lent, and given back.
    limit = csv.field_size_limit(sys.maxsize)
    try:
        held = _Held()
        reader = csv.reader(_decoded(name, lines, bad, held), delimiter=mark, strict=True)
        header: list[str] | None = None
        began = 1
        for cells in reader:
            held.size = 0
            yield from bad
            bad.clear()
            line, began = began, reader.line_num + 1
            if not cells or cells == [""]:
                continue
            if header is None:
                header = [cell.strip() for cell in cells]
                yield from _twice(name, line, header)
            elif len(cells) != len(header):
                reason = f"expected {len(header)} cells, found {len(cells)}"
                yield Diagnostic(name, line, "columns", reason)
            else:
                named = zip(header, cells, strict=True)
                yield Row(line, {key: cell or None for key, cell in named})
    except csv.Error as error:
        yield Diagnostic(name, began, "columns", _csv_reason(error))
    finally:
        csv.field_size_limit(limit)
    yield from bad


def _csv_reason(error: csv.Error) -> str:
    """Python's reason in our own words: its own differ between 3.11 and 3.13."""
    text = str(error)
    if text == _TOO_LARGE:
        return text
    if "unexpected end of data" in text:
        return "a quoted cell that begins in this row is never closed"
    if "expected after" in text:
        return "text after the closing quote of a cell"
    return "a carriage return in a cell without quotes"


def _twice(name: str, line: int, header: list[str]) -> Iterator[Diagnostic]:
    for position, column in enumerate(header):
        if column in header[:position]:
            yield Diagnostic(name, line, column, "the column stands in the header twice")


def _decoded(
    name: str, lines: Iterable[bytes], bad: list[Diagnostic], held: _Held
) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        held.size += len(line)
        if held.size > packed.LONGEST:
            raise csv.Error(_TOO_LARGE)
        text = line.removeprefix(BOM) if number == 1 else line
        if b"\0" in text:
            reason = f"byte {text.index(0) + 1} is zero: no text"
            bad.append(Diagnostic(name, number, "columns", reason))
        try:
            yield decode(text)
        except NotJson as error:
            bad.append(Diagnostic(name, number, "columns", str(error)))
            yield text.decode("utf-8", "replace")
