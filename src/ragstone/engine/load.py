"""From files to a checked table: every line of an input verified against its contract."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ragstone.contracts.diagnose import diagnose, numbered
from ragstone.contracts.record import Field, FieldMap, Record, paths_of
from ragstone.contracts.sources import Source, open_bytes
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.engine.duck import Duck, identifier, listed, quoted
from ragstone.engine.suspect import (
    column_type,
    columns_sql,
    inside_of,
    lines_sql,
    objects_of,
    suspect_sql,
    verify_sql,
)
from ragstone.errors import ContractError, Diagnostic, InputError

# A longer line is measured by the second pass, which raises the limit; small buffers stay in cache.
_LINE_LIMIT = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Loading:
    """What to read and what to keep of it.

    `select` is the projection, in SQL with a closing comma, over the record's top-level fields,
    whose leaves are JSON;
    `extra` names top-level fields the projection needs beyond the contract's. The table also gets
    `source`, the index of the file a row came from; rows are in the order of the lines.
    """

    record: Record
    sources: tuple[Source, ...]
    table: str
    select: str
    mapping: FieldMap
    extra: tuple[str, ...] = ()


class _Suspect(Exception):
    """The fast pass saw something that only the second pass can judge."""


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
    return lines


def _load_group(duck: Duck, loading: Loading, sources: tuple[Source, ...], start: int) -> int:
    import duckdb

    try:
        return _fast(duck, loading, sources, start)
    except _Suspect:
        _must_be_good(duck, loading, sources)
        return _fast(duck, loading, sources, start, trusted=True)
    except (duckdb.InvalidInputException, duckdb.ConversionException, duckdb.IOException):
        # Either a line is bad, and the second look names it, or DuckDB cannot read what is good
        # (a byte-order mark, a line over the limit): then it gets the same lines, written plainly.
        plain, longest = _rewritten(duck, loading, sources)
        return _fast(duck, loading, plain, start, limit=2 * longest + _LINE_LIMIT, trusted=True)


def _fast(
    duck: Duck,
    loading: Loading,
    sources: tuple[Source, ...],
    start: int,
    limit: int = _LINE_LIMIT,
    trusted: bool = False,
) -> int:
    duck.run(f"delete from {loading.table} where source >= {start}")
    raw, scan = _scans(loading, sources, limit)
    lines, suspects, repeats = duck.one(verify_sql(loading.record, raw))
    if not trusted and (repeats or (suspects and not _all_strict(duck, loading.record, raw))):
        raise _Suspect
    flag = suspect_sql(loading.record) + (" or barred" if loading.mapping else "")
    if trusted:
        flag = "false"
    duck.run(
        f"insert into {loading.table} "
        f"select {loading.select} {start} + file_index as source, {flag} as suspect from {scan}"
    )
    found = duck.one(f"select bool_or(suspect) from {loading.table} where source >= {start}")
    if found[0]:
        raise _Suspect
    return int(str(lines))


def _scans(loading: Loading, sources: tuple[Source, ...], limit: int) -> tuple[str, str]:
    """The raw lines, and the same lines as columns."""
    files = listed([str(source.path) for source in sources])
    how = (
        f"format = 'newline_delimited', compression = {quoted(sources[0].compression)}, "
        f"maximum_object_size = {limit}"
    )
    raw = f"read_ndjson_objects({files}, {how})"
    if loading.mapping:
        return raw, _mapped(loading, raw)
    columns = columns_sql(loading.record, loading.extra)
    return raw, f"read_json({files}, columns = {columns}, {how})"


def _create(duck: Duck, loading: Loading) -> None:
    _, scan = _scans(loading, loading.sources[:1], _LINE_LIMIT)
    duck.run(
        f"create temp table {loading.table} as "
        f"select {loading.select} 0::bigint as source, false as suspect from {scan} limit 0"
    )


def _mapped(loading: Loading, raw: str) -> str:
    """The record's columns where some fields have another name."""
    columns = []
    for field in loading.record.fields:
        if len(field.path) == 1:
            columns.append(f"{_extract(field, loading.mapping)} as {identifier(field.name)}")
    for name in objects_of(loading.record):
        leaves = inside_of(loading.record, name)
        inside = (f"{identifier(f.leaf)} := {_extract(f, loading.mapping)}" for f in leaves)
        columns.append(f"struct_pack({', '.join(inside)}) as {identifier(name)}")
    known = {field.path[0] for field in loading.record.fields}
    columns += [
        f"json_extract(json, {_pointer((name,))}) as {identifier(name)}"
        for name in loading.extra
        if name not in known
    ]
    columns.append(f"{_barred(loading)} as barred")
    return f"(select {', '.join(columns)}, file_index from {raw})"


def _barred(loading: Loading) -> str:
    """Whether a line, or something on the way to a field, is not an object.

    A typed reader refuses that; taking a value out of it gives nothing, and would pass for absent.
    """
    above = {
        path[:depth]
        for field in loading.record.fields
        for path in paths_of(field, loading.mapping)
        for depth in range(1, len(path))
    }
    kinds = (f"coalesce(json_type(json, {_pointer(path)}), 'NULL')" for path in sorted(above))
    barred = "".join(f" or {kind} not in ('OBJECT', 'NULL')" for kind in kinds)
    return f"not starts_with(json, '{{'){barred}"


def _extract(field: Field, mapping: FieldMap) -> str:
    found = (
        f"nullif(json_extract(json, {_pointer(path)})::varchar, 'null')::json"
        for path in paths_of(field, mapping)
    )
    return f"coalesce({', '.join(found)})::{column_type(field.kind)}"


def _pointer(path: tuple[str, ...]) -> str:
    """A JSON pointer as a SQL literal: unlike a path, it takes any name."""
    return quoted("".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in path))


def _all_strict(duck: Duck, record: Record, raw: str) -> bool:
    """Whether the suspect lines are strict JSON after all: the second look at those alone."""
    for (line,) in duck.query(f"select json from ({lines_sql(record, raw)}) where suspect"):
        try:
            parse(str(line).encode())
        except NotJson:
            return False
    return True


def _must_be_good(duck: Duck, loading: Loading, sources: tuple[Source, ...]) -> None:
    """The second look at every line: raises with all that is wrong, or finds nothing."""
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
    """The same lines in files DuckDB can read, once each is known to be good."""
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
    import duckdb

    try:
        lines = duck.query(f"select coalesce(line, '') from {scan}")
    except duckdb.IOException as error:
        raise InputError(f"{source.name} is damaged: {error}") from None
    for (line,) in lines:
        yield str(line).encode("latin-1")


def as_jsonl(duck: Duck, source: Source) -> Source:
    """Parquet as JSONL: the same contract, reader and diagnostics serve both."""
    if not source.parquet:
        return source
    import duckdb

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
