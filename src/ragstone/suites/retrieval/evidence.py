"""The rows behind the numbers: offenders, the ΔS histogram, the title tree with its coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.engine.duck import Duck, quoted
from ragstone.gates.gate import Judged, Status
from ragstone.measure.metric import Quantile
from ragstone.suites.evidence import Offender
from ragstone.suites.retrieval.metrics import ROW_METRICS
from ragstone.suites.retrieval.sections import natural

BINS = 20

# check → when it failed: what a row shows that it should not.
FAILED_CHECKS = {
    "missing": "missing",
    "found@5": "found_5 < 1",
    "found@10": "found_10 < 1",
    "anchor_hit@5": "anchored and anchor_5 < 1",
    "covered": "answered and coverage < 1",
    "citation_accurate": "accuracy < 1",
    "offsets": "drifted",
    "negatives_below@5": "negative_5 > 0",
}


def first_qids(duck: Duck, side: str, where: str, limit: int | None) -> tuple[str, ...]:
    """The qids of the rows that meet a condition, in order."""
    most = "" if limit is None else f"limit {limit}"
    found = duck.query(f"select qid from rows_{side} where {where} order by qid {most}")
    return tuple(str(qid) for (qid,) in found)


def count(duck: Duck, side: str, where: str) -> int:
    return int(str(duck.one(f"select count(*) from rows_{side} where {where}")[0]))


def offenders(
    duck: Duck, side: str, gates: Sequence[Judged], limit: int | None
) -> tuple[tuple[Offender, ...], int]:
    """Rows that cost a gated metric, or recall, something; the costliest first, then by qid."""
    gated = {gate.metric for gate in gates} | {"R@5"}
    costly = {
        metric.name: metric.offenders
        for metric in ROW_METRICS
        if metric.name in gated and not isinstance(metric, Quantile)
    }
    failed = {gate.metric for gate in gates if gate.status is Status.FAIL} & set(costly)
    weight = " + ".join(f"(coalesce({costly[n]}, false))::int" for n in sorted(failed)) or "0"
    wanted = " or ".join(f"coalesce({where}, false)" for where in costly.values())
    most = "" if limit is None else f"limit {limit}"
    found = duck.dicts(f"""
        with worst as (
            select *, {weight} as failed_gates, {_names(costly)} as costs,
                {_names(FAILED_CHECKS)} as failed_checks,
            from rows_{side} where {wanted}
            order by failed_gates desc, qid {most}
        ),
        -- the run to show: the first by wording and seed, whatever the order of the lines
        shown as (
            select gold_row, log.ids, log.cites from (
                select gold_row, run_row, row_number() over (
                    partition by gold_row order by paraphrase, seed, run_ids
                ) as turn
                from (
                    select runs.gold_row, runs.run_row, runs.paraphrase, runs.seed,
                        log.ids as run_ids
                    from runs_{side} as runs
                    join log_{side} as log on log.rowid = runs.run_row
                    where runs.gold_row in (select gold_row from worst)
                )
            ) join log_{side} as log on log.rowid = run_row
            where turn = 1
        )
        select worst.qid, worst.costs, worst.failed_checks, gold.paraphrases[1] as question,
            gold.relevant, shown.ids,
            list_transform(shown.cites, lambda cited: cited.id) as cited,
        from worst
        join gold on gold.rowid = worst.gold_row
        left join shown on shown.gold_row = worst.gold_row
        order by worst.failed_gates desc, worst.qid
    """)
    total = len(found) if limit is None else count(duck, side, wanted)
    return tuple(_offender(row) for row in found), total


def _names(conditions: dict[str, str]) -> str:
    cases = ", ".join(
        f"case when coalesce({where}, false) then {quoted(name)} end"
        for name, where in conditions.items()
    )
    return f"list_filter([{cases}], lambda name: name is not null)"


def _offender(row: dict[str, object]) -> Offender:
    question = row["question"]
    return Offender(
        qid=str(row["qid"]),
        costs=_texts(row["costs"]),
        failed_checks=_texts(row["failed_checks"]),
        question=None if question is None else str(question),
        gold_citations=_texts(row["relevant"]),
        citations=_texts(row["cited"]),
        retrieved_ids=_texts(row["ids"]),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def histogram(duck: Duck, side: str) -> tuple[int, ...]:
    """How many questions have a ΔS in each twentieth of 0..1."""
    found = duck.query(f"""
        select least(floor(delta_s * {BINS} + 1e-9)::int, {BINS - 1}) as bin, count(*)
        from rows_{side} where delta_s is not null group by bin
    """)
    counts = {int(str(bin)): int(str(n)) for bin, n in found}
    return tuple(counts.get(bin, 0) for bin in range(BINS))


@dataclass(frozen=True, slots=True)
class Node:
    """A section of the title tree, with the questions anchored in it or below it."""

    section: str
    depth: int
    questions: int
    value: float | None


def title_tree(duck: Duck, side: str, answers: bool) -> tuple[Node, ...]:
    """Every section that has a question, with its parents: their coverage, in natural order.

    Without answers nothing is covered, and the share found in the first five stands for it.
    """
    value = "coverage" if answers else "found_5"
    found = duck.query(f"""
        select gold.anchor, count(*), list_sum(list_sort(list(rows.{value})))
        from rows_{side} as rows join gold on gold.rowid = rows.gold_row
        where gold.anchor is not null
        group by gold.anchor
    """)
    sums: dict[str, list[tuple[int, float]]] = {}
    for anchor, questions, total in found:
        steps = str(anchor).split(".")
        for depth in range(1, len(steps) + 1):
            into = sums.setdefault(".".join(steps[:depth]), [])
            into.append((int(str(questions)), float(str(total))))
    nodes = []
    for section in sorted(sums, key=lambda name: (natural(name), name)):
        parts = sums[section]
        size = sum(questions for questions, _ in parts)
        share = sum(total for _, total in sorted(parts)) / size if size else None
        nodes.append(Node(section, section.count("."), size, share))
    return tuple(nodes)
