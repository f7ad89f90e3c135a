"""What the audit suite shows: scaled counts, support, and questions with different answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ragstone.engine.duck import quoted, real, whole
from ragstone.report.document.blocks import Block, Json, Table
from ragstone.suites.answers.shows import say_without_scope
from ragstone.suites.audit.options import AuditOptions
from ragstone.suites.declaration import Outcome, Work
from ragstone.suites.offenders import count_rows
from ragstone.suites.standard_blocks import findings_block, first_of, offenders_block, slice_tables
from ragstone.suites.support.support_shows import (
    support_blocks,
    support_data,
    support_facts,
    support_warnings,
)

_WORST = "Those that cost most failed gates come first, then by name."
_COUNTED = {
    "traces": "true",
    "shipped": "shipped",
    "refused": "refused",
    "near_refused": "near_refused",
    "empty": "empty",
}


def facts(work: Work[AuditOptions], outcome: Outcome[AuditOptions]) -> Mapping[str, Any]:
    """The counts and lists of the page, while the rows are there to be asked."""
    counted = count_rows(work.duck, work.shown, list(_COUNTED.values()))
    seen = work.gathered.counted("parts with retrieved ids")
    if outcome.first["unscoped"].numerator and not seen:
        say_without_scope(work)
    costs = work.duck.query(
        f"select cost_usd, {work.duck.tally()} from rows where cost_usd is not null "
        "group by 1 order by 1"
    )
    return {
        "counts": dict(zip(_COUNTED, counted, strict=True)),
        "cost": _total([(real(cost), whole(count)) for cost, count in costs]),
        "inconsistent": _inconsistent(work),
        **support_facts(work),
    }


def _total(costs: list[tuple[float, int]]) -> float | None:
    # A rounded product of each cost and its count, then one exact sum: the same in any order.
    return math.fsum(cost * count for cost, count in costs) if costs else None


def _inconsistent(work: Work[AuditOptions]) -> list[dict[str, Any]]:
    most = "" if work.options.limit is None else f"limit {work.options.limit}"
    return work.duck.dicts(f"""
        select qid, question, times_asked as asked, differs from questions
        where arm = {quoted(work.shown)} and inconsistent order by times_asked desc, qid {most}
    """)


def scaled(outcome: Outcome[AuditOptions], count: int) -> int:
    """How many there were in all traffic, if the log is a fair sample of it."""
    return round(count / outcome.options.sample_rate)


def figures(outcome: Outcome[AuditOptions]) -> dict[str, float | int | None]:
    counts = {name: scaled(outcome, count) for name, count in outcome.facts["counts"].items()}
    metrics = {name: found.value for name, found in outcome.first.items()}
    # A count and a share have one name where they say the same: the share is the metric.
    shown = {name: count for name, count in counts.items() if name not in metrics}
    rate = outcome.options.sample_rate
    return {**shown, **metrics, **({} if rate == 1 else {"sample_rate": rate})}


def data(outcome: Outcome[AuditOptions]) -> dict[str, Json]:
    facts = outcome.facts
    cost = facts["cost"]
    return {
        "counts": {
            name: {"logged": count, "scaled": scaled(outcome, count)}
            for name, count in {**facts["counts"], **facts["support_counts"]}.items()
        },
        "cost_usd": None
        if cost is None
        else {"logged": cost, "scaled": cost / outcome.options.sample_rate},
        "inconsistent_questions": facts["inconsistent"],
        **support_data(outcome),
    }


def blocks(outcome: Outcome[AuditOptions]) -> list[Block]:
    return [
        *findings_block(outcome),
        _counts(outcome),
        *support_blocks(outcome),
        *slice_tables(outcome),
        *offenders_block(outcome, says=_WORST),
        *_questions(outcome),
    ]


def _counts(outcome: Outcome[AuditOptions]) -> Table:
    """Every count as it was logged and, where only a part of the traffic was, scaled to all."""
    facts, rate = outcome.facts, outcome.options.sample_rate
    counts: dict[str, Any] = {**facts["counts"], **facts["support_counts"]}
    rows = [(name.replace("_", " "), n, scaled(outcome, n)) for name, n in counts.items()]
    if facts["cost"] is not None:
        rows.append(("cost in USD", facts["cost"], facts["cost"] / rate))
    if rate == 1:
        return Table("Counts", ("what", "count"), tuple(row[:2] for row in rows))
    says = f"The log holds {100 * rate:g} % of the traffic; shares are not scaled."
    return Table("Counts", ("what", "logged", "scaled to all traffic"), tuple(rows), says)


def _questions(outcome: Outcome[AuditOptions]) -> list[Block]:
    found = outcome.facts["inconsistent"]
    if not found:
        return []
    rows = tuple((each["qid"], each["question"], each["asked"], each["differs"]) for each in found)
    total = outcome.first["inconsistent"].numerator or 0
    says = first_of(len(rows), total, "The same question, and answers that do not agree.")
    columns = ("first trace", "question", "times asked", "differ in")
    return [Table("Inconsistent answers", columns, rows, says, texts=("question",))]


def warnings(outcome: Outcome[AuditOptions]) -> list[str]:
    found = support_warnings(outcome)
    if not outcome.facts["counts"]["traces"]:
        found.append("the trace file is empty: nothing can be measured")
    return found
