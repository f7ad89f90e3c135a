"""What exactly is wrong with this file: the slow pass that lists every bad line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragstone.contracts.record import FieldMap, Record, problems, shown
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import Diagnostic

BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, with their numbers; a byte-order mark is dropped.

    >>> list(numbered([b"\\xef\\xbb\\xbf{}\\n", b"\\n", b"[]"]))
    [(1, b'{}'), (3, b'[]')]
    """
    for number, line in enumerate(lines, 1):
        text = line.removeprefix(BOM) if number == 1 else line
        text = text.strip(_BLANK)
        if text:
            yield number, text


def diagnose(
    record: Record, name: str, lines: Iterable[bytes], mapping: FieldMap, unique: str | None = None
) -> Iterator[Diagnostic]:
    """Every broken rule of every line; `unique` names a field no two lines may share."""
    seen: dict[object, int] = {}
    for number, line in numbered(lines):
        if number == 1 and line.startswith(_UTF16):
            yield Diagnostic(name, 1, "json", "the file is UTF-16; save it as UTF-8")
            return
        try:
            value = parse(line)
        except NotJson as error:
            yield Diagnostic(name, number, "json", str(error))
            continue
        for field, reason in problems(record, value, mapping):
            yield Diagnostic(name, number, field, reason)
        if unique is not None and isinstance(value, dict):
            key = value.get(mapping.get(unique, unique), value.get(unique))
            if isinstance(key, str) and key:
                if key in seen:
                    yield Diagnostic(
                        name, number, unique, f"{shown(key)} was already given on line {seen[key]}"
                    )
                else:
                    seen[key] = number
