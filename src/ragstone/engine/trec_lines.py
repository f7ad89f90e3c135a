"""TREC files as relations, read by the engine: qrels(qid, doc, grade) and run(qid, doc, score).

Most files have one space between columns, and those are read at the speed of a CSV. Others are
split at runs of blanks, which is slower by half. A CSV reader has its own idea of some bytes, such
as a lone carriage return: files with these, and what it cannot read, are split in Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

from ragstone.contracts.diagnose import BOM, numbered
from ragstone.contracts.packed import blocks_in
from ragstone.contracts.plain_numbers import REAL, whole_number
from ragstone.contracts.record import shown
from ragstone.contracts.sources import Source, lines_of
from ragstone.contracts.strict_json import NotJson, decode
from ragstone.engine.duck import Duck, quoted
from ragstone.errors import Diagnostic, Diagnostics, InputError

Kind = Literal["run", "qrels", "beir"]
T = TypeVar("T")

_COLUMNS: dict[Kind, tuple[str, ...]] = {
    "run": ("qid", "iter", "doc", "rank", "score", "tag"),
    "qrels": ("qid", "iter", "doc", "grade"),
    "beir": ("qid", "doc", "grade"),
}
_BLANKS = re.compile(r"[ \t]+")
# Infinities have a rank, and NaN has none.
_SCORE = re.compile(rf"{REAL}|[+-]?inf(?:inity)?", re.IGNORECASE)
_ODD = (b"\0", b"\1", b"\v", b"\f")
# DuckDB would round 1.5 to 2 on the way to a whole number, so a grade is looked at first.
_GRADE = """case when regexp_full_match({}, '[+-]?[0-9]+') then {}::integer
    else error('not a grade') end as grade"""
# float32 has no number beyond this one: as in C, what is larger becomes an infinity.
_AS_FLOAT32 = """case when abs({0}) < 3.4028235677973366e38 then {0}
    else {0} * 'inf'::double end as score"""
_EMPTY_COLUMNS = (b"  ", b"\t\t", b" \n", b" \r", b"\t\n", b"\t\r")
# What is read at a time: DuckDB's own four times as much leaves the cache before it is split.
_BUFFER = 8_000_000


@dataclass(frozen=True, slots=True)
class TrecFile:
    """A TREC file and the view that shows it."""

    source: Source
    kind: Kind
    view: str


def with_views(
    duck: Duck, files: tuple[TrecFile, ...], answer: Callable[[], T], check: Callable[[], None]
) -> T:
    """The result of `answer`, which is called once every file has its view.

    The fastest reader that a file's beginning allows is tried first. If it fails, `check` looks at
    every line in Python and raises if one is bad; else the lines are split in Python.
    """
    from ragstone.engine.native import duckdb

    with suppress(duckdb.InvalidInputException, duckdb.ConversionException):
        if not any(_is_odd(file.source) for file in files):
            _create(duck, files, _as_it_begins)
            return answer()
    check()
    try:
        _create(duck, files, partial(_rewritten, duck))
        return answer()
    except duckdb.Error as error:
        names, reason = ", ".join(f.source.name for f in files), str(error).partition("\n")[0]
        raise InputError(f"{names}: the engine cannot read it: {reason}") from None


def _is_odd(source: Source) -> bool:
    """Whether a CSV reader might take these bytes for something else than the contract does."""
    begun, cut = False, b""
    for block in blocks_in(source.path, source.compression):
        # A block may end between a carriage return and its line feed.
        text = cut + block
        cut = b"\r" if text.endswith(b"\r") else b""
        # One byte is found much faster than two.
        if b"\r" in text and text.count(b"\r") != text.count(b"\r\n") + len(cut):
            return True
        if BOM[:1] in text and BOM in (text if begun else text[len(BOM) :]):
            return True
        if any(byte in text for byte in _ODD):
            return True
        begun = True
    return bool(cut)


def _rewritten(duck: Duck, file: TrecFile) -> str:
    """The same lines as a file that the engine can read, and the statement that reads it."""
    path = duck.scratch / f"{file.view}.{len(list(duck.scratch.iterdir()))}.tsv"
    columns, longest = _COLUMNS[file.kind], 0
    with path.open("w", encoding="utf-8", newline="\n") as made:
        for place, (_, words) in enumerate(_good(file)):
            if file.kind == "beir" and place == 0:
                continue
            row = dict(zip(columns, words, strict=False))
            value = repr(float(row["score"])) if file.kind == "run" else str(int(row["grade"]))
            text = f"{row['qid']}\t{row['doc']}\t{value}\n"
            longest = max(longest, 4 * len(text))
            made.write(text)
    kind = "double" if file.kind == "run" else "integer"
    columns_read = f"{{'qid': 'varchar', 'doc': 'varchar', 'value': '{kind}'}}"
    return f"""
        select qid, doc, {_AS_FLOAT32.format("value") if file.kind == "run" else "value as grade"}
        from read_csv({quoted(str(path))}, delim = '\t', header = false, quote = '', escape = '',
            auto_detect = false, columns = {columns_read},
            max_line_size = {longest + _BUFFER}, buffer_size = {2 * (longest + _BUFFER)})
    """


def _good(file: TrecFile) -> Iterator[tuple[int, list[str]]]:
    lines = lines_of(file.source)
    for found in _split(file.source.name, lines, len(_COLUMNS[file.kind])):
        if not isinstance(found, Diagnostic):
            yield found


def must_be_good(files: tuple[TrecFile, ...], strict: bool = False) -> None:
    """Checks every line in Python, and raises with all that is wrong."""
    bad = Diagnostics()
    for file in files:
        try:
            for problem in _wrong(file, strict):
                bad.add(problem)
        except InputError as error:
            bad.take(error)
    bad.must_be_none()


def _wrong(file: TrecFile, strict: bool) -> Iterator[Diagnostic]:
    """Bad lines, and documents judged twice; under `strict`, those that a run ranks twice too."""
    is_run = file.kind == "run"
    field, expected, done = (
        ("score", "a number", "ranked") if is_run else ("grade", "a whole number", "judged")
    )
    name, columns = file.source.name, _COLUMNS[file.kind]
    seen: dict[tuple[str, str], int] = {}
    for place, found in enumerate(_split(name, lines_of(file.source), len(columns))):
        if isinstance(found, Diagnostic):
            yield found
            continue
        if file.kind == "beir" and place == 0:
            # The header.
            continue
        number, words = found
        row = dict(zip(columns, words, strict=False))
        qid, doc, value = row["qid"], row["doc"], row[field]
        if not (_is_score(value) if is_run else _is_grade(value)):
            reason = f"expected {expected}, found {shown(value)} (qid {shown(qid)})"
            yield Diagnostic(name, number, field, reason)
        first = seen.setdefault((qid, doc), number) if strict or not is_run else number
        if first != number:
            reason = f"{shown(doc)} was already {done} on line {first} (qid {shown(qid)})"
            yield Diagnostic(name, number, "doc", reason)


def _split(
    name: str, lines: Iterable[bytes], least: int
) -> Iterator[tuple[int, list[str]] | Diagnostic]:
    """The columns of every line that is not blank, or what is wrong with the line."""
    for number, line in numbered(lines):
        try:
            words = _BLANKS.split(decode(line))
        except NotJson as error:
            yield Diagnostic(name, number, "columns", str(error))
            continue
        if b"\0" in line:
            yield Diagnostic(name, number, "columns", f"byte {line.index(0) + 1} is zero: no text")
        elif b"\r" in line:
            # Some readers end a line here and others do not, so it could be one line or two.
            reason = "a carriage return in the middle of the line; lines end with \\n or \\r\\n"
            yield Diagnostic(name, number, "columns", reason)
        elif len(words) < least:
            reason = f"expected {least} columns, found {len(words)} (qid {shown(words[0])})"
            yield Diagnostic(name, number, "columns", reason)
        else:
            yield number, words


def _is_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_score(text: str) -> bool:
    return _SCORE.fullmatch(text) is not None


def _is_grade(text: str) -> bool:
    grade = whole_number(text)
    return grade is not None and -(2**31) <= grade < 2**31


def _create(duck: Duck, files: tuple[TrecFile, ...], reader: Callable[[TrecFile], str]) -> None:
    for file in files:
        duck.run(f"create or replace temp view {file.view} as {reader(file)}")


def _separated(file: TrecFile, blank: str) -> str:
    """Exactly one blank of one kind between columns; any other line is an error."""
    columns = ", ".join(
        f"'{name}': '{'double' if name == 'score' else 'varchar'}'" for name in _COLUMNS[file.kind]
    )
    fourth = _COLUMNS[file.kind][3]
    empty = f"qid is null or doc is null or {fourth} is null"
    if file.kind == "run":
        value = f"case when {empty} or score is null then error('empty') else score end as score"
    else:
        # The check must sit in a column that is used: what nobody reads is not computed.
        value = _GRADE.format(f"case when {empty} then '' else grade end", "grade")
    return f"""
        select qid, doc, {value}
        from read_csv({quoted(str(file.source.path))}, delim = '{blank}', header = false,
            quote = '', escape = '', auto_detect = false, columns = {{{columns}}},
            buffer_size = {_BUFFER})
    """


def _any_blanks(file: TrecFile) -> str:
    """Lines split at runs of blanks; a byte-order mark and blank lines are passed over."""
    columns = _COLUMNS[file.kind]
    at = {name: columns.index(name) + 1 for name in columns}
    if file.kind == "run":
        value = _AS_FLOAT32.format(f"words[{at['score']}]::double")
    else:
        value = _GRADE.format(f"words[{at['grade']}]", f"words[{at['grade']}]")
    head = "where words[1] <> 'query-id'" if file.kind == "beir" else ""
    return f"""
        select case when len(words) < {len(columns)} then error('too few columns')
            else words[{at["qid"]}] end as qid, words[{at["doc"]}] as doc, {value}
        from (
            select list_filter(
                string_split(translate(line, chr(9) || chr(13) || chr(65279), '  '), ' '),
                lambda word: word <> ''
            ) as words
            from read_csv({quoted(str(file.source.path))}, delim = chr(1), header = false,
                quote = '', escape = '', auto_detect = false, columns = {{'line': 'varchar'}},
                compression = {quoted(file.source.compression)})
            where len(words) > 0
        ) {head}
    """


def _as_it_begins(file: TrecFile) -> str:
    """Read in the fastest way that a file which begins like this one allows."""
    if file.source.compression != "none" or file.kind == "beir":
        return _any_blanks(file)
    with file.source.path.open("rb") as opened:
        head = opened.read(1 << 16)
    spaces, tabs = b" " in head, b"\t" in head
    # A tag that is a number could pass for the score in a line whose columns have shifted.
    tag = head.split(b"\n", 1)[0].split()[5:6]
    # Where a column may be empty, a blank does not tell how many words there are.
    odd = any(blanks in head for blanks in _EMPTY_COLUMNS) or head.startswith(b"\xef\xbb\xbf")
    if spaces == tabs or odd or (tag and _is_number(tag[0])):
        return _any_blanks(file)
    return _separated(file, "\t" if tabs else " ")
