"""The questions behind the numbers: what was missed, what was retrieved instead."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.engine.duck import Duck, quoted
from ragstone.gates.gate import Judged, Status
from ragstone.measure.metric import Mean, Metric, Ratio
from ragstone.suites.context.metrics import ROW_COLUMNS, SCORED
from ragstone.suites.context.systems import System
from ragstone.suites.evidence import Offender

# What a question costs is told by these, and by whatever is gated.
_TOLD = ("context_recall", "ndcg@10", "missing")
_FAILED_CHECKS = {
    "missing": "missing",
    "any_ref": "not missing and not any_ref",
    "all_refs": "any_ref and not all_refs",
}


def offenders(
    duck: Duck,
    system: System,
    number: int,
    metrics: Sequence[Metric],
    gates: Sequence[Judged],
    limit: int | None,
) -> tuple[tuple[Offender, ...], int]:
    """The questions that cost most: those that fail most gates, then lowest recall, then nDCG."""
    failed = {gate.metric for gate in gates if gate.status is Status.FAIL}
    costly = {
        metric.name: metric.offenders
        for metric in metrics
        if isinstance(metric, Mean | Ratio) and (metric.name in _TOLD or metric.name in failed)
    }
    wanted = " or ".join(f"({where})" for where in costly.values())
    weight = " + ".join(f"({costly[name]})::integer" for name in sorted(failed & set(costly))) or 0
    most = "" if limit is None else f"limit {limit}"
    found = duck.dicts(f"""
        with worst as (
            select *, {weight} as failed_gates, {_names(costly)} as costs,
                {_names(_FAILED_CHECKS)} as failed_checks,
            from {system.table} where {SCORED} and ({wanted})
            order by failed_gates desc, context_recall, "ndcg@10", qid {most}
        )
        select worst.qid, worst.costs, worst.failed_checks,
            coalesce(reference.question, found.question) as question, found.answer,
            list_sort(list_transform(
                list_filter(reference.gold, lambda g: g.grade >= getvariable('level')),
                lambda g: g.doc
            )) as gold,
            list_filter(found.docs, lambda d, i: list_position(found.docs, d) = i) as docs,
        from worst
        join reference using (qid)
        left join retrieved_{number} as found using (qid)
        order by worst.failed_gates desc, worst.context_recall, worst."ndcg@10", worst.qid
    """)
    total = duck.one(f"select count(*) from {system.table} where {SCORED} and ({wanted})")[0]
    return tuple(_offender(row) for row in found), int(str(total))


def rows(duck: Duck, system: System) -> list[dict[str, object]]:
    """Every scored question under the column names of the output files, in order of qid."""
    chosen = ", ".join(f"{column} as {name}" for name, column in ROW_COLUMNS.items())
    return duck.dicts(f"select {chosen} from {system.table} where {SCORED} order by qid")


def _names(conditions: dict[str, str]) -> str:
    cases = ", ".join(
        f"case when {where} then {quoted(name)} end" for name, where in conditions.items()
    )
    return f"list_filter([{cases}], lambda name: name is not null)"


def _offender(row: dict[str, object]) -> Offender:
    question, answer = row["question"], row["answer"]
    return Offender(
        qid=str(row["qid"]),
        costs=_texts(row["costs"]),
        failed_checks=_texts(row["failed_checks"]),
        question=None if question is None else str(question),
        claim=str(answer) if answer else None,
        gold_citations=_texts(row["gold"]),
        retrieved_ids=_texts(row["docs"]),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
