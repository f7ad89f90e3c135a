"""The lines of files that keep their contract, and everything that is wrong with the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from ragstone.contracts.placed_lines import PlacedLine, element_of, in_element
from ragstone.contracts.record import Field, FieldMap, Record, look_up, problems, shown
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import Diagnostic, Diagnostics, InputError

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
# What older traces call their qid.
OLDER_KEYS = ("q_id",)
_SEVERAL_LINES = "a value over several lines; write one object a line (jq -c does)"


def is_of_file(reason: str) -> bool:
    """Whether a reason is about a file as a whole: it was found on the first line, and no other
    line is looked at."""
    return reason in (_SEVERAL_LINES, *(why for _, why in _WHOLE_FILE))


def numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, with their numbers; a byte-order mark is dropped.

    The number of a record that is no line is that of the line it begins on.

    >>> list(numbered([b"\\xef\\xbb\\xbf{}\\n", b"\\n", b"[]"]))
    [(1, b'{}'), (3, b'[]')]
    """
    for number, line in enumerate(lines, 1):
        if isinstance(line, PlacedLine):
            yield line.line, line
            continue
        text = line.removeprefix(BOM) if number == 1 else line
        text = text.strip(BLANKS)
        if text:
            yield number, text


@dataclass(frozen=True)
class Rules:
    """What spans several lines: `unique` is a field that no two of them may share.

    With `within`, no two that are equal in that field too. `says` is what is said of the second,
    `known` are the only qids that a line may have. `asked` has the qid of each question, for
    traces that name no qid.
    """

    unique: str = ""
    says: str = "was already given"
    known: Collection[str] | None = None
    asked: Mapping[str, str] = field(default_factory=dict)
    within: str = ""


NO_RULES = Rules()


def good_lines(
    record: Record,
    files: Iterable[tuple[str, Iterable[bytes]]],
    mapping: FieldMap,
    bad: Diagnostics,
    rules: Rules = NO_RULES,
) -> Iterator[tuple[str, int, dict[str, object]]]:
    """The lines that keep the contract, each with its file and number.

    What is wrong with the others is added to `bad`, line by line, also where it spans several.
    """
    given = list(files)
    seen: dict[tuple[str, str], tuple[str, int, int]] = {}
    for name, lines in given:
        try:
            for number, element, value in _values(name, lines, bad):
                wrong = list(problems(record, value, mapping))
                if rules.known is not None and not wrong:
                    wrong += unknown_qid(record, key_of(value, mapping), rules.known)
                key = key_of(value, mapping, rules.unique, rules.asked) if rules.unique else ""
                part = key_of(value, mapping, rules.within) if rules.within else ""
                place = (name, number, element)
                first = seen.setdefault((key, part), place) if key else place
                if first != place:
                    where = _spelled_place(*first, several=len(given) > 1)
                    wrong.append((rules.unique, f"{shown(key)} {rules.says} {where}"))
                for which, reason in wrong:
                    bad.add(Diagnostic(name, number, which, in_element(reason, element)))
                if not wrong and isinstance(value, dict):
                    yield name, number, value
        except InputError as error:
            bad.take(error)


def _spelled_place(file: str, line: int, element: int, *, several: bool) -> str:
    """Where a record is, in words."""
    if several:
        return in_element(f"on {file}:{line}", element)
    return f"in element {element:,}" if element else f"on line {line}"


def _values(
    name: str, lines: Iterable[bytes], bad: Diagnostics
) -> Iterator[tuple[int, int, object]]:
    """The values of the lines that are JSON, each with its line and its element."""
    begun = False
    for number, line in numbered(lines):
        element = element_of(line)
        if isinstance(line, PlacedLine) and line.fault:
            bad.add(Diagnostic(name, number, *line.fault))
            continue
        if not begun:
            begun = True
            found = (why for starts, why in _WHOLE_FILE if line.startswith(starts))
            reason = next(found, _SEVERAL_LINES if line in (b"{", b"[") else "")
            if reason:
                bad.add(Diagnostic(name, number, "json", reason))
                return
        try:
            value = parse(line, explain=not bad.counting)
        except NotJson as error:
            bad.add(Diagnostic(name, number, error.field, in_element(str(error), element)))
            continue
        yield number, element, value


def key_of(
    value: object, mapping: FieldMap, key: str = "qid", asked: Mapping[str, str] | None = None
) -> str:
    """What names the line: its qid, which older traces call q_id, or another key; "" if nothing.

    `asked` has the qid of each question, for traces that name none.
    """
    for name in (key, *(OLDER_KEYS if key == "qid" else ())):
        found = look_up(_key_field(name), value, mapping).value
        if isinstance(found, str) and found:
            return found
    question = look_up(_key_field("q"), value, mapping).value if asked else None
    return asked.get(question, "") if asked and isinstance(question, str) else ""


@cache
def _key_field(name: str) -> Field:
    return Field(name, "text", "")


def unknown_qid(record: Record, qid: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """The problem of a line whose qid the gold set does not have."""
    if not qid:
        yield "qid", f"the {record.name} names none"
    elif qid not in known:
        yield "qid", f"{shown(qid)} is not a question of the gold set"
