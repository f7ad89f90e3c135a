"""Questions that were asked again: do their answers agree?

They are found by their text, wherever in the log they stand. What follows is either the table
`questions`, where all traces are in one engine, or what each trace has to know of the others
(`again`), where the traces are then scored in parts.
"""

from __future__ import annotations

from ragstone.engine.duck import quoted, text, whole
from ragstone.matching.repeated_answers import differ_in_numbers
from ragstone.suites.audit.options import AuditOptions
from ragstone.suites.declaration import Arm, Work

# What is known of a trace from others: see again.sql.
AGAIN = (
    "STRUCT(inconsistent BOOLEAN, first VARCHAR, question STRUCT(question VARCHAR, "
    "times_asked BIGINT, differ_in_numbers BOOLEAN, differs VARCHAR))"
)
# What is looked at of a trace to find them.
LOOKED_AT = {"question": "VARCHAR", "said": "VARCHAR", "flag": "BOOLEAN"}


def compare_repeats(work: Work[AuditOptions]) -> None:
    """The table `questions`, from the rows that there are."""
    (arm,) = work.arms
    work.duck.run(f"""
        create or replace temp view ended_{arm.table} as
        select rows.trace_row, rows.qid, trace.question, trace.said, rows.refused, rows.shipped
        from rows join {arm.table} as trace on trace.rowid = rows.trace_row
        where rows.arm = {quoted(arm.name)}
    """)
    work.duck.run(f"create temp table questions as {_questions(work, arm)}")


def look_at_others(work: Work[AuditOptions], named: str) -> None:
    """The table `again_...`, of traces selected by trace_row, qid, question, said and flag."""
    (arm,) = work.arms
    work.duck.run(f"""
        create or replace temp view ended_{arm.table} as
        select trace_row, qid, question, said, refused, shipped
        from ({work.sql("ends.sql", claims=f"({named})")})
    """)
    questions = _questions(work, arm)
    again = work.sql("again.sql", questions=questions)
    work.duck.run(f"create or replace temp table again_{arm.table} as {again}")


def _questions(work: Work[AuditOptions], arm: Arm) -> str:
    """The rows of `questions` as SQL, over how the traces ended."""
    duck, trace = work.duck, arm.table
    duck.run(work.sql("asked.sql", trace=trace))
    claims = duck.query(f"""
        select asked.place, ended.said
        from (select place, unnest(asked) as trace_row from asked_{trace}) as asked
        join ended_{trace} as ended using (trace_row)
        where ended.shipped
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
    return work.sql("questions.sql", trace=trace, arm=quoted(arm.name))
