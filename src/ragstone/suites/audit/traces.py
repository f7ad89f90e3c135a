"""From traces to verdict rows: what each ends in, its name, and questions that were asked again."""

from __future__ import annotations

from ragstone.engine.duck import quoted
from ragstone.measure.measure import ASKED_AGAIN
from ragstone.suites.answers.refusal_proposal import Where, gather_claims, propose_refusals
from ragstone.suites.answers.refusal_rules import found_in_packs, packs_not_in_force
from ragstone.suites.answers.shows import has_retrieved
from ragstone.suites.answers.verdicts import mark_contradicted, prepare
from ragstone.suites.audit.line_names import files_numbered, name_lines
from ragstone.suites.audit.options import AuditOptions
from ragstone.suites.audit.repeated_questions import (
    AGAIN,
    LOOKED_AT,
    compare_repeats,
    look_at_others,
)
from ragstone.suites.declaration import Arm, Work
from ragstone.suites.inputs import read_inputs
from ragstone.suites.judged_scores.side_scores import attach_scores, side_warnings
from ragstone.suites.support.chunk_texts import view_texts
from ragstone.suites.support.supported import check_support
from ragstone.suites.surveys import Across, OnSpark, Survey, look_around

# No gold says what is expected of a claim.
_CLAIMS = Where(
    claim="said",
    there="not empty",
    open="shipped",
    asked="coalesce(trace.question, rows.qid)",
    cites="cites",
)
# A trace goes by its own name, or by file and line.
_NAME = "coalesce(trace.trace_id, trace.qid, lines.name)"


def read(work: Work[AuditOptions]) -> None:
    """Traces and texts, and a look at all traces."""
    read_inputs(work)
    begins(work)
    ready(work)
    view_items(work)
    look_around(work, SURVEYS)


def begins(work: Work[AuditOptions]) -> None:
    """The macros that the rows are made with."""
    prepare(work.duck, work.options.judging)
    work.duck.define(work.sql("macros.sql"))
    others = found_in_packs(packs_not_in_force(work.options.refusal))
    work.duck.define(f"create or replace temp macro other_pack_refuses(claim) as {others}")


def ready(work: Work[AuditOptions]) -> None:
    """The texts that answers are looked up in."""
    # Where traces bring texts themselves, the survey has seen it.
    work.notes["texts"] = view_texts(work) or work.notes.get("texts", False)
    if work.options.waived:
        # Which questions were asked again has then to be found out a second time, without them.
        work.undivided = "an audit with waivers"


def view_items(work: Work[AuditOptions]) -> None:
    """The traces as what rows are sliced by."""
    (arm,) = work.arms
    items = f"select *, rowid as trace_row from {arm.table}"
    work.duck.run(f"create or replace temp view trace as {items}")


def look(work: Work[AuditOptions]) -> None:
    """Whether any trace brings texts."""
    (arm,) = work.arms
    own = f"from {arm.table} where len(list_filter(own_texts, lambda words: words <> '')) > 0"
    work.gathered.count("parts with texts", len(work.duck.query(f"select 1 {own} limit 1")))


def settle(work: Work[AuditOptions]) -> None:
    work.notes["texts"] = work.gathered.counted("parts with texts") > 0


SURVEYS = (Survey(look, settle, due=lambda work: not work.notes["texts"]),)


def lines_in_parts(work: Work[AuditOptions], table: str) -> str:
    """Every trace with its name and with what it has to know of others, to be scored in parts."""
    (arm,) = work.arms
    name_lines(work.duck, table, files_numbered(arm.sources))
    lines = f"{table} as trace left join unnamed_{table} as lines on lines.trace_row = trace.rowid"
    named = f"select trace.rowid as trace_row, {_NAME} as qid, {', '.join(LOOKED_AT)} from {lines}"
    look_at_others(work, named)
    return f"""
        select trace.*, trace.rowid as line, {_NAME} as name, again, name as unit
        from {lines} left join again_{table} as others on others.trace_row = trace.rowid
    """


ON_SPARK = OnSpark(
    ready,
    begins,
    SURVEYS,
    across=Across(
        name=_NAME,
        names=name_lines,
        looked_at=LOOKED_AT,
        wanted="not blank(question)",
        key="folded(question)",
        decides=look_at_others,
        again=AGAIN,
    ),
)


def rows(work: Work[AuditOptions], arm: Arm) -> None:
    """One row per trace, whatever it has for a name."""
    duck, trace = work.duck, arm.table
    attach_scores(work, arm, "coalesce(trace_id, qid)")
    if work.parted:
        _take_aside(work, trace)
    else:
        name_lines(duck, trace, files_numbered(arm.sources))
    view_items(work)
    if work.options.cite_pattern is not None:
        from ragstone.suites.answers.inline_markers import Said

        work.options.judging.read_markers(duck, trace, Said("said", "spoken", "cites", "seen"))
    locked = f"select rowid, locked, said from {trace} where locked <> [] and said is not null"
    mark_contradicted(duck, trace, locked, work.options.rules)
    _judge(work, arm)
    gather_claims(work, arm, _CLAIMS)
    _look_up(work, arm)
    work.gathered.count("parts with retrieved ids", has_retrieved(work, trace))


def _take_aside(work: Work[AuditOptions], trace: str) -> None:
    """Puts what traces have to know beyond themselves into tables of its own."""
    work.duck.run(f"""
        create or replace temp table unnamed_{trace} as
        select rowid as trace_row, name from {trace} where trace_id is null and qid is null
    """)
    work.duck.run(f"""
        create or replace temp table again_{trace} as
        select rowid as trace_row, again from {trace} where again is not null
    """)
    for column in ("name", "again"):
        work.duck.run(f"alter table {trace} drop column {column}")


def _judge(work: Work[AuditOptions], arm: Arm) -> None:
    """The rows, and the questions that were asked again."""
    duck, trace = work.duck, arm.table
    parts = {"trace": trace, "arm": quoted(arm.name), "ends": work.sql("ends.sql", claims="named")}
    if not work.parted:
        duck.fill("rows", work.sql("rows.sql", differs="", **parts))
        compare_repeats(work)
        named = f"select qid as first, unnest(asked) as trace_row from asked_{trace}"
        duck.fill(ASKED_AGAIN, work.sql("asked_again.sql", others=named))
        return
    inconsistent = f"select trace_row from again_{trace} where again.inconsistent"
    differs = f"trace_row in ({inconsistent}) as differs,"
    duck.fill("rows", work.sql("rows.sql", differs=differs, **parts))
    duck.fill("questions", work.sql("questions_again.sql", **parts))
    named = f"select trace_row, again.first from again_{trace}"
    duck.fill(ASKED_AGAIN, work.sql("asked_again.sql", others=named))


def _look_up(work: Work[AuditOptions], arm: Arm) -> None:
    """The sentences of shipped answers beside their texts, where there are any texts."""
    if work.notes["texts"]:
        answers = work.sql("to_check.sql", trace=arm.table, arm=quoted(arm.name))
        absent = check_support(work.duck, arm.name, answers, work.options.decimal)
        work.gathered.keep_all(f"absent of {arm.name}", absent)


def concludes(work: Work[AuditOptions]) -> None:
    """How many traces there are; in parts, which rows asked what was answered differently."""
    (arm,) = work.arms
    work.counts["traces"] = work.lines[arm.table]
    work.warnings += side_warnings(work)
    propose_refusals(work, arm)
    if not work.duck.query(f"from {ASKED_AGAIN} limit 1"):
        work.duck.forget(ASKED_AGAIN)
    if work.parted:
        # No list shows which question a row asked: any that is inconsistent can name all of them.
        work.duck.run("""
            update questions set asked = (select list(trace_row) from rows where rows.differs)
            where trace_row = (select min(trace_row) from questions where inconsistent)
        """)
