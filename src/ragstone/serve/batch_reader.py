"""The records of a request, checked by their contracts: the good ones, and what is wrong."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from ragstone.contracts.diagnose import BLANKS, BOM, numbered
from ragstone.contracts.placed_lines import array_lines, element_of, in_element
from ragstone.contracts.records.live_record import as_trace, is_live, problems_of
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import ContractError, Diagnostic, InputError
from ragstone.serve.frames import Stored
from ragstone.serve.moments import moment_of

MOST_RECORDS = 10_000
# So many problems are described in an answer; the others are counted.
_DESCRIBED = 100
# To find out why a longer line is no JSON takes seconds, and others wait.
EXPLAINED = 1 << 20
_NAME = "request"
_BLANK = re.compile(b"[%b]*+" % BLANKS)
# So far the clock of a sender may be ahead: no record is from next week.
AHEAD = 5 * 60_000


class TooMany(InputError):
    """More records than a request may have."""


@dataclass(slots=True)
class Read:
    """What a request holds; `lines` are what windows read, one for each record."""

    records: list[Stored] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    refused: int = 0

    def refuse(self, wrong: Iterable[Diagnostic]) -> None:
        self.refused += 1
        self.problems += list(wrong)[: _DESCRIBED - len(self.problems)]

    def refuse_all(self, wrong: Iterable[Diagnostic]) -> None:
        """Refuses as many records as there are problems."""
        for each in wrong:
            self.refuse([each])


def read_records(body: bytes, arrived: int, key: str = "", allowed: Collection[str] = ()) -> Read:
    """The records of a body: one object, an array of objects, or one object a line."""
    found = Read()
    count = 0
    try:
        for count, (number, line) in enumerate(_records(body), 1):
            if count > MOST_RECORDS:
                raise TooMany(f"expected up to {MOST_RECORDS:,} records in a request")
            salt = key and f"{key}\0{count}\0"
            read_line(found, line, number, arrived, salt, allowed)
    except ContractError as error:
        # An array that is not one ends here: what follows its fault cannot be told apart.
        found.refuse(error.diagnostics)
    return found


def _records(body: bytes) -> Iterator[tuple[int, bytes]]:
    start = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start == b"[":
        return numbered(array_lines([body], _NAME))
    if start == b"{" and body.strip()[-1:] == b"}" and _is_one(body):
        # Between the tokens of JSON a line break is a blank; within them there is none.
        return numbered([body.replace(b"\r", b" ").replace(b"\n", b" ")])
    return _lines(body)


def _lines(body: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, as `numbered` gives them; the others cost nearly nothing."""
    number, counted = 1, 0
    at = len(BOM) if body.startswith(BOM) else 0
    while (blank := _BLANK.match(body, at)) and (at := blank.end()) < len(body):
        number += body.count(b"\n", counted, at)
        counted = at
        end = body.find(b"\n", at)
        end = len(body) if end < 0 else end
        yield number, body[at:end].rstrip(BLANKS)
        at = end


def _is_one(body: bytes) -> bool:
    """Whether an object is written over several lines: its first line alone is no object."""
    _, first = next(_lines(body))
    if b"\n" not in body or first.endswith(b"}"):
        return False
    try:
        parse(body, explain=False)
    except NotJson:
        return False
    return True


def read_line(
    found: Read,
    line: bytes,
    number: int,
    arrived: int,
    salt: str = "",
    allowed: Collection[str] = (),
) -> None:
    """Checks the record of one line; one without a time is of the moment that it arrived at."""
    element = element_of(line)
    line = line.strip(BLANKS)
    try:
        value = parse(line, explain=len(line) <= EXPLAINED)
    except NotJson as error:
        reason = in_element(str(error), element)
        found.refuse([Diagnostic(_NAME, number, error.field, reason)])
        return
    wrong = [
        Diagnostic(_NAME, number, which, in_element(reason, element))
        for which, reason in (*problems_of(value, allowed), *_wrong_moment(value, arrived))
    ]
    if wrong or not isinstance(value, dict):
        found.refuse(wrong)
        return
    text = line.decode("utf-8")
    live = is_live(value)
    moment = moment_of(value.get("ts"))
    found.records.append(
        Stored(
            id=sha256((salt + text).encode()).hexdigest(),
            kind="live" if live else "trace",
            moment=arrived if moment is None else moment,
            name=_name(value.get("trace_id")),
            qid=_name(value.get("qid") or value.get("q_id")),
            text=text,
        )
    )
    found.lines.append(window_line(value, text))


def window_line(value: dict[str, object], text: str) -> str:
    """A good record as windows read it: a trace on one line."""
    if not is_live(value):
        return text
    return as_line(as_trace(value))


def as_line(value: object) -> str:
    """A value that was read as JSON again; a number that no double can hold is null.

    >>> as_line({"n": float("inf")})
    '{"n": null}'
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if _is_endless(value) else value


def _wrong_moment(value: object, arrived: int) -> Iterator[tuple[str, str]]:
    """A time that cannot be: it would close every window that is open."""
    given = value.get("ts") if isinstance(value, dict) else None
    moment = moment_of(given)
    if moment is not None and moment > arrived + AHEAD:
        yield "ts", "expected a time that is not more than 5 minutes ahead of the server's clock"


def _name(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, int | float) and not _is_endless(value) else ""


def _is_endless(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
