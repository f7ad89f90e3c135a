"""What an executor has to know of a run, and how tables travel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ragstone.contracts.diagnose import Rules
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck, identifier, quoted
from ragstone.engine.read_lines import load
from ragstone.scratch import keep
from ragstone.spark.rows_out import RowsOut
from ragstone.suites.declaration import Arm, Input, O, Work
from ragstone.suites.gathered import Listing
from ragstone.suites.inputs import loading_of, tables_of
from ragstone.suites.options import Options
from ragstone.suites.registry import find_suite
from ragstone.suites.same_question import SAME_QUESTIONS
from ragstone.suites.surveys import Across, OnSpark, Survey

Columns = tuple[tuple[str, str], ...]
"""The names of columns, each with its type in DuckDB."""

# Where a line stands: the place of its file among those of its table, the start of the part of the
# file that it was read in, and its place there.
PLACE: Columns = (("file", "INTEGER"), ("block", "BIGINT"), ("place", "BIGINT"))
# The column of what a line knows of others.
AGAIN = "again"


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is filled on executors: its name, the input's, and its columns.

    Lines of one that `may_ask` may name a question in the place of a qid (the older shape); those
    of one with a name have a column `name`, by which they are scored, and `again`, what they know
    of others.
    """

    name: str
    given: str
    columns: Columns
    may_ask: bool = False
    has_name: bool = False

    @property
    def travels_in(self) -> Columns:
        """The columns in which its lines travel, with their places."""
        own = (each for each in self.columns if each[0] not in ("source", AGAIN))
        return (*PLACE, *((name, travelling(kind)) for name, kind in own))

    @property
    def key(self) -> str:
        """By what its lines meet; those that name nothing are spread evenly."""
        names = ["qid"]
        if self.has_name:
            names = ["name"]
        elif self.may_ask:
            names = ["qid", "asked"]
        return f"coalesce({', '.join(names)}, concat(file, ':', block, ':', place))"


@dataclass(frozen=True, slots=True)
class Whole:
    """A table that every executor gets as it is: its columns, and its rows as Parquet."""

    columns: Columns
    rows: bytes


@dataclass(frozen=True, slots=True)
class Job:
    """A run, as it travels to the executors.

    `buckets` has a number for each part that is scored, by which Spark brings its rows together.
    `older` says that there are lines of the older shape, which meet the items they ask for first.
    `notes` are what the driver has noted; of the suite's surveys that of the number `survey` is
    made, and where it is None the questions are scored. `before` has how many lines end before a
    split, where lines are called by their number. `rows_out` says where rows are written, in the
    place of what else would be kept of a part; `listing` how all questions of the arm that is
    `shown` are listed, where they are. Of lines that are `only_checked` nothing is kept.
    """

    suite: str
    options: Options
    sources: Mapping[str, tuple[Source, ...]]
    arms: tuple[Arm, ...]
    tables: tuple[Table, ...]
    whole: Mapping[str, Whole] = field(default_factory=dict)
    buckets: tuple[int, ...] = (0,)
    older: bool = False
    notes: Mapping[str, Any] = field(default_factory=dict)
    survey: int | None = None
    before: Mapping[tuple[int, int, int], int] | None = None
    rows_out: RowsOut | None = None
    only_checked: bool = False
    listing: Listing | None = None
    shown: str = ""

    @property
    def across(self) -> Across | None:
        found = find_suite(self.suite).on_spark
        return found.across if found else None

    def name_of(self, tab: int, file: int) -> str:
        """What the user calls a file of a table."""
        table = self.tables[tab].name
        return next(arm.sources[file].name for arm in self.arms if arm.table == table)

    def work(self, duck: Duck) -> Work[Any]:
        """The run on this engine, which has a part of the questions."""
        suite = find_suite(self.suite)
        made = Work(suite, duck, self.options, self.sources, self.arms, parted=True)
        made.listing, made.shown = self.listing, self.shown
        made.notes.update(self.notes)
        begin(made)
        return made


def needs_of(work: Work[Any]) -> OnSpark:
    """What the suite of a run needs on other machines."""
    found = work.suite.on_spark
    assert found is not None, work.suite.name
    return found


def surveys_of(work: Work[Any]) -> tuple[Survey, ...]:
    """The looks at all questions: those of the suite, and which of its items ask the same."""
    return (*needs_of(work).surveys, SAME_QUESTIONS)


def begin(work: Work[Any]) -> None:
    """Makes an engine ready to read lines."""
    begins = needs_of(work).begins
    if begins:
        begins(work)


def job_of(work: Work[O], whole: Mapping[str, Whole]) -> Job:
    """The run as the driver has it, with the tables that executors fill."""
    tables = tuple(
        made
        for given in parted_inputs(work)
        for made in _tables(work, given, needs_of(work).across)
    )
    sources = {name: _without_faults(some) for name, some in work.sources.items()}
    arms = tuple(replace(arm, sources=_without_faults(arm.sources)) for arm in work.arms)
    return Job(
        *(work.suite.name, work.options, sources, arms, tables, whole),
        listing=work.listing,
        shown=work.shown,
    )


def _tables(work: Work[O], given: Input, across: Across | None) -> Iterator[Table]:
    columns = _columns(work, given)
    may_ask = given.keeps and "asked" in dict(columns)
    if across:
        columns = (*columns, ("name", "VARCHAR"), (AGAIN, across.again))
    for table, _ in tables_of(work, given):
        yield Table(table, given.name, columns, may_ask, across is not None)


def _without_faults(sources: tuple[Source, ...]) -> tuple[Source, ...]:
    """Executors are told how many files there are; the driver knows what is wrong with them."""
    return tuple(replace(source, fault=None) for source in sources)


def parted_inputs(work: Work[O]) -> list[Input]:
    """The inputs whose lines meet by question; every executor has the others whole."""
    return [each for each in work.suite.inputs if each.arms or each.name == work.suite.slices_of]


def _columns(work: Work[O], given: Input) -> Columns:
    """The columns that the projection of an input makes: those of a file without a line."""
    duck, table = work.duck, f"shape_of_{given.name}"
    read_lines(work, given, table, Source(given.name, keep(duck.scratch, ())))
    found = columns_of(duck, table)
    duck.run(f"drop table {table}")
    return found


def read_lines(
    work: Work[Any], given: Input, table: str, source: Source, *, divided: bool = False
) -> None:
    """Fills a table with the lines of a file, in their order; what spans lines comes later."""
    reads = needs_of(work).reads
    if reads:
        reads(work, given, table, source, divided=divided)
        return
    loading = loading_of(work, given, table, (source,))
    load(work.duck, replace(loading, ordered=True, rules=Rules))


def columns_of(duck: Duck, table: str) -> Columns:
    """The columns of a table, with their types."""
    return tuple((str(name), str(kind)) for name, kind, *_ in duck.query(f"describe {table}"))


def create(duck: Duck, table: str, columns: Columns) -> None:
    """A table without a row."""
    listed = ", ".join(f"{identifier(name)} {kind}" for name, kind in columns)
    duck.run(f"create or replace temp table {table} ({listed})")


def travelling(kind: str) -> str:
    """The type in which a column travels: JSON does so as text."""
    return kind.replace("JSON", "VARCHAR")


def rows_of(duck: Duck, table: str) -> bytes:
    """The rows of a table in their order, as Parquet."""
    path = duck.scratch / "rows.parquet"
    duck.run(f"copy (from {table} order by rowid) to {quoted(str(path))} (format parquet)")
    found = path.read_bytes()
    path.unlink()
    return found


def whole_of(duck: Duck, table: str) -> Whole:
    """A table of the engine, to travel."""
    return Whole(columns_of(duck, table), rows_of(duck, table))


def put_tables(duck: Duck, tables: Mapping[str, Whole]) -> None:
    """Makes tables again, each under its name."""
    for name, whole in tables.items():
        put_rows(duck, name, whole.columns, whole.rows)


def put_rows(duck: Duck, table: str, columns: Columns, rows: bytes) -> None:
    """Makes a table of such rows again, with the types that its columns had."""
    path = duck.scratch / "rows.parquet"
    path.write_bytes(rows)
    typed = ", ".join(f"{identifier(name)}::{kind} as {identifier(name)}" for name, kind in columns)
    if duck.has(table):
        duck.forget(table)
    duck.run(f"drop table if exists {table}")
    duck.fill(table, f"select {typed} from read_parquet({quoted(str(path))})")
    path.unlink()
