"""Reads files into a table and checks every line against its contract.

Most lines of a large file are checked in SQL while they are read (`strict_lines`). The others, and
all lines of a small file, are checked in Python. Where either refuses a line, all lines are read
again by `contracts`, which names what is wrong; if that finds nothing, it is an error all the same.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from ragstone.contracts.diagnose import BLANKS, BOM, Rules, good_lines, numbered
from ragstone.contracts.record import FieldMap, Record, problems
from ragstone.contracts.sources import Source, lines_of, size_of
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.engine.duck import Duck, listed, quoted
from ragstone.engine.line_columns import Tree, columns_sql, mapped_sql, types_of
from ragstone.engine.parquet_files import as_jsonl
from ragstone.errors import ContractError, Diagnostics, InputError
from ragstone.scratch import keep

if TYPE_CHECKING:
    from ragstone.engine.strict_lines import SqlCheck

# DuckDB refuses a longer line; it is then measured in Python, and read with a larger limit. Small
# buffers stay in the cache.
_LINE_LIMIT = 2 * 1024 * 1024
# Up to this size, checking every line in Python is faster than preparing the check in SQL.
_SMALL = 128 * 1024
# From how many lines their shape is learned, and from how many places of the input.
_SAMPLE = 512
_PLACES = 8


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


class _Refused(Exception):
    """Some line is bad; which and why is found out by reading all of them again."""


def load(duck: Duck, loading: Loading) -> int:
    """Fills the table and returns the number of lines; ContractError lists every bad line."""
    loading = replace(loading, sources=tuple(_unpacked(duck, s) for s in loading.sources))
    try:
        if any(source.fault for source in loading.sources):
            raise _Refused
        return _fill(duck, loading)
    except (_Refused, ContractError):
        list_problems(duck, loading)


def list_problems(duck: Duck, loading: Loading) -> NoReturn:
    """Raises with everything that is wrong with any line; something must be, so all else is too."""
    bad = Diagnostics()
    sources = [_unpacked(duck, source) for source in loading.sources]
    files = [(source.name, lines_of(source)) for source in sources]
    for _ in good_lines(loading.record, files, loading.mapping, bad, loading.rules()):
        pass
    bad.must_be_none()
    raise InputError(
        f"{_names(sources)}: a line was refused, and read again nothing is wrong with any; "
        "nothing was scored (did the file change?)"
    )


def _unpacked(duck: Duck, source: Source) -> Source:
    """The source as JSONL; if it cannot be made, that is its fault."""
    try:
        return as_jsonl(duck, source)
    except InputError as error:
        return replace(source, parquet=False, fault=error)


def _fill(duck: Duck, loading: Loading) -> int:
    lines = start = 0
    _create(duck, loading)
    for _, group in itertools.groupby(loading.sources, key=lambda source: source.compression):
        sources = tuple(group)
        lines += _load_group(duck, loading, sources, start)
        start += len(sources)
    duck.run(f"alter table {loading.table} drop column unchecked")
    return lines


def _load_group(duck: Duck, loading: Loading, sources: tuple[Source, ...], start: int) -> int:
    from ragstone.engine.native import duckdb

    try:
        check = _check_in_sql(loading, sources)
        counted = None
        if check is None:
            counted = sum(1 for _ in _must_be_good(loading, _lines(sources)))
        lines = _insert(duck, loading, sources, start, check)
        rest = f"{loading.table} where unchecked is not null and source >= {start}"
        if check and duck.query(
            f"select 1 from {rest} and ({check.unread_in('unchecked')}) limit 1"
        ):
            duck.run(f"delete from {loading.table} where source >= {start}")
            lines = _insert(duck, loading, sources, start, check.reading_all())
        left = duck.stream(f"select unchecked from {rest}")
        for _ in _must_be_good(loading, (str(line).encode() for (line,) in left)):
            pass
    except (duckdb.InvalidInputException, duckdb.ConversionException, duckdb.IOException):
        # Either a line is bad, or DuckDB cannot read what is good (a byte-order mark, a line over
        # the limit): then it gets the same lines, written plainly.
        plain, counted, longest = _rewritten(duck, loading, sources)
        limit = 2 * longest + _LINE_LIMIT
        try:
            lines = _insert(duck, loading, plain, start, None, limit)
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
            raise InputError(f"{_names(sources)}: the engine cannot read it: {reason}") from None
    _must_be_all(sources, lines, counted)
    return lines


def _must_be_all(sources: tuple[Source, ...], lines: int, counted: int | None) -> None:
    """The engine has read as many lines as there are, where these have been counted too."""
    if counted is None:
        # A packed file is counted with its blank lines; those few that have some are read again.
        counted = sum(source.lines for source in sources)
        if not counted or counted == lines:
            return
        counted = sum(1 for _ in _lines(sources))
    if counted != lines:
        raise InputError(
            f"{_names(sources)}: the engine reads {lines:,} lines where there are {counted:,}; "
            "nothing was scored (did the file change?)"
        )


def _names(sources: Iterable[Source]) -> str:
    return ", ".join(source.name for source in sources)


def _lines(sources: Iterable[Source]) -> Iterator[bytes]:
    """The lines that hold something, as they are in the files."""
    for source in sources:
        for _, line in numbered(lines_of(source)):
            yield line


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


def _check_in_sql(loading: Loading, sources: tuple[Source, ...]) -> SqlCheck | None:
    """The check that most lines pass; None if all of them are better checked in Python."""
    if size_of(sources) <= _SMALL:
        return None
    # Imported here, because a small input is read without it.
    from ragstone.engine.strict_lines import learn_check

    seen = list(_sample(sources))
    return learn_check(loading.record, loading.mapping, loading.extra, seen)


def _insert(
    duck: Duck,
    loading: Loading,
    sources: tuple[Source, ...],
    start: int,
    check: SqlCheck | None,
    limit: int = _LINE_LIMIT,
) -> int:
    """Adds the lines to the table, each that does not pass the check with its own text."""
    types = check.types if check else types_of(loading.record, loading.extra)
    lists = check.lists if check else ()
    unchecked = f"case when {check.condition} then null else line end" if check else "null"
    with duck.ordering(loading.ordered):
        return duck.count(
            f"insert into {loading.table} select {loading.select} {start} + file_index as source, "
            f"{unchecked} as unchecked from {_scan(loading, _raw(sources, limit), types, lists)}"
        )


def _raw(sources: tuple[Source, ...], limit: int) -> str:
    files = listed([str(source.path) for source in sources])
    return (
        f"read_ndjson_objects({files}, format = 'newline_delimited', "
        f"compression = {quoted(sources[0].compression)}, maximum_object_size = {limit})"
    )


def _scan(loading: Loading, raw: str, types: Tree, lists: Collection[str] = ()) -> str:
    if loading.mapping:
        return mapped_sql(loading.record, loading.extra, raw, loading.mapping)
    return columns_sql(loading.record, loading.extra, raw, types, lists)


def _sample(sources: tuple[Source, ...]) -> Iterator[bytes]:
    """Some lines from all over the input; of a packed one, from its beginning."""
    if sources[0].compression != "none":
        yield from _some(_lines(sources), _SAMPLE)
        return
    chosen = sources[:: -(-len(sources) // _PLACES)]
    for source in chosen:
        size = source.path.stat().st_size
        with source.path.open("rb") as file:
            for place in range(_PLACES):
                file.seek(place * size // _PLACES)
                if place:
                    file.readline(_LINE_LIMIT)
                lines = iter(lambda: file.readline(_LINE_LIMIT), b"")
                yield from _some(lines, _SAMPLE // _PLACES // len(chosen))


def _some(lines: Iterator[bytes], count: int) -> Iterator[bytes]:
    """The next few lines that are not blank, and not too many bytes of them."""
    left = _LINE_LIMIT // _PLACES
    for line in itertools.islice(lines, count):
        if line.strip(BLANKS):
            yield line.removeprefix(BOM).strip(BLANKS)
        left -= len(line)
        if left < 0:
            return


def _create(duck: Duck, loading: Loading) -> None:
    types = types_of(loading.record, loading.extra)
    scan = _scan(loading, _raw(loading.sources[:1], _LINE_LIMIT), types)
    duck.run(
        f"create temp table {loading.table} as select {loading.select} 0::bigint as source, "
        f"null::varchar as unchecked from {scan} limit 0"
    )


def _rewritten(
    duck: Duck, loading: Loading, sources: tuple[Source, ...]
) -> tuple[tuple[Source, ...], int, int]:
    """The same lines in files that DuckDB can read, how many there are, and the longest of them."""
    longest = count = 0

    def lines(source: Source) -> Iterator[bytes]:
        nonlocal longest, count
        for value in _must_be_good(loading, _lines((source,))):
            text = json.dumps(value, ensure_ascii=False).encode()
            longest, count = max(longest, len(text)), count + 1
            yield text + b"\n"

    plain = [Source(source.name, keep(duck.scratch, lines(source))) for source in sources]
    return tuple(plain), count, longest
