"""From foreign files to a file of our lines, with an account of everything that came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragstone.contracts.sources import Source, size_of
from ragstone.engine.duck import Duck, identifier, listed, quoted, text, whole
from ragstone.engine.line_files import LINE_LIMIT
from ragstone.engine.translated_lines import FROM_BEGINS, FROM_FILE, FROM_ROW
from ragstone.errors import InputError
from ragstone.formats.chosen_system import OTHER_SYSTEM, must_be_one_system, of_one_system
from ragstone.formats.declared_format import Format, first_of, listed_units
from ragstone.formats.raw_rows import files_of, longest_line, raw_sql
from ragstone.progress import doing
from ragstone.progress_task import Task
from ragstone.scratch import keep

# What a format's SQL says of a row beside our own columns → what is meant if it says nothing.
_BESIDE = {
    "file": "null::bigint",
    "row": "null::bigint",
    "begins": "null::bigint",
    "rows": "1",
    "lost": "null::varchar",
    "lacks": "[]::varchar[]",
    "named": "null::varchar",
}
# So many of those that are lost are named; one more tells that there are more.
_SHOWN = 3
# About so many bytes of a log are put together at a time; the lines come in the order of the parts.
_PART = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Loss:
    """Rows that are lost, or lines that lack something: why, how many, and the first of them.

    A report shows no path, so that the same data gives the same bytes from any folder: `places`
    are for those who look at the files.
    """

    why: str
    says: str
    count: int
    named: tuple[str, ...] = ()
    places: tuple[str, ...] = ()

    def told(self, places: bool) -> str:
        """Why, in words, and the first of them by the names that the format gives or by line."""
        said = f"{self.why}, {self.says}" if self.says else self.why
        first = self.named or (self.places if places else ())
        shown = ", ".join(first[:_SHOWN]) + (", ..." if len(first) > _SHOWN else "")
        return f"{said} ({shown})" if first else said


@dataclass(frozen=True, slots=True)
class Translated:
    """The lines as sources, and what became of the rows: those `used` are in the lines."""

    sources: tuple[Source, ...]
    format: Format
    came_in: int
    used: int
    came_out: int
    lost: tuple[Loss, ...] = ()
    lacks: tuple[Loss, ...] = ()

    @property
    def came(self) -> str:
        """How much came in, and how much came out."""
        unit, makes = self.format.unit, self.format.makes
        return f"{listed_units(self.came_in, unit)} in, {listed_units(self.came_out, makes)} out"

    def losses(self, *, places: bool = True) -> list[str]:
        """A sentence for everything that was lost; `places` names files and lines."""
        unit, makes = self.format.unit, self.format.makes
        return [
            *(
                f"{listed_units(each.count, unit)} left out: {each.told(places)}"
                for each in self.lost
            ),
            *(f"{listed_units(each.count, makes)}: {each.told(places)}" for each in self.lacks),
        ]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a translation may use: threads, and bytes of memory with a folder for the rest."""

    threads: int | None = None
    memory: int = 0
    temp: Path | None = None


_NO_LIMITS = Limits()


def translate(
    format: Format, found: tuple[Source, ...], scratch: Path, limits: Limits = _NO_LIMITS
) -> Translated:
    """The lines that a format makes of foreign files, in files in `scratch`.

    An engine of its own does it, so that the SQL of a format meets no table of a run.
    """
    from ragstone.engine.native import duckdb

    sources = files_of(found, format, scratch)
    size = size_of(sources)
    first: Exception | None = None
    # A line may be longer than the engine reads at once; else it is bad, and Python says which.
    for attempt in ("as usual", "long lines", "plainly"):
        limit = longest_line(sources) + LINE_LIMIT if attempt == "long lines" else LINE_LIMIT
        with _engine(sources, limits) as duck:
            raw = raw_sql(duck, format, sources, limit=limit, plainly=attempt == "plainly")
            try:
                with doing("translating", size, "B", duck.share, step="translating") as task:
                    made = _run(duck, format, raw, 1 + size // _PART, scratch, task)
            except duckdb.Error as error:
                first = first or error
                bad_line = (
                    duckdb.InvalidInputException,
                    duckdb.ConversionException,
                    duckdb.IOException,
                )
                if isinstance(error, bad_line):
                    continue
                break
            return _accounted(duck, format, sources, made, scratch)
    reason = str(first).partition("\n")[0]
    raise InputError(f"the SQL of the format {format.name} cannot read this: {reason}")


def _engine(sources: tuple[Source, ...], limits: Limits) -> Duck:
    duck = Duck(limits.threads)
    if limits.memory:
        duck.limit(limits.memory, limits.temp)
    else:
        # Texts that nobody needs are a large part of most logs.
        duck.expect(size_of(sources) // 4)
    return duck


@dataclass(frozen=True, slots=True)
class _Made:
    """What the SQL of a format says, of lost rows too: files, and their columns of our record."""

    paths: tuple[Path, ...]
    columns: tuple[str, ...]


def _run(duck: Duck, format: Format, raw: str, parts: int, scratch: Path, task: Task) -> _Made:
    *before, last = statements(format.sql)
    duck.run(f"create or replace temp view raw as {raw}")
    parts = parts if format.joined else 1
    duck.set(parts=parts, part=0)
    for statement in before:
        duck.run(statement)
    duck.run(f"create or replace temp view said as {last}")
    found = duck.columns("said")
    own = tuple(name for name in found if name not in _BESIDE)
    if not own:
        raise InputError(f"the SQL of the format {format.name} gives no field of ours")
    beside = [
        f"{name if name in found else other} as {identifier(f'from_{name}')}"
        for name, other in _BESIDE.items()
    ]
    select = f"select {', '.join([*map(identifier, own), *beside])} from said"
    paths = []
    for part in range(parts):
        duck.set(part=part)
        with task.piece(task.total / parts):
            paths.append(_copied(duck, select, scratch))
    return _Made(tuple(paths), own)


def _copied(duck: Duck, select: str, scratch: Path) -> Path:
    """What a statement selects, as a Parquet file."""
    path = keep(scratch, ())
    # By default a group of rows is 122,880, whatever their size.
    how = "format parquet, use_tmp_file false, row_group_size 10240"
    duck.run(f"copy ({select}) to {quoted(str(path))} ({how})")
    return path


def statements(sql: str) -> list[str]:
    """The statements of a file: each ends with a semicolon at the end of a line.

    >>> statements("create table a as select 1;\\nselect ';' from a;\\n")
    ['create table a as select 1', "select ';' from a"]
    """
    parts = [part.strip().removesuffix(";") for part in sql.split(";\n")]
    return [part for part in parts if part]


def _accounted(
    duck: Duck, format: Format, sources: tuple[Source, ...], made: _Made, scratch: Path
) -> Translated:
    """What became of every row; the files without those that are lost."""
    names = [source.name for source in sources]
    said = _said_in(format, *made.paths)
    must_be_one_system(duck, format, said, made.columns, first_of(names, 1))
    came_in = duck.count(f"select {format.rows_in}")
    used, accounted, came_out = duck.counts(
        f"""select coalesce(sum(from_rows) filter (from_lost is null), 0)::bigint,
            coalesce(sum(from_rows), 0)::bigint, count(*) filter (from_lost is null) from {said}"""
    )
    if accounted != came_in:
        raise InputError(
            f"the SQL of the format {format.name} accounts for {accounted:,} of "
            f"{listed_units(came_in, format.unit)}; each must come out or be lost by name"
        )
    gone = f"(select *, from_lost as why from {said})"
    lost = _losses(duck, {**OTHER_SYSTEM, **format.lost}, names, gone, "from_rows")
    some = f"(select *, unnest(from_lacks) as why from {said} where from_lost is null)"
    lacks = _losses(duck, format.lacks, names, some, "1")
    paths = made.paths
    if lost:
        fields = ", ".join([*map(identifier, made.columns), FROM_FILE, FROM_ROW, FROM_BEGINS])
        paths = tuple(
            _copied(
                duck,
                f"select {fields} from {_said_in(format, path)} where from_lost is null",
                scratch,
            )
            for path in made.paths
        )
    name, files = first_of(names, 1), tuple(names)
    lines = tuple(Source(name, path, parquet=True, made_of=files) for path in paths)
    return Translated(lines, format, came_in, used, came_out, lost, lacks)


def _said_in(format: Format, *paths: Path) -> str:
    return of_one_system(format, f"read_parquet({listed([str(path) for path in paths])})")


def _losses(
    duck: Duck, says: Mapping[str, str], names: list[str], rows_with_why: str, rows: str
) -> tuple[Loss, ...]:
    """What is said `why` of rows, the most frequent first, with the first few of each."""
    found = duck.query(
        f"""select why, sum({rows})::bigint as many,
            array_agg(distinct from_named order by from_named)
                filter (from_named is not null)[:{_SHOWN + 1}],
            array_agg({{'file': from_file, 'row': from_row}} order by from_file, from_row)
                filter (from_row is not null)[:{_SHOWN + 1}]
        from {rows_with_why} where why is not null group by why order by many desc, why"""
    )
    made = []
    for why, many, named, placed in found:
        lines = [(names[each["file"]], each["row"]) for each in placed or ()]  # type: ignore[attr-defined]
        places = tuple(f"{name}:{row}" for name, row in lines)
        called = tuple(map(str, named or ()))  # type: ignore[call-overload]
        made.append(Loss(text(why), says.get(text(why), ""), whole(many), called, places))
    return tuple(made)
