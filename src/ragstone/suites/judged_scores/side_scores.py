"""`--judged FILE`: scores that another tool wrote to a file of its own, put beside the answers."""

from __future__ import annotations

from typing import Any

from ragstone.contracts.records.label_records import JUDGED
from ragstone.engine.duck import quoted, text
from ragstone.errors import InputError
from ragstone.suites.declaration import Arm, Input, Work

SIDE_SCORES = Input(
    name="judged",
    record=JUDGED,
    says="scores that another tool's judge gave: {qid, name, score or label} a line",
    select="judged_scores/side.sql",
    many=True,
    required=False,
    noun="judge's scores",
)
_MET = "judge's scores that met an answer"


def attach_scores(work: Work[Any], arm: Arm, key: str = "qid") -> None:
    """Adds the scores of a side file to those that the traces of an arm carry themselves."""
    if not work.sources.get(SIDE_SCORES.name):
        return
    duck, trace = work.duck, arm.table
    _must_name_systems(work)
    whose = f"system in ('', {quoted(arm.name)})"
    _must_be_said_once(work, trace, key, whose)
    met = f"judged where {whose} and qid in (select {key} from {trace})"
    work.gathered.count(_MET, duck.count(f"select count(*) from {met}"))
    # In the order of names, so that the same scores are the same text.
    duck.run(f"""
        create or replace temp table {trace} as
        select trace.* exclude (place, named) replace (
            case
                when side.said is null then trace.judge
                when trace.judge is null then side.said
                else json_merge_patch(trace.judge, side.said)::varchar
            end as judge
        )
        from (select *, rowid as place, {key} as named from {trace}) as trace
        left join (
            select qid, concat('{{', string_agg(
                concat(to_json(name), ':', said), ',' order by name
            ), '}}') as said
            from judged where {whose} group by qid
        ) as side on side.qid = trace.named
        order by trace.place
    """)


def _must_name_systems(work: Work[Any]) -> None:
    """Of several systems, a score says whose answer it is of."""
    arms = [arm.name for arm in work.arms]
    if len(arms) > 1 and work.duck.count("select count(*) from judged where system = ''"):
        raise InputError(
            "a line of --judged has no system, and there are several: give each line the system "
            f"whose answer it is of ({', '.join(arms)})"
        )


def _must_be_said_once(work: Work[Any], trace: str, key: str, whose: str) -> None:
    """A score that is given twice, by two lines or by a line and a trace, is no score."""
    twice = work.duck.query(f"""
        select qid, name from judged where {whose} group by qid, name
        having count(*) > 1 order by all limit 1
    """)
    for qid, name in twice:
        raise InputError(
            f"--judged gives {text(qid)} the score {text(name)} twice; keep one of them"
        )
    both = work.duck.query(f"""
        select judged.qid, judged.name from judged
        join (select {key} as named, judge from {trace}) as trace on trace.named = judged.qid
        where {whose} and trace.judge is not null
            and list_contains(json_keys(trace.judge), judged.name)
        order by all limit 1
    """)
    for qid, name in both:
        raise InputError(
            f"{text(qid)} has the score {text(name)} in its trace and in --judged; keep one of them"
        )


def side_warnings(work: Work[Any]) -> list[str]:
    """How many scores of a side file are of no answer."""
    if not work.sources.get(SIDE_SCORES.name):
        return []
    lost = work.lines[SIDE_SCORES.name] - work.gathered.counted(_MET)
    said = "1 score of --judged is" if lost == 1 else f"{lost:,} scores of --judged are"
    return [f"{said} of an answer that no trace has; not shown"] if lost else []
