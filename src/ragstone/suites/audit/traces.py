"""From traces to verdict rows: what each ends in, its name, and questions that were asked again."""

from __future__ import annotations

from ragstone.contracts.diagnose import numbered
from ragstone.contracts.sources import Source, lines_of
from ragstone.engine.duck import quoted, text, whole
from ragstone.matching.repeated_answers import differ_in_numbers
from ragstone.suites.answers.verdicts import mark_contradicted, prepare
from ragstone.suites.audit.options import AuditOptions
from ragstone.suites.declaration import Arm, Work
from ragstone.suites.inputs import read_inputs
from ragstone.suites.judged_scores.side_scores import attach_scores, side_warnings
from ragstone.suites.support.chunk_texts import view_texts
from ragstone.suites.support.supported import check_support


def read(work: Work[AuditOptions]) -> None:
    """Traces and texts, and the macros that the rows are made with."""
    read_inputs(work)
    prepare(work.duck, work.options.judging)
    (arm,) = work.arms
    work.duck.run(f"create temp view trace as select *, rowid as trace_row from {arm.table}")
    work.duck.run(work.sql("macros.sql"))
    work.notes["texts"] = view_texts(work)


def rows(work: Work[AuditOptions], arm: Arm) -> None:
    """One row per trace, whatever it has for a name."""
    duck, trace = work.duck, arm.table
    attach_scores(work, arm, "coalesce(trace_id, qid)")
    _name_by_line(work, arm)
    if work.options.cite_pattern is not None:
        from ragstone.suites.answers.inline_markers import Said

        work.options.judging.read_markers(duck, trace, Said("said", "spoken", "cites", "seen"))
    locked = f"select rowid, locked, said from {trace} where locked <> [] and said is not null"
    mark_contradicted(duck, trace, locked, work.options.rules)
    duck.fill("rows", work.sql("rows.sql", trace=trace, arm=quoted(arm.name)))
    compare_repeats(work)
    _look_up(work, arm)
    work.counts["traces"] = work.lines[trace]
    work.warnings += side_warnings(work)


def _look_up(work: Work[AuditOptions], arm: Arm) -> None:
    """The sentences of shipped answers beside their texts, where there are any texts."""
    own = f"from {arm.table} where len(list_filter(own_texts, lambda words: words <> '')) > 0"
    if not work.notes["texts"]:
        work.notes["texts"] = work.duck.count(f"select count(*) {own}") > 0
    if work.notes["texts"]:
        answers = work.sql("to_check.sql", trace=arm.table, arm=quoted(arm.name))
        absent = check_support(work.duck, arm.name, answers, work.options.decimal)
        work.gathered.keep_all(f"absent of {arm.name}", absent)


def compare_repeats(work: Work[AuditOptions]) -> None:
    """Questions that were asked again, with what their answers differ in."""
    (arm,) = work.arms
    duck, trace = work.duck, arm.table
    duck.run(work.sql("asked.sql", trace=trace, arm=quoted(arm.name)))
    claims = duck.query(f"""
        select asked.place, trace.said
        from (select place, unnest(asked) as trace_row from asked_{trace}) as asked
        join rows on rows.trace_row = asked.trace_row and rows.arm = {quoted(arm.name)}
        join {trace} as trace on trace.rowid = asked.trace_row
        where rows.shipped
    """)
    decimal = work.options.decimal
    said: dict[int, set[str]] = {}
    for place, claim in claims:
        said.setdefault(whole(place), set()).add(text(claim))
    differ = [
        place for place, some in said.items() if len(some) > 1 and differ_in_numbers(some, decimal)
    ]
    duck.run("create or replace temp table differing (place bigint)")
    if differ:
        duck.run("insert into differing select unnest($places)", {"places": differ})
    questions = work.sql("questions.sql", trace=trace, arm=quoted(arm.name))
    duck.run(f"create temp table questions as {questions}")


def _name_by_line(work: Work[AuditOptions], arm: Arm) -> None:
    """Traces with neither a trace_id nor a qid are called by file and line: no path is shown."""
    duck, table = work.duck, f"unnamed_{arm.table}"
    duck.run(f"""
        create or replace temp table {table} as
        select rowid as trace_row, source, place, '' as name
        from (
            select rowid, source, trace_id, qid,
                row_number() over (partition by source order by rowid) as place,
            from {arm.table}
        )
        where trace_id is null and qid is null
    """)
    for (index,) in duck.query(f"select distinct source from {table} order by source"):
        number = whole(index)
        named = {"file": f"trace {number + 1}, line ", "source": number}
        duck.run(f"update {table} set name = $file || place where source = $source", named)
        moved = _after_blank_lines(arm.sources[number])
        if moved:
            places, lines = zip(*moved, strict=True)
            duck.run(
                f"update {table} set name = $file || moved.line from (select "
                "unnest($places::bigint[]) as place, unnest($lines::bigint[]) as line) as moved "
                f"where source = $source and {table}.place = moved.place",
                {**named, "places": list(places), "lines": list(lines)},
            )


def _after_blank_lines(source: Source) -> list[tuple[int, int]]:
    """The lines behind a blank one: the how manieth trace each is, and its number in the file."""
    if source.parquet:
        return []
    places = enumerate(numbered(lines_of(source)), 1)
    return [(place, number) for place, (number, _) in places if number != place]
