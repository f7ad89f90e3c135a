"""Traces with neither a trace_id nor a qid are called by file and line: no path is shown."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.contracts.diagnose import numbered
from ragstone.contracts.sources import Source, lines_of
from ragstone.engine.duck import Duck, whole
from ragstone.suites.surveys import Numbered


def files_numbered(sources: Sequence[Source]) -> list[Numbered]:
    """Whole files, in their order."""
    return [Numbered(source, place) for place, source in enumerate(sources)]


def name_lines(duck: Duck, trace: str, files: Sequence[Numbered]) -> None:
    """The table of traces without a name of their own, with the one that they go by."""
    table = f"unnamed_{trace}"
    duck.run(f"""
        create or replace temp table {table} as
        select rowid as trace_row, source, place, '' as name
        from (
            select rowid, source, trace_id, qid,
                row_number() over (partition by source order by rowid) as place,
            from {trace}
        )
        where trace_id is null and qid is null
    """)
    for (index,) in duck.query(f"select distinct source from {table} order by source"):
        number = whole(index)
        source, file, before = files[number]
        named = {"file": f"trace {file + 1}, line ", "source": number, "before": before}
        duck.run(
            f"update {table} set name = $file || (place + $before::bigint) where source = $source",
            named,
        )
        moved = _after_blank_lines(source)
        if moved:
            places, lines = zip(*moved, strict=True)
            duck.run(
                f"update {table} set name = $file || (moved.line + $before::bigint) from (select "
                "unnest($places::bigint[]) as place, unnest($lines::bigint[]) as line) as moved "
                f"where source = $source and {table}.place = moved.place",
                {**named, "places": list(places), "lines": list(lines)},
            )


def _after_blank_lines(source: Source) -> list[tuple[int, int]]:
    """The lines behind a blank one: the how manieth trace each is, and its number in the file."""
    if source.parquet or source.form != "lines":
        return []
    places = enumerate(numbered(lines_of(source)), 1)
    return [(place, number) for place, (number, _) in places if number != place]
