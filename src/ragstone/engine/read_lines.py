"""Reads files into a table and checks every line against its contract.

Most lines of a large file are checked in SQL while they are read (`strict_lines`). The others, and
all lines of a small file, are checked in Python by `contracts`, which also names what is wrong.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

from ragstone.contracts.diagnose import BLANKS, BOM, diagnose, numbered
from ragstone.contracts.record import FieldMap, Record, problems
from ragstone.contracts.sources import Source, open_bytes, size_of
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.engine.duck import Duck, identifier, listed, quoted
from ragstone.engine.line_columns import Tree, columns_sql, mapped_sql, types_of
from ragstone.errors import ContractError, Diagnostic, InputError

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
    lines if `ordered`.
    """

    record: Record
    sources: tuple[Source, ...]
    table: str
    select: str
    mapping: FieldMap
    extra: tuple[str, ...] = ()
    ordered: bool = True


def load(duck: Duck, loading: Loading) -> int:
    """Fills the table and returns the number of lines; ContractError lists every bad line."""
    loading = replace(loading, sources=tuple(as_jsonl(duck, s) for s in loading.sources))
    bad: list[Diagnostic] = []
    lines = start = 0
    _create(duck, loading)
    for _, group in itertools.groupby(loading.sources, key=lambda source: source.compression):
        sources = tuple(group)
        try:
            lines += _load_group(duck, loading, sources, start)
        except ContractError as error:
            bad.extend(error.diagnostics)
        start += len(sources)
    if bad:
        raise ContractError(bad)
    duck.run(f"alter table {loading.table} drop column unchecked")
    return lines


def _load_group(duck: Duck, loading: Loading, sources: tuple[Source, ...], start: int) -> int:
    from ragstone.engine.native import duckdb

    try:
        check = _check_in_sql(duck, loading, sources)
        if check is None:
            _must_be_good(duck, loading, sources)
        lines = _insert(duck, loading, sources, start, check)
        if not _rest_is_good(duck, loading, start):
            _must_be_good(duck, loading, sources)
        return lines
    except (duckdb.InvalidInputException, duckdb.ConversionException, duckdb.IOException):
        # Either a line is bad, and the check in Python names it, or DuckDB cannot read what is good
        # (a byte-order mark, a line over the limit): then it gets the same lines, written plainly.
        plain, longest = _rewritten(duck, loading, sources)
        return _insert(duck, loading, plain, start, None, limit=2 * longest + _LINE_LIMIT)


def _check_in_sql(duck: Duck, loading: Loading, sources: tuple[Source, ...]) -> SqlCheck | None:
    """The check that most lines pass; None if all of them are better checked in Python."""
    if sources[0].compression == "none" and size_of(sources) <= _SMALL:
        return None
    # Imported here, because a small input is read without it.
    from ragstone.engine.strict_lines import learn_check

    seen = list(_sample(duck, sources))
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
    unchecked = f"case when {check.condition} then null else line end" if check else "null"
    with duck.ordering(loading.ordered):
        return duck.count(
            f"insert into {loading.table} select {loading.select} {start} + file_index as source, "
            f"{unchecked} as unchecked from {_scan(loading, _raw(sources, limit), types)}"
        )


def _raw(sources: tuple[Source, ...], limit: int) -> str:
    files = listed([str(source.path) for source in sources])
    return (
        f"read_ndjson_objects({files}, format = 'newline_delimited', "
        f"compression = {quoted(sources[0].compression)}, maximum_object_size = {limit})"
    )


def _scan(loading: Loading, raw: str, types: Tree) -> str:
    if loading.mapping:
        return mapped_sql(loading.record, loading.extra, raw, loading.mapping)
    return columns_sql(loading.record, loading.extra, raw, types)


def _sample(duck: Duck, sources: tuple[Source, ...]) -> Iterator[bytes]:
    """Some lines from all over the input."""
    if any(source.compression != "none" for source in sources):
        some = duck.query(f"select json from {_raw(sources, _LINE_LIMIT)} limit {_SAMPLE}")
        yield from (str(line).encode() for (line,) in some)
        return
    chosen = sources[:: -(-len(sources) // _PLACES)]
    for source in chosen:
        size = source.path.stat().st_size
        with source.path.open("rb") as file:
            for place in range(_PLACES):
                file.seek(place * size // _PLACES)
                if place:
                    file.readline(_LINE_LIMIT)
                yield from _some(file, _SAMPLE // _PLACES // len(chosen))


def _some(file: BinaryIO, lines: int) -> Iterator[bytes]:
    """The next few lines that are not blank, and not too many bytes of them."""
    left = _LINE_LIMIT // _PLACES
    for _ in range(lines):
        line = file.readline(_LINE_LIMIT)
        if line.strip(BLANKS):
            yield line.removeprefix(BOM).strip(BLANKS)
        left -= len(line)
        if left < 0:
            return


def _rest_is_good(duck: Duck, loading: Loading, start: int) -> bool:
    """Checks in Python the lines that did not pass the check in SQL."""
    rest = f"unchecked is not null and source >= {start}"
    for (line,) in duck.stream(f"select unchecked from {loading.table} where {rest}"):
        try:
            value = parse(str(line).encode())
        except NotJson:
            return False
        if any(problems(loading.record, value, loading.mapping)):
            return False
    return True


def _create(duck: Duck, loading: Loading) -> None:
    types = types_of(loading.record, loading.extra)
    scan = _scan(loading, _raw(loading.sources[:1], _LINE_LIMIT), types)
    duck.run(
        f"create temp table {loading.table} as select {loading.select} 0::bigint as source, "
        f"null::varchar as unchecked from {scan} limit 0"
    )


def _must_be_good(duck: Duck, loading: Loading, sources: tuple[Source, ...]) -> None:
    """Checks every line in Python, and raises with all that is wrong."""
    bad = [
        diagnostic
        for source in sources
        for diagnostic in diagnose(
            loading.record, source.name, lines_of(duck, source), loading.mapping
        )
    ]
    if bad:
        raise ContractError(bad)


def _rewritten(
    duck: Duck, loading: Loading, sources: tuple[Source, ...]
) -> tuple[tuple[Source, ...], int]:
    """The same lines in files that DuckDB can read; raises if one of them is bad."""
    _must_be_good(duck, loading, sources)
    plain = []
    longest = 0
    for number, source in enumerate(sources):
        path = duck.scratch / f"{loading.table}.{number}.plain.jsonl"
        with path.open("wb") as file:
            for _, line in numbered(lines_of(duck, source)):
                text = json.dumps(parse(line), ensure_ascii=False).encode()
                longest = max(longest, len(text))
                file.write(text + b"\n")
        plain.append(Source(source.name, path))
    return tuple(plain), longest


def lines_of(duck: Duck, source: Source) -> Iterator[bytes]:
    """The raw lines of a source, whatever it is packed in."""
    if source.compression != "zstd":
        with open_bytes(source) as file:
            yield from file
        return
    # Python has no zstd before 3.14 and DuckDB does; Latin-1 carries every byte through unchanged.
    scan = (
        f"read_csv({quoted(str(source.path))}, columns = {{'line': 'varchar'}}, "
        "compression = 'zstd', encoding = 'latin-1', delim = chr(1), quote = '', escape = '', "
        "header = false, auto_detect = false, strict_mode = false)"
    )
    from ragstone.engine.native import duckdb

    try:
        lines = duck.query(f"select coalesce(line, '') from {scan}")
    except duckdb.IOException as error:
        raise InputError(f"{source.name} is damaged: {error}") from None
    for (line,) in lines:
        yield str(line).encode("latin-1")


def as_jsonl(duck: Duck, source: Source) -> Source:
    """A Parquet file written out as JSONL, so that one reader and its diagnostics serve both."""
    if not source.parquet:
        return source
    from ragstone.engine.native import duckdb

    path = duck.scratch / f"{len(list(duck.scratch.iterdir()))}.parquet.jsonl"
    scan = f"read_parquet({quoted(str(source.path))}, hive_partitioning = false)"
    try:
        columns = duck.query(f"describe select * from {scan}")
    except (duckdb.InvalidInputException, duckdb.IOException) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"{source.name} is not a Parquet file, or a damaged one: {reason}"
        ) from None
    floats = [str(name) for name, kind, *_ in columns if kind in ("DOUBLE", "FLOAT")]
    # A NaN in a Parquet column of numbers is how data frames write "absent".
    fixed = ", ".join(
        f"case when isnan({identifier(name)}) then null else {identifier(name)} end "
        f"as {identifier(name)}"
        for name in floats
    )
    swap = f" replace ({fixed})" if fixed else ""
    duck.run(f"copy (select *{swap} from {scan}) to {quoted(str(path))} (format json)")
    return Source(source.name, path)
