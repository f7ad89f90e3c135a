"""The engine of one machine: a private in-memory DuckDB that spills to a scratch folder."""

from __future__ import annotations

import contextlib
import errno
import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat

from ragstone.errors import InputError, NoMemory
from ragstone.progress import PROGRESS, doing
from ragstone.scratch import make_folder, not_written, remove_folder

if TYPE_CHECKING:
    from ragstone.engine.native import duckdb

Row = tuple[object, ...]

# What one question takes of the address space, measured: 0.92 GB with 2 threads, 1.1 with 4, 1.4
# with 8. Below it DuckDB does not always raise an error: often it is a segmentation fault.
_ADDRESSES = 800 * 10**6
_ADDRESSES_OF_A_THREAD = 100 * 10**6
# Of a limit that the user gives, the part that the engine may count on.
_COUNTED = 0.9
# Under this, bounding the memory would only cost time.
_LEAST = 512 * 10**6
_SMALL = 16 * 10**6
# Under this, looking for what a statement says twice takes longer than computing it twice.
_FEW = 128 * 1024
# So many rows are in an Arrow batch.
_BATCH = 65_536
# Of more rows than these it is told how many have come.
_FETCHED = 20_000


def quoted(text: str) -> str:
    """A SQL string literal.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A SQL identifier, whatever characters the name holds."""
    return '"' + name.replace('"', '""') + '"'


def whole(value: object) -> int:
    """A cell of a row as an int; a cell of another type is a mistake in the query.

    >>> whole(2**70)
    1180591620717411303424
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise TypeError(f"expected a whole number from the engine, found {value!r}")


def real(value: object) -> float:
    """A cell of a row as a float: SQL gives 1.5 as a Decimal and sums of counts as an int."""
    if isinstance(value, int | float | SupportsFloat) and not isinstance(value, bool):
        return float(value)
    raise TypeError(f"expected a number from the engine, found {value!r}")


def text(value: object) -> str:
    """A cell of a row as a str."""
    if isinstance(value, str):
        return value
    raise TypeError(f"expected text from the engine, found {value!r}")


def _must_fit(threads: int) -> None:
    """Refuses to start where `ulimit -v` leaves less than the engine needs for anything at all."""
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    needed = _ADDRESSES + threads * _ADDRESSES_OF_A_THREAD
    if limit != resource.RLIM_INFINITY and limit < needed:
        raise InputError(
            f"this process is limited to {limit // 10**6:,} MB of memory (ulimit -v), and the "
            f"engine needs {needed // 10**6:,} MB with {threads} threads; raise the limit, or give "
            "fewer --threads"
        )


class Duck:
    """A connection, its scratch folder, and nothing shared with any other run.

    >>> with Duck() as duck:
    ...     duck.query("select 6 * 7")
    [(42,)]
    """

    def __init__(self, threads: int | None = None) -> None:
        from ragstone.engine.native import duckdb

        threads = threads or os.cpu_count() or 1
        _must_fit(threads)
        self.scratch = make_folder()
        # A report may keep the engine for as long as it lives; the folder goes with the last of it.
        self._cleanup = weakref.finalize(self, remove_folder, self.scratch)
        config: dict[str, str | bool | int | float | list[str]] = {
            "threads": threads,
            "temp_directory": str(self.scratch / "spill"),
            # Nothing is ever fetched: a missing extension is an error, not a download.
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            # A checkpoint rewrites every table, for a database that is thrown away at the end.
            "checkpoint_threshold": "1TB",
            # The order of rows is the order of lines: `last` and `first` depend on it.
            "preserve_insertion_order": True,
        }
        self._connection = duckdb.connect(":memory:", config=config)
        self._bounded = False
        self._without: list[str] = []
        # What the user allows, where a limit was given: it is never lifted.
        self._limit = 0
        self._filled: set[str] = set()
        # Definitions that no statement has needed yet (`define`).
        self._defined = ""
        # Whether a row of a table that is measured stands for several (`suites/condense.py`).
        self.condensed = False
        listened = PROGRESS.get() is not None
        self.define(f"set enable_progress_bar = {listened}")
        self.define("set enable_progress_bar_print = false")

    def share(self) -> float | None:
        """How much of the statement that runs is done, from 0 to 1; asked by another thread."""
        percent = self._connection.query_progress()
        return percent / 100 if percent > 0 else None

    def expect(self, size: int) -> None:
        """Bounds the memory by twice the size of the input in bytes; the rest is spilled to disk.

        The bound is never above DuckDB's own, which depends on the machine's memory. A statement
        that needs more than the bound is run again without it. A small input needs no bound, and
        less planning.
        """
        if size < _FEW:
            self._without = ["common_subexpressions"]
            self.define(f"set disabled_optimizers = '{self._without[0]}'")
        if size < _SMALL or self._limit:
            return
        bound = max(2 * size, _LEAST)
        if bound < self._allowed():
            self._connection.execute(f"set memory_limit = '{bound // 10**6} MB'")
            self._bounded = True

    def limit(self, memory: int, temp: Path | None = None) -> None:
        """Keeps to so many bytes; what does not fit is spilled to `temp`, or to scratch.

        A part is left for Python, and for what the engine does not count.
        """
        self._limit = memory
        self._connection.execute(f"set memory_limit = '{int(memory * _COUNTED) // 10**6} MB'")
        if temp is not None:
            self._spill = make_folder(temp)
            weakref.finalize(self, remove_folder, self._spill)
            self._connection.execute(f"set temp_directory = {quoted(str(self._spill))}")

    def _allowed(self) -> float:
        """The limit that DuckDB sets itself, in bytes; its own text is like `18.7 GiB`."""
        (limit,) = self.texts("select current_setting('memory_limit')")
        number, unit = limit.split()
        power = ("bytes", "KiB", "MiB", "GiB", "TiB").index(unit)
        return float(number) * 1024.0**power

    def define(self, sql: str) -> None:
        """A setting, a variable, a macro or an empty table, which runs with the next statement.

        A score of few questions has more of these than of anything else, and beside another
        statement they cost half as much. They replace what they define: it may happen twice.

        >>> with Duck() as duck:
        ...     duck.define("create or replace temp macro twice(number) as 2 * number")
        ...     duck.query("select twice(21)")
        [(42,)]
        """
        self._defined += f"{sql}\n;\n"

    def run(self, sql: str, parameters: Mapping[str, object] | None = None) -> None:
        self._execute(sql, parameters)

    def query(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        # Rows are computed while they are fetched, too.
        with self._telling():
            return self._fetched(self._execute(sql, parameters))

    def _fetched(self, result: duckdb.DuckDBPyConnection) -> list[Row]:
        """All rows; of many it is told how many there are so far."""
        rows = result.fetchmany(_FETCHED)
        if len(rows) == _FETCHED:
            with doing("", 0, "rows") as task:
                while some := result.fetchmany(_FETCHED):
                    rows += some
                    task.done = len(rows)
        return rows

    def stream(self, sql: str) -> Iterator[Row]:
        """The rows, some at a time: for answers that may be as large as the input."""
        result = self._execute(sql, None)
        while True:
            with self._telling():
                some = result.fetchmany(10_000)
            if not some:
                return
            yield from some

    def batches(self, sql: str) -> Iterator[Any]:
        """The rows as Arrow record batches, some at a time."""
        import duckdb  # noqa: F401

        with self._telling():
            # What was defined has to be there before a relation is bound.
            self._execute("select 1", None).fetchall()
            yield from self._connection.sql(sql).to_arrow_reader(_BATCH)

    def insert(self, table: str, select: str, batch: Any) -> None:
        """Adds what a statement selects from the Arrow table `batch`."""
        # The bare module cannot look into Arrow: the package teaches it.
        import duckdb  # noqa: F401

        self._connection.register("batch", batch)
        try:
            self.run(f"insert into {table} {select}")
        finally:
            self._connection.unregister("batch")

    @contextlib.contextmanager
    def setting(self, name: str, value: object, after: object) -> Iterator[None]:
        """Inside, a setting of the engine has this value; afterwards, that one."""
        self.define(f"set {name} = {value}")
        try:
            yield
        finally:
            self.define(f"set {name} = {after}")

    def ordering(self, kept: bool) -> contextlib.AbstractContextManager[None]:
        """Inside, rows are inserted in the order they are read in, or in whichever is quickest."""
        return self.setting("preserve_insertion_order", kept, True)

    def joining_as_written(self) -> contextlib.AbstractContextManager[None]:
        """Inside, a join holds its right side in memory, whichever the planner thinks smaller."""
        without = [*self._without, "build_side_probe_side", "join_order"]
        return self.setting(
            "disabled_optimizers", quoted(",".join(without)), quoted(",".join(self._without))
        )

    def dicts(
        self, sql: str, parameters: Mapping[str, object] | None = None
    ) -> list[dict[str, object]]:
        """The rows as dictionaries, keys in the order of the columns."""
        result = self._execute(sql, parameters)
        names = [column[0] for column in result.description or ()]
        return [dict(zip(names, row, strict=True)) for row in self._fetched(result)]

    def one(self, sql: str, parameters: Mapping[str, object] | None = None) -> Row:
        return self.query(sql, parameters)[0]

    def count(self, sql: str, parameters: Mapping[str, object] | None = None) -> int:
        """The first column of the first row, which must be a whole number.

        >>> with Duck() as duck:
        ...     duck.count("select count(*) from range(3)")
        3
        """
        return whole(self.one(sql, parameters)[0])

    def counts(self, sql: str, parameters: Mapping[str, object] | None = None) -> tuple[int, ...]:
        """Every column of the first row, all whole numbers."""
        return tuple(map(whole, self.one(sql, parameters)))

    def number(self, sql: str, parameters: Mapping[str, object] | None = None) -> float | None:
        """The first column of the first row as a float; None where SQL says null."""
        (value, *_) = self.one(sql, parameters)
        return None if value is None else real(value)

    def texts(self, sql: str, parameters: Mapping[str, object] | None = None) -> tuple[str, ...]:
        """The first column of every row, which must be text and not null."""
        return tuple(text(row[0]) for row in self.query(sql, parameters))

    def tally(self, where: str = "") -> str:
        """How many rows there are, as SQL; a row of condensed tables stands for `times` rows.

        >>> with Duck() as duck:
        ...     duck.tally("shipped")
        'count(*) filter (shipped)'
        """
        some = f" filter ({where})" if where else ""
        return f"coalesce(sum(times){some}, 0)::bigint" if self.condensed else f"count(*){some}"

    def total(self, number: str, where: str) -> str:
        """The sum of a whole number of each row, as SQL."""
        each = f"times * ({number})" if self.condensed else number
        return f"coalesce(sum({each}) filter ({where}), 0)"

    def questions(self, rows: str, key: str = "qid") -> int:
        """How many questions there are in `from ... where ...`, by what tells them apart."""
        if self.condensed:
            each = f"select distinct {key}, times {rows}"
            return self.count(f"select coalesce(sum(times), 0)::bigint from ({each})")
        return self.count(f"select count(distinct {key}) {rows}")

    def columns(self, table: str) -> tuple[str, ...]:
        """The names of a table's columns; asking the catalogue takes ten times as long."""
        result = self._execute(f"from {table} limit 0", None)
        return tuple(column[0] for column in result.description or ())

    def fill(self, table: str, select: str) -> None:
        """Makes the table of the rows of a query; called again, adds the rows of another."""
        head = f"insert into {table}" if table in self._filled else f"create temp table {table} as"
        self.run(f"{head}\n{select}")
        self._filled.add(table)

    def has(self, table: str) -> bool:
        """Whether `fill` has made the table."""
        return table in self._filled

    def rename(self, table: str, name: str) -> None:
        """Lets a table that `fill` has made be another one, in whose place it is."""
        self.run(f"drop table if exists {name}")
        self.run(f"alter table {table} rename to {name}")
        self._filled.remove(table)
        self._filled.add(name)

    def forget(self, table: str) -> None:
        """Removes a table that `fill` has made; the next `fill` makes it anew."""
        self._filled.remove(table)
        self.run(f"drop table {table}")

    def set(self, **variables: object) -> None:
        """Session variables, read in SQL with getvariable('name')."""
        for name, value in variables.items():
            if isinstance(value, str | int):
                self.define(
                    f"set variable {name} = {quoted(value) if isinstance(value, str) else value}"
                )
            else:
                self.run(f"set variable {name} = $value", {"value": value})

    def _execute(
        self, sql: str, parameters: Mapping[str, object] | None
    ) -> duckdb.DuckDBPyConnection:
        from ragstone.engine.native import duckdb

        given = dict(parameters) if parameters else None
        sql, self._defined = self._defined + sql, ""
        with self._telling():
            try:
                return self._connection.execute(sql, given)
            except duckdb.OutOfMemoryException:
                if not self._bounded:
                    raise
                self._connection.execute("reset memory_limit")
                self._bounded = False
                return self._connection.execute(sql, given)

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """Inside, a full disk, too little memory and a signal are told as what they are."""
        from ragstone.engine.native import duckdb

        try:
            yield
        except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
            if "no space left" in str(error).lower():
                full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                raise not_written(full) from error
            if isinstance(error, duckdb.OutOfMemoryException):
                if self._limit:
                    raise InputError(
                        f"{self._limit / 10**9:g} GB of memory are not enough for this input; give "
                        "more with --memory, or fewer --threads"
                    ) from error
                raise NoMemory from error
            raise
        except (duckdb.InterruptException, RuntimeError) as error:
            if "interrupted" in str(error).lower():
                # A signal in the middle of a statement reaches Python as an error of the statement.
                raise KeyboardInterrupt from None
            if "bad_cast" not in str(error):
                raise
            # What DuckDB says of half of a surrogate pair, which is how Python reads a word of the
            # command line that is not UTF-8.
            raise InputError("a name or text that was given is not UTF-8") from error

    def close(self) -> None:
        self._connection.close()
        self._cleanup()

    def __enter__(self) -> Duck:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def listed(texts: Sequence[str]) -> str:
    """A SQL list of string literals."""
    return "[" + ", ".join(quoted(text) for text in texts) + "]"
