"""The rows behind the numbers: offenders, the funnel, near refusals."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.engine.duck import Duck, quoted
from ragstone.gates.gate import Judged, Status
from ragstone.measure.metric import Metric, Quantile, Statistic
from ragstone.suites.evidence import Offender, Step

# check → when it failed: what a row shows that it should not.
FAILED_CHECKS = {
    "missing": "missing",
    "shipped": "shipped and not answerable",
    "refused": "refused and answerable",
    "contained": "shipped and answerable and not contained",
    "cited": "shipped and answerable and not cited",
    "scoped": "shipped and not scoped",
    "intact": "shipped and constrained and not intact",
    "recalled@k": "answerable and not recalled",
    "reachable@k": "answerable and not reachable",
}

FUNNEL = (
    ("reachable@k", "reachable", "some gold citation is in the first k retrieved"),
    ("shipped", "shipped", "an answer was given"),
    ("cited", "cited", "it cites the right evidence, all of it retrieved"),
    ("contained", "contained", "it holds an expected phrase"),
    ("intact", "intact", "it keeps the locked constraints"),
)


def first_qids(duck: Duck, where: str, limit: int | None) -> tuple[str, ...]:
    """The qids of the rows that meet a condition, in order, each once."""
    if limit is not None:
        # The first few are found at once; only where a question has several rows can one repeat.
        found = duck.query(f"select qid from rows where {where} order by qid limit {limit}")
        if len(set(found)) == len(found):
            return tuple(str(qid) for (qid,) in found)
    most = "" if limit is None else f"limit {limit}"
    found = duck.query(f"select distinct qid from rows where {where} order by qid {most}")
    return tuple(str(qid) for (qid,) in found)


def funnel(duck: Duck, limit: int | None) -> tuple[int, tuple[Step, ...]]:
    """What is left of the answerable questions after each check, and who was lost there."""
    total = left = _count(duck, "answerable")
    steps = []
    passed = "answerable"
    for name, check, says in FUNNEL:
        lost = f"{passed} and not {check}"
        passed = f"{passed} and {check}"
        now = _count(duck, passed)
        steps.append(Step(name, now, left - now, first_qids(duck, lost, limit), says))
        left = now
    return total, tuple(steps)


def _count(duck: Duck, where: str) -> int:
    """How many rows meet a condition on their checks."""
    found = duck.one(f"select coalesce(sum(rows), 0) from patterns where {where}")
    return int(str(found[0]))


def offenders(
    duck: Duck,
    metrics: Sequence[Metric],
    gates: Sequence[Judged],
    limit: int | None,
    only: str | None = None,
) -> tuple[tuple[Offender, ...], int]:
    """Rows that cost some metric something: those that cost most failed gates first, then by qid.

    `only` keeps the offenders of one metric. Also returns how many there are in all.
    """
    costly = {m.name: m.offenders for m in metrics if not isinstance(m, Quantile | Statistic)}
    failed = {g.metric for g in gates if g.status is Status.FAIL and g.metric in costly}
    weight = " + ".join(f"({costly[name]})::int" for name in sorted(failed)) or "0"
    wanted = costly[only] if only else " or ".join(f"({where})" for where in costly.values())
    most = "" if limit is None else f"limit {limit}"
    found = duck.dicts(f"""
        with worst as (
            select
                *,
                {weight} as failed_gates,
                {_names(costly)} as costs,
                {_names(FAILED_CHECKS)} as failed_checks,
            from rows where {wanted}
            order by failed_gates desc, qid, trace_row {most}
        )
        select
            worst.qid,
            worst.costs,
            worst.failed_checks,
            gold.question,
            trace.claim,
            gold.substrings,
            gold.gold_citations,
            trace.citations,
            trace.retrieved,
            gold.constraints,
            trace.echo,
            worst.answerable,
        from worst
        join gold on gold.rowid = worst.gold_row
        left join trace on trace.rowid = worst.trace_row
        order by worst.failed_gates desc, worst.qid, worst.trace_row
    """)
    total = len(found) if limit is None else _count(duck, wanted)
    return tuple(_offender(row) for row in found), total


def _names(conditions: dict[str, str]) -> str:
    """A list of the names whose condition holds, as SQL over the rows."""
    cases = ", ".join(
        f"case when {where} then {quoted(name)} end" for name, where in conditions.items()
    )
    return f"list_filter([{cases}], lambda name: name is not null)"


def _offender(row: dict[str, object]) -> Offender:
    question, claim = row["question"], row["claim"]
    return Offender(
        qid=str(row["qid"]),
        costs=_texts(row["costs"]),
        failed_checks=_texts(row["failed_checks"]),
        question=None if question is None else str(question),
        claim=None if claim is None else str(claim),
        gold_claim_substr=_texts(row["substrings"]),
        gold_citations=_texts(row["gold_citations"]),
        citations=_texts(row["citations"]),
        retrieved_ids=_texts(row["retrieved"]),
        constraints=_texts(row["constraints"]),
        constraints_echo=_texts(row["echo"]),
        answerable=bool(row["answerable"]),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
