"""Reads files into a table and checks every line against its contract.

Most lines of a large file are checked in SQL while they are read (`strict_lines`). The others, and
all lines of a small file, are checked in Python. Where either refuses a line, all lines are read
again by `contracts`, which names what is wrong; if that finds nothing, it is an error all the same.
The lines of a Parquet file are its rows, as JSON that the same statement makes of their columns.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from ragstone.contracts.diagnose import Rules, good_lines
from ragstone.contracts.placed_lines import PlacedLine
from ragstone.contracts.record import FieldMap, Record, problems
from ragstone.contracts.sources import Source, size_of
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.engine.duck import Duck
from ragstone.engine.line_columns import Tree, columns_sql, typed_sql, types_of
from ragstone.engine.line_files import LINE_LIMIT, JsonLines, Lines, ParquetRows, held_by
from ragstone.engine.parquet_columns import Wanted, wanted
from ragstone.engine.parquet_files import as_jsonl, columns_of
from ragstone.engine.translated_lines import translated_lines
from ragstone.errors import ContractError, Diagnostics, InputError, NoMemory
from ragstone.scratch import keep

if TYPE_CHECKING:
    from ragstone.engine.strict_lines import SqlCheck

# Up to this size, checking every line in Python is faster than preparing the check in SQL.
_SMALL = 128 * 1024


@dataclass(frozen=True, eq=False, repr=False)
class Loading:
    """What to read and what to keep of it.

    `select` is the projection, in SQL with a closing comma, over the record's top-level fields;
    `extra` names top-level fields the projection needs beyond the contract's, which are JSON. The
    table also gets `source`, the index of the file a row came from; rows are in the order of the
    lines if `ordered`. `rules` are looked at only where lines are bad, to list all at once: where
    none is, the table tells sooner.
    """

    record: Record
    sources: tuple[Source, ...]
    table: str
    select: str
    mapping: FieldMap
    extra: tuple[str, ...] = ()
    ordered: bool = True
    rules: Callable[[], Rules] = Rules

    @property
    def wanted(self) -> Wanted:
        """What is read of a Parquet file."""
        return wanted(self.record, self.mapping, self.extra)


class _Refused(Exception):
    """Some line is bad; which and why is found out by reading all of them again."""


def load(duck: Duck, loading: Loading) -> int:
    """Fills the table and returns the number of lines; ContractError lists every bad line."""
    try:
        if any(source.fault for source in loading.sources):
            raise _Refused
        return _fill(duck, loading)
    except (_Refused, ContractError):
        list_problems(duck, loading)


def list_problems(duck: Duck, loading: Loading) -> NoReturn:
    """Raises with everything that is wrong with any line; something must be, so all else is too."""
    bad = Diagnostics()
    files = [
        (source.name, _listed(duck, loading, source))
        for source in loading.sources
        if not source.made_of
    ]
    for source in loading.sources:
        files += translated_lines(duck, source, loading.wanted)
    for _ in good_lines(loading.record, files, loading.mapping, bad, loading.rules()):
        pass
    bad.must_be_none()
    raise InputError(
        f"{_names(loading.sources)}: a line was refused, and read again nothing is wrong with any; "
        "nothing was scored (did the file change?)"
    )


def _listed(duck: Duck, loading: Loading, source: Source) -> Iterator[bytes]:
    # The error of a source that cannot be read is raised where its first line is asked for.
    yield from loading.wanted.lines_of(as_jsonl(duck, source, loading.wanted))


def _unpacked(duck: Duck, loading: Loading, source: Source) -> Source:
    """The source as JSONL; if it cannot be made, that is its fault."""
    try:
        return as_jsonl(duck, source, loading.wanted)
    except InputError as error:
        return replace(source, parquet=False, fault=error)


def _fill(duck: Duck, loading: Loading) -> int:
    lines = start = 0
    for group in list(_groups(duck, loading)):
        lines += _load_rows(duck, loading, group, start)
        start += len(group.sources)
    duck.define(f"alter table {loading.table} drop column if exists unchecked")
    return lines


def _groups(duck: Duck, loading: Loading) -> Iterator[JsonLines | ParquetRows]:
    """The sources in their order, those that one statement can read together."""

    def packing(source: Source) -> tuple[bool, str]:
        return source.parquet, source.compression

    sources = [_in_lines(duck, loading, source) for source in loading.sources]
    for (parquet, _), group in itertools.groupby(sources, key=packing):
        if parquet:
            yield from _alike(duck, loading, group)
        else:
            yield JsonLines(tuple(group))


def _in_lines(duck: Duck, loading: Loading, source: Source) -> Source:
    """A copy of an array, of a table, or of lines that lack what their path says, as JSONL."""
    if source.parquet or (source.form == "lines" and not loading.wanted.of_path(source.name)):
        return source
    count = 0

    def lines() -> Iterator[bytes]:
        nonlocal count
        for line in loading.wanted.lines_of(source):
            if isinstance(line, PlacedLine) and line.fault:
                raise _Refused
            count += 1
            yield line + b"\n"

    path = keep(duck.scratch, lines())
    return Source(source.name, path, lines=count)


def _alike(duck: Duck, loading: Loading, sources: Iterable[Source]) -> Iterator[ParquetRows]:
    """Parquet files in their order, those beside each other that have the same columns together."""
    group = ParquetRows(duck, (), ())
    for source in sources:
        try:
            columns = columns_of(duck, source, loading.wanted)
        except InputError:
            raise _Refused from None
        if group.sources and not columns.are_like(group.columns[0]):
            yield group
            group = ParquetRows(duck, (), ())
        group = ParquetRows(duck, (*group.sources, source), (*group.columns, columns))
    yield group


def _load_rows(duck: Duck, loading: Loading, group: JsonLines | ParquetRows, start: int) -> int:
    if isinstance(group, JsonLines):
        return _load_lines(duck, loading, group, start)
    from ragstone.engine.native import duckdb

    try:
        return _load_group(duck, loading, group, start)
    except (duckdb.Error, NoMemory):
        # A file is damaged, or a value is none that its column can be made of. Written out as
        # JSONL, the damage is told as such, and all that is said of lines can be said of rows.
        plain = tuple(_unpacked(duck, loading, source) for source in group.sources)
        if any(source.fault for source in plain):
            raise _Refused from None
        return _load_lines(duck, loading, JsonLines(plain), start)


def _load_lines(duck: Duck, loading: Loading, lines: JsonLines, start: int) -> int:
    from ragstone.engine.native import duckdb

    try:
        return _load_group(duck, loading, lines, start)
    except (duckdb.InvalidInputException, duckdb.ConversionException, duckdb.IOException):
        # Either a line is bad, or DuckDB cannot read what is good (a byte-order mark, a line over
        # the limit): then it gets the same lines, written plainly.
        plain, counted = _rewritten(duck, loading, lines.sources)
        try:
            count = _insert(duck, loading, plain, start, None)
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
            names = _names(lines.sources)
            raise InputError(f"{names}: the engine cannot read it: {reason}") from None
        _must_be_all(lines, count, counted)
        return count


def _load_group(duck: Duck, loading: Loading, group: Lines, start: int) -> int:
    check = _check_in_sql(loading, group)
    counted = None
    if check is None:
        counted = sum(1 for _ in _must_be_good(loading, group.all()))
    lines = _insert(duck, loading, group, start, check)
    if check:
        rest = f"{loading.table} where unchecked is not null and source >= {start}"
        if duck.query(f"select 1 from {rest} and ({check.unread_in('unchecked')}) limit 1"):
            lines = _insert(duck, loading, group, start, check.reading_all())
        left = duck.stream(f"select unchecked from {rest}")
        for _ in _must_be_good(loading, (str(line).encode() for (line,) in left)):
            pass
    _must_be_all(group, lines, counted)
    return lines


def _must_be_all(group: Lines, lines: int, counted: int | None) -> None:
    """The engine has read as many lines as there are, where these have been counted too."""
    if counted is None:
        # A packed file is counted with its blank lines; those few that have some are read again.
        counted = sum(source.lines for source in group.sources)
        if not counted or counted == lines:
            return
        counted = sum(1 for _ in group.all())
    if counted != lines:
        raise InputError(
            f"{_names(group.sources)}: the engine reads {lines:,} lines where there are "
            f"{counted:,}; nothing was scored (did the file change?)"
        )


def _names(sources: Iterable[Source]) -> str:
    return ", ".join(source.name for source in sources)


def _must_be_good(loading: Loading, lines: Iterable[bytes]) -> Iterator[object]:
    """The value of each line, checked in Python."""
    for line in lines:
        try:
            value = parse(line, explain=False)
        except NotJson:
            raise _Refused from None
        for _ in problems(loading.record, value, loading.mapping):
            raise _Refused
        yield value


def _check_in_sql(loading: Loading, group: Lines) -> SqlCheck | None:
    """The check that most lines pass; None if all of them are better checked in Python."""
    if size_of(group.sources) <= _SMALL:
        return None
    # Imported here, because a small input is read without it.
    from ragstone.engine.strict_lines import learn_check

    seen = list(group.sample())
    check = learn_check(loading.record, loading.mapping, loading.extra, seen)
    if check is None or not isinstance(group, ParquetRows):
        return check
    from ragstone.engine.typed_rows import typed_check

    return typed_check(group.duck, loading.record, group.cells(), check) or check


def _insert(duck: Duck, loading: Loading, group: Lines, start: int, check: SqlCheck | None) -> int:
    """Adds the lines to the table, each that does not pass the check with its own text.

    What was read of these files before, and is not to be kept, goes.
    """
    if check and check.cells and isinstance(group, ParquetRows):
        scan = typed_sql(loading.record, loading.extra, group.cells(), check.cells, check.types)
        line = "to_json(line)::varchar"
    else:
        types = check.types if check else types_of(loading.record, loading.extra)
        scan = _scan(loading, group.sql(), types, check.lists if check else ())
        line = "line"
    unchecked = f"case when {check.condition} then null else {line} end" if check else "null"
    # The first files make the table: to make one without a row takes as long as to read a few.
    into = f"create or replace temp table {loading.table} as"
    if start:
        duck.run(f"delete from {loading.table} where source >= {start}")
        into = f"insert into {loading.table}"
    with duck.ordering(loading.ordered):
        return duck.count(
            f"{into} select {loading.select} ({start} + file_index)::bigint as source, "
            f"{unchecked}::varchar as unchecked from {scan}"
        )


def _scan(loading: Loading, raw: str, types: Tree, lists: Collection[str] = ()) -> str:
    if loading.mapping:
        # Most files have our own names.
        from ragstone.engine.mapped_columns import mapped_sql

        return mapped_sql(loading.record, loading.extra, raw, loading.mapping)
    return columns_sql(loading.record, loading.extra, raw, types, lists)


def _rewritten(duck: Duck, loading: Loading, sources: tuple[Source, ...]) -> tuple[JsonLines, int]:
    """The same lines in files that DuckDB can read, and how many there are."""
    longest = count = 0

    def lines(source: Source) -> Iterator[bytes]:
        nonlocal longest, count
        for value in _must_be_good(loading, held_by((source,))):
            text = json.dumps(value, ensure_ascii=False).encode()
            longest, count = max(longest, len(text)), count + 1
            yield text + b"\n"

    plain = [Source(source.name, keep(duck.scratch, lines(source))) for source in sources]
    return JsonLines(tuple(plain), 2 * longest + LINE_LIMIT), count
