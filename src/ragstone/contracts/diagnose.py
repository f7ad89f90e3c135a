"""Lists everything that is wrong with a file, line by line, in Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragstone.contracts.record import FieldMap, Record, look_up, problems, shown
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import Diagnostic

BOM = b"\xef\xbb\xbf"
# JSON knows the first four. DuckDB trims all six from a line, so they are trimmed here too.
BLANKS = b" \t\r\n\v\f"
# The start of a file that is not JSON Lines in UTF-8 at all → what to do about it.
_WHOLE_FILE = (
    ((b"\xff\xfe\0\0", b"\0\0\xfe\xff"), "the file is UTF-32; save it as UTF-8"),
    (
        (b"\xff\xfe", b"\xfe\xff", b"\0{", b"\0[", b"{\0", b"[\0"),
        "the file is UTF-16; save it as UTF-8",
    ),
)
_SEVERAL_LINES = "a value over several lines; write one object a line (jq -c does)"


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, with their numbers; a byte-order mark is dropped.

    >>> list(numbered([b"\\xef\\xbb\\xbf{}\\n", b"\\n", b"[]"]))
    [(1, b'{}'), (3, b'[]')]
    """
    for number, line in enumerate(lines, 1):
        text = line.removeprefix(BOM) if number == 1 else line
        text = text.strip(BLANKS)
        if text:
            yield number, text


def diagnose(
    record: Record, name: str, lines: Iterable[bytes], mapping: FieldMap, unique: str | None = None
) -> Iterator[Diagnostic]:
    """Every broken rule of every line; `unique` names a field no two lines may share."""
    seen: dict[object, int] = {}
    begun = False
    for number, line in numbered(lines):
        if not begun:
            begun = True
            found = (why for starts, why in _WHOLE_FILE if line.startswith(starts))
            reason = next(found, _SEVERAL_LINES if line in (b"{", b"[") else "")
            if reason:
                yield Diagnostic(name, number, "json", reason)
                return
        try:
            value = parse(line)
        except NotJson as error:
            yield Diagnostic(name, number, "json", str(error))
            continue
        for field, reason in problems(record, value, mapping):
            yield Diagnostic(name, number, field, reason)
        if unique is not None and isinstance(value, dict):
            key = look_up(record.field(unique), value, mapping)[1]
            if isinstance(key, str) and key:
                first = seen.setdefault(key, number)
                if first != number:
                    reason = f"{shown(key)} was already given on line {first}"
                    yield Diagnostic(name, number, unique, reason)
