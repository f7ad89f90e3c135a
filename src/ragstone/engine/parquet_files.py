"""Parquet files, written out as JSONL: one reader, and its diagnostics, serve both.

DuckDB reads them. What it says of a damaged file is a sentence about its own insides, with SQL and
sometimes a stack trace, so the reasons here are our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck, identifier, quoted
from ragstone.errors import InputError, NoMemory
from ragstone.scratch import keep

_MARK = b"PAR1"
_FOOTER = "its list of columns cannot be read"
_DATA = "its rows cannot be read to the end"


def as_jsonl(duck: Duck, source: Source) -> Source:
    """A Parquet source as JSONL, a row on a line; any other source is left as it is."""
    if not source.parquet:
        return source
    _must_be_whole(source)
    path = keep(duck.scratch, ())
    # Some writers do not mark their text as text, and DuckDB would write 文 as \xE6\x96\x87.
    scan = (
        f"read_parquet({quoted(str(source.path))}, hive_partitioning = false, "
        "binary_as_string = true)"
    )
    with _damage(source, _FOOTER, path):
        columns = duck.query(f"describe select * from {scan}")
        kinds = {str(name): str(kind) for name, kind, *_ in columns}
        _must_differ(duck, source)
        as_bytes = duck.query(f"describe select * from {scan.replace('true', 'false')}")
    binary = [str(name) for name, kind, *_ in as_bytes if "BLOB" in str(kind)]
    with _damage(source, _DATA, path):
        replaced = dict(_changed(duck, scan, kinds, binary))
        fixed = ", ".join(f"{value} as {identifier(name)}" for name, value in replaced.items())
        swap = f" replace ({fixed})" if fixed else ""
        # Its own temporary file would stand beside the copy, which may have no name.
        how = "format json, use_tmp_file false"
        duck.run(f"copy (select *{swap} from {scan}) to {quoted(str(path))} ({how})")
    return Source(source.name, path)


def _changed(
    duck: Duck, scan: str, kinds: dict[str, str], binary: list[str]
) -> Iterator[tuple[str, str]]:
    """The columns that are not written as they are, each with the SQL of its value."""
    for name, kind in kinds.items():
        column = identifier(name)
        if kind in ("DOUBLE", "FLOAT"):
            # A NaN in a column of numbers is how data frames write "absent".
            yield name, f"case when isnan({column}) then null else {column} end"
        elif name in binary and not _is_text(duck, scan, column):
            # An object: a field of the contract refuses it, and nobody reads it in another place.
            yield name, "{'not_utf8': true}"


def _is_text(duck: Duck, scan: str, column: str) -> bool:
    """Whether all bytes of a column are UTF-8; pictures and vectors are not."""
    from ragstone.engine.native import duckdb

    try:
        duck.query(f"select max(strlen(to_json({column})::varchar)) from {scan}")
    except duckdb.InvalidInputException as error:
        if "UTF8" not in str(error):
            raise
        return False
    return True


def _must_be_whole(source: Source) -> None:
    """A file that was cut short is the most frequent damage, and is told at once."""
    with source.path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - len(_MARK)))
        end = file.read()
    if size < 12 or end != _MARK:
        raise _damaged(source, "it does not end as Parquet does; was it cut short?")


def _must_differ(duck: Duck, source: Source) -> None:
    """DuckDB takes `qid` and `QID` for one name, and would read the second as `QID_1`."""
    # The columns of a struct follow it, as many as it has.
    rows = duck.query(
        f"select name, coalesce(num_children, 0) from parquet_schema({quoted(str(source.path))})"
    )
    groups: list[tuple[dict[str, str], int]] = []
    for name, children in rows:
        while groups and len(groups[-1][0]) == groups[-1][1]:
            groups.pop()
        if groups:
            seen, own = groups[-1][0], str(name)
            if own.lower() in seen:
                raise InputError(
                    f"{source.name} has two columns that cannot be told apart, "
                    f"{seen[own.lower()]!r} and {own!r}; rename one of them"
                )
            seen[own.lower()] = own
        groups.append(({}, int(str(children))))


@contextmanager
def _damage(source: Source, reason: str, copy: Path) -> Iterator[None]:
    """Inside, an error of the engine is damage of the file."""
    from ragstone.engine.native import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise
    except NoMemory as error:
        raise InputError(
            f"{source.name} cannot be read: it asks for more memory than there is; it is a damaged "
            "Parquet file, or a very large one"
        ) from error
    except (duckdb.Error, UnicodeDecodeError) as error:
        if isinstance(error, duckdb.IOException) and f'"{copy}"' in str(error):
            # The copy cannot be written, which is no fault of the file.
            raise
        raise _damaged(source, reason) from error


def _damaged(source: Source, reason: str) -> InputError:
    return InputError(f"{source.name} is a damaged Parquet file: {reason}")
