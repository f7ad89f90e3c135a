"""Lists everything that is wrong with a TREC run or qrels, line by line, in Python."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from ragstone.contracts.diagnose import numbered
from ragstone.contracts.record import shown
from ragstone.errors import Diagnostic

RUN = ("qid", "Q0", "doc", "rank", "score", "tag")
QRELS = ("qid", "0", "doc", "grade")
_BLANKS = re.compile(r"[ \t\r]+")


def columns_of(
    name: str, lines: Iterable[bytes], least: int
) -> Iterator[tuple[int, list[str]] | Diagnostic]:
    """The columns of every line that is not blank, or what is wrong with the line."""
    for number, line in numbered(lines):
        try:
            words = _BLANKS.split(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            reason = f"byte {error.start + 1} (0x{line[error.start]:02x}) is not UTF-8"
            yield Diagnostic(name, number, "columns", reason)
            continue
        if len(words) < least:
            reason = f"expected {least} columns, found {len(words)} (qid {shown(words[0])})"
            yield Diagnostic(name, number, "columns", reason)
        else:
            yield number, words


def wrong_in_run(name: str, lines: Iterable[bytes], strict: bool) -> Iterator[Diagnostic]:
    """Lines that are no line of a run; under `strict`, documents that a ranking holds twice too."""
    seen: dict[tuple[str, str], int] = {}
    for found in columns_of(name, lines, len(RUN)):
        if isinstance(found, Diagnostic):
            yield found
            continue
        number, (qid, _, doc, _, score, *_) = found
        if not _is_score(score):
            reason = f"expected a number, found {shown(score)} (qid {shown(qid)})"
            yield Diagnostic(name, number, "score", reason)
        if strict:
            first = seen.setdefault((qid, doc), number)
            if first != number:
                reason = f"{shown(doc)} was already ranked on line {first} (qid {shown(qid)})"
                yield Diagnostic(name, number, "doc", reason)


def wrong_in_qrels(name: str, lines: Iterable[bytes]) -> Iterator[Diagnostic]:
    """Lines that are no judgment, and documents that are judged twice."""
    seen: dict[tuple[str, str], int] = {}
    for found in columns_of(name, lines, len(QRELS)):
        if isinstance(found, Diagnostic):
            yield found
            continue
        number, (qid, _, doc, grade, *_) = found
        yield from _wrong_judgment(name, number, (qid, doc, grade), seen)


def wrong_in_beir(name: str, lines: Iterable[bytes]) -> Iterator[Diagnostic]:
    """The same for BEIR's three columns under a header."""
    seen: dict[tuple[str, str], int] = {}
    for place, found in enumerate(columns_of(name, lines, 3)):
        if isinstance(found, Diagnostic):
            yield found
        elif place:
            number, (qid, doc, grade, *_) = found
            yield from _wrong_judgment(name, number, (qid, doc, grade), seen)


def _wrong_judgment(
    name: str, number: int, judgment: tuple[str, str, str], seen: dict[tuple[str, str], int]
) -> Iterator[Diagnostic]:
    qid, doc, grade = judgment
    if not _is_grade(grade):
        reason = f"expected a whole number, found {shown(grade)} (qid {shown(qid)})"
        yield Diagnostic(name, number, "grade", reason)
    first = seen.setdefault((qid, doc), number)
    if first != number:
        reason = f"{shown(doc)} was already judged on line {first} (qid {shown(qid)})"
        yield Diagnostic(name, number, "doc", reason)


def _is_score(text: str) -> bool:
    try:
        return not math.isnan(float(text)) and "_" not in text
    except ValueError:
        return False


def _is_grade(text: str) -> bool:
    return text.removeprefix("-").removeprefix("+").isdigit() and abs(int(text)) < 2**31
