"""TREC files as relations, read by the engine: qrels(qid, doc, grade) and run(qid, doc, score).

Most files have one space between columns, and those are read at the speed of a CSV. All others are
split at runs of blanks, which is slower by half; what neither can read is named line by line.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from ragstone.contracts.sources import Source
from ragstone.contracts.trec import wrong_in_beir, wrong_in_qrels, wrong_in_run
from ragstone.engine.duck import Duck, quoted
from ragstone.engine.load import lines_of
from ragstone.errors import ContractError, Diagnostic

Kind = Literal["run", "qrels", "beir"]
T = TypeVar("T")

_COLUMNS: dict[Kind, tuple[str, ...]] = {
    "run": ("qid", "iter", "doc", "rank", "score", "tag"),
    "qrels": ("qid", "iter", "doc", "grade"),
    "beir": ("qid", "doc", "grade"),
}
# DuckDB would round 1.5 to 2 on the way to a whole number, so a grade is looked at first.
_GRADE = """case when regexp_full_match({}, '[+-]?[0-9]+') then {}::integer
    else error('not a grade') end as grade"""
# float32 has no number beyond this one: as in C, what is larger becomes an infinity.
_LARGEST = "3.4028235677973366e38"


@dataclass(frozen=True, slots=True)
class TrecFile:
    """A TREC file and the view that shows it."""

    source: Source
    kind: Kind
    view: str


def with_views(duck: Duck, files: tuple[TrecFile, ...], answer: Callable[[], T]) -> T:
    """What `answer` says once every file has its view, by the fastest readers that can be trusted.

    Raises a ContractError with every bad line if a file is not what it should be.
    """
    import duckdb

    readers = {f.view: _any_blanks if _is_odd(f) else _single_blanks for f in files}
    fast = [f for f in files if readers[f.view] is _single_blanks]
    odd: list[str] = []
    scans = [threading.Thread(target=_scan, args=(f.source.path, odd)) for f in fast]
    for scan in scans:
        scan.start()
    answered: list[T] = []
    try:
        _create(duck, files, readers)
        answered.append(answer())
    except (duckdb.InvalidInputException, duckdb.ConversionException):
        odd.append("refused")
    for scan in scans:
        scan.join()
    if answered and not odd:
        return answered[0]
    must_be_good(duck, files)
    _create(duck, files, {f.view: _any_blanks for f in files})
    return answer()


def must_be_good(duck: Duck, files: tuple[TrecFile, ...], strict: bool = False) -> None:
    """The second look at every line: raises with all that is wrong, or finds nothing."""
    bad: list[Diagnostic] = []
    for file in files:
        lines, name = lines_of(duck, file.source), file.source.name
        if file.kind == "run":
            bad += wrong_in_run(name, lines, strict)
        elif file.kind == "qrels":
            bad += wrong_in_qrels(name, lines)
        else:
            bad += wrong_in_beir(name, lines)
    if bad:
        raise ContractError(bad)


def _create(
    duck: Duck, files: tuple[TrecFile, ...], readers: Mapping[str, Callable[[TrecFile], str]]
) -> None:
    for file in files:
        duck.run(f"create or replace temp view {file.view} as {readers[file.view](file)}")


def _single_blanks(file: TrecFile) -> str:
    """Exactly one space between columns; any other line is an error."""
    columns = ", ".join(
        f"'{name}': '{'double' if name == 'score' else 'varchar'}'" for name in _COLUMNS[file.kind]
    )
    fourth = _COLUMNS[file.kind][3]
    value = "score" if file.kind == "run" else _GRADE.format("grade", "grade")
    return f"""
        select case when qid is null or doc is null or {fourth} is null
            then error('blank column') else qid end as qid, doc, {value}
        from read_csv({quoted(str(file.source.path))}, delim = ' ', header = false, quote = '',
            escape = '', auto_detect = false, columns = {{{columns}}})
    """


def _any_blanks(file: TrecFile) -> str:
    """Lines split at runs of blanks; a byte-order mark and blank lines are passed over."""
    columns = _COLUMNS[file.kind]
    at = {name: columns.index(name) + 1 for name in columns}
    if file.kind == "run":
        score = f"words[{at['score']}]::double"
        value = f"""case when abs({score}) < {_LARGEST} then {score}
            else {score} * 'inf'::double end as score"""
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


def _is_odd(file: TrecFile) -> bool:
    """Whether the fast reader need not be tried: seen from how the file begins."""
    if file.source.compression != "none" or file.kind == "beir":
        return True
    with file.source.path.open("rb") as opened:
        head = opened.read(1 << 16)
    return b"\t" in head or b"  " in head or head.startswith(b"\xef\xbb\xbf")


def _scan(path: Path, odd: list[str]) -> None:
    """Whether a tab stands anywhere: it could hide two columns in one."""
    block = bytearray(1 << 20)
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(block):
            if block.find(b"\t", 0, size) >= 0:
                odd.append("tab")
                return
