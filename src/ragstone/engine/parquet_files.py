"""Parquet files: their rows as JSON in SQL, from the columns that are asked for and no others.

DuckDB reads them. What it says of a damaged file is a sentence about its own insides, with SQL and
sometimes a stack trace, so the reasons here are our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragstone.contracts.record_lines import record_lines
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck, identifier, listed, quoted
from ragstone.engine.parquet_columns import Wanted
from ragstone.errors import InputError, NoMemory
from ragstone.scratch import keep

_MARK = b"PAR1"
_FOOTER = "its list of columns cannot be read"
_INDEX = "file_index"
_DATA = "its rows cannot be read to the end"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a file: its name, its type as the engine says it, and the SQL of its value."""

    name: str
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class Columns:
    """What is read of a file: columns of its own, and those that its path spells, with their text.

    Files with equal `own` columns and the same names in their paths can be read by one statement.
    The type is part of that: the engine would turn a number of the second file into the text that
    the first one has. A file with a column `file_index` is `alone`: the engine has no other word
    for which file a row is of.
    """

    own: tuple[Column, ...]
    of_path: tuple[tuple[str, str], ...] = ()
    alone: bool = False

    def are_like(self, other: Columns) -> bool:
        if self.alone or other.alone:
            return False
        return self.own == other.own and self._path_names() == other._path_names()

    def _path_names(self) -> list[str]:
        return [name for name, _ in self.of_path]


def columns_of(duck: Duck, source: Source, wanted: Wanted | None = None) -> Columns:
    """The wanted columns of a Parquet file, or all of its own; an error if it is damaged."""
    _must_be_whole(source)
    scan = _scan([source])
    with _damage(source, _FOOTER):
        described = duck.query(f"describe select * from {scan}")
        kinds = {str(name): str(kind) for name, kind, *_ in described}
        _must_differ(duck, source)
        as_bytes = duck.query(f"describe select * from {_scan([source], texts=False)}")
    binary = {str(name) for name, kind, *_ in as_bytes if "BLOB" in str(kind)}
    read = {name: kind for name, kind in kinds.items() if wanted is None or wanted.reads(name)}
    with _damage(source, _DATA):
        own = tuple(
            Column(name, kind, _value(duck, scan, name, kind, name in binary))
            for name, kind in read.items()
        )
    # A column of the file is what its writer said of the row, and the engine knows no case.
    taken = {name.lower() for name in kinds}
    of_path = wanted.of_path(source.name) if wanted else {}
    spelled = tuple(pair for pair in of_path.items() if pair[0].lower() not in taken)
    return Columns(own, spelled, alone=_INDEX in taken)


def rows_sql(sources: Sequence[Source], columns: Sequence[Columns]) -> str:
    """The rows of files that are like each other, each as `json` with its `file_index`."""
    row = "to_json(cells)" if columns[0].own or columns[0].of_path else "'{}'::json"
    return f"(select {row} as json, {_INDEX} from {cells_sql(sources, columns)})"


def cells_sql(sources: Sequence[Source], columns: Sequence[Columns]) -> str:
    """The same rows, each as a struct of its `cells`; null if nothing is read of them."""
    values = [(column.name, column.value) for column in columns[0].own]
    index = _INDEX if len(sources) > 1 else "0"
    for place, (name, _) in enumerate(columns[0].of_path):
        texts = listed([each.of_path[place][1] for each in columns])
        values.append((name, f"{texts}[{index} + 1]"))
    packed = ", ".join(f"{identifier(name)} := {value}" for name, value in values)
    cells = f"struct_pack({packed})" if packed else "null"
    return f"(select {cells} as cells, {index} as {_INDEX} from {_scan(sources)})"


def as_jsonl(duck: Duck, source: Source, wanted: Wanted | None = None) -> Source:
    """A Parquet source as JSONL, a row on a line; any other source is left as it is."""
    if not source.parquet:
        return source
    columns = columns_of(duck, source, wanted)
    path = keep(duck.scratch, ())
    values = [f"{column.value} as {identifier(column.name)}" for column in columns.own]
    values += [f"{quoted(text)} as {identifier(name)}" for name, text in columns.of_path]
    with _damage(source, _DATA, path):
        if not values:
            count = duck.count(f"select count(*) from {_scan([source])}")
            return Source(source.name, keep(duck.scratch, (b"{}\n" for _ in range(count))))
        # Its own temporary file would stand beside the copy, which may have no name.
        how = "format json, use_tmp_file false"
        duck.run(
            f"copy (select {', '.join(values)} from {_scan([source])}) "
            f"to {quoted(str(path))} ({how})"
        )
    return Source(source.name, path)


def lines_or_rows(duck: Duck, source: Source, wanted: Wanted | None = None) -> Iterator[bytes]:
    """The lines of any source, or rows of a Parquet one: without a copy, for most read only few."""
    if not source.parquet:
        yield from wanted.lines_of(source) if wanted else record_lines(source)
        return
    rows = rows_sql([source], [columns_of(duck, source, wanted)])
    with _damage(source, _DATA):
        for (line,) in duck.stream(f"select json::varchar from {rows}"):
            yield str(line).encode()


def _scan(sources: Sequence[Source], *, texts: bool = True) -> str:
    # Some writers do not mark their text as text, and DuckDB would write 文 as \xE6\x96\x87.
    return (
        f"read_parquet({listed([str(source.path) for source in sources])}, "
        f"hive_partitioning = false, binary_as_string = {texts})"
    )


def _value(duck: Duck, scan: str, name: str, kind: str, binary: bool) -> str:
    """The SQL of a column's value, where it is not read as it is."""
    column = identifier(name)
    if kind in ("DOUBLE", "FLOAT"):
        # A NaN in a column of numbers is how data frames write "absent".
        return f"case when isnan({column}) then null else {column} end"
    if binary and not _is_text(duck, scan, column):
        # An object: a field of the contract refuses it, and nobody reads it in another place.
        return "{'not_utf8': true}"
    return column


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
def _damage(source: Source, reason: str, copy: Path | None = None) -> Iterator[None]:
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
        if copy and isinstance(error, duckdb.IOException) and f'"{copy}"' in str(error):
            # The copy cannot be written, which is no fault of the file.
            raise
        raise _damaged(source, reason) from error


def _damaged(source: Source, reason: str) -> InputError:
    return InputError(f"{source.name} is a damaged Parquet file: {reason}")
