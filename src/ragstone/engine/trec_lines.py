"""TREC files as relations, read by the engine: qrels(qid, doc, grade) and run(qid, doc, score).

Most files have one space between columns, and those are read at the speed of a CSV. All others are
split at runs of blanks, which is slower by half; what neither can read is named line by line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

from ragstone.contracts.sources import Source
from ragstone.contracts.trec_problems import wrong_in_beir, wrong_in_qrels, wrong_in_run
from ragstone.engine.duck import Duck, quoted
from ragstone.engine.read_lines import lines_of
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
_EMPTY_COLUMNS = (b"  ", b"\t\t", b" \n", b" \r", b"\t\n", b"\t\r")
# What is read at a time: DuckDB's own four times as much leaves the cache before it is split.
_BUFFER = 8_000_000


@dataclass(frozen=True, slots=True)
class TrecFile:
    """A TREC file and the view that shows it."""

    source: Source
    kind: Kind
    view: str


def with_views(duck: Duck, files: tuple[TrecFile, ...], answer: Callable[[], T]) -> T:
    """The result of `answer`, which is called once every file has its view.

    The fastest reader that a file's beginning allows is tried first. If it fails, every line is
    checked in Python; a ContractError lists the bad ones, else the slower reader is used.
    """
    from ragstone.engine.native import duckdb

    try:
        _create(duck, files, {f.view: _reader_of(f) for f in files})
        return answer()
    except (duckdb.InvalidInputException, duckdb.ConversionException):
        must_be_good(duck, files)
    _create(duck, files, {f.view: _any_blanks for f in files})
    return answer()


def must_be_good(duck: Duck, files: tuple[TrecFile, ...], strict: bool = False) -> None:
    """Checks every line in Python, and raises with all that is wrong."""
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


def _reader_of(file: TrecFile) -> Callable[[TrecFile], str]:
    """The fastest reader that can read a file which begins like this one."""
    if file.source.compression != "none" or file.kind == "beir":
        return _any_blanks
    with file.source.path.open("rb") as opened:
        head = opened.read(1 << 16)
    spaces, tabs = b" " in head, b"\t" in head
    # A tag that is a number could pass for the score in a line whose columns have shifted.
    tag = head.split(b"\n", 1)[0].split()[5:6]
    # Where a column may be empty, a blank does not tell how many words there are.
    odd = any(blanks in head for blanks in _EMPTY_COLUMNS) or head.startswith(b"\xef\xbb\xbf")
    if spaces == tabs or odd or (tag and _is_number(tag[0])):
        return _any_blanks
    return partial(_separated, blank="\t" if tabs else " ")


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
