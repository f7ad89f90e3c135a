"""What the canary shows beyond the page of a log: differences, flips, how alike rankings are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ragstone.gates.gate import NOT_FROZEN, decide
from ragstone.measure.arm_differences import Flip, difference, differences_by, flips
from ragstone.measure.metric import Count, Mean, Quantile, Ratio
from ragstone.measure.outlook import NonInferiority
from ragstone.measure.paired import Difference
from ragstone.progress import counting
from ragstone.report.charts.dots import Dot, Row, dots
from ragstone.report.document.blocks import Block, Cell, Json, Picture, Table
from ragstone.report.document.figures import number, titled
from ragstone.suites.canary.metrics import ALWAYS, change_of
from ragstone.suites.canary.options import CanaryOptions
from ragstone.suites.declaration import Numbers, Outcome, Work
from ragstone.suites.retrieval import shows
from ragstone.suites.retrieval.metrics import KS, METRICS
from ragstone.suites.standard_blocks import findings_block

# What a question can flip on: the name, and when its row says yes.
_FLIPS = {
    "found@5": "found_5 >= 0.5",
    "covered": "coverage >= 0.5",
    "citation_accurate": "accuracy >= 0.5",
}
_COMPARED = (
    *(f"R@{k}" for k in KS),
    "P@5",
    "anchor_hit@5",
    "coverage",
    "citation_accuracy",
    "lambda_convergence",
    "delta_s_median",
    "delta_s_p90",
)
_BY_TYPE = ("P@5", "R@1", "R@5", "R@10", "coverage", "citation_accuracy")

Deltas = Mapping[str, Difference | None]


def facts(work: Work[CanaryOptions], outcome: Outcome[CanaryOptions]) -> Mapping[str, Any]:
    """What is known of both logs, and the differences from live to shadow, in all and by type."""
    found = shows.facts(work, outcome)
    live, shadow = (found["by_type"][arm] for arm in outcome.arms)
    answers = all(log.counts["answers"] for log in found["logs"].values())
    checks = _FLIPS if answers else {"found@5": _FLIPS["found@5"]}
    return {
        **found,
        "deltas": _deltas(work, outcome.measured[work.baseline], outcome.first),
        "deltas_by_type": _deltas_by_type(work, live, shadow),
        "drops": work.notes["drops"],
        "flips": flips(work.duck, checks, work.baseline, work.shown),
        "mismatches": work.notes["mismatches"],
    }


_PAIRED = tuple(each for each in METRICS if isinstance(each, Ratio | Count | Mean | Quantile))


def _deltas(work: Work[CanaryOptions], before: Numbers, after: Numbers) -> Deltas:
    """Shadow minus live for every metric that both could show."""
    return {
        metric.name: difference(work.duck, metric, work.baseline, work.shown, work.options.level)
        if _in_both(metric.name, before, after)
        else None
        for metric in counting(_PAIRED, "", "metrics")
    }


def _deltas_by_type(
    work: Work[CanaryOptions], live: Mapping[str, Numbers], shadow: Mapping[str, Numbers]
) -> dict[str, Deltas]:
    """The same for the questions of each type; one statement for all types of a metric."""
    # In the order of the tables of each log, which begin with what is unknown where that matters.
    kinds = {kind: (live.get(kind, {}), shadow.get(kind, {})) for kind in {**live, **shadow}}
    deltas: dict[str, dict[str, Difference | None]] = {kind: {} for kind in kinds}
    for metric in counting(_PAIRED, "", "metrics"):
        shown = [kind for kind, arms in kinds.items() if _in_both(metric.name, *arms)]
        level = work.options.level
        found = (
            differences_by(work.duck, "type", metric, work.baseline, work.shown, level)
            if shown
            else {}
        )
        for kind, row in deltas.items():
            row[metric.name] = found.get(kind) if kind in shown else None
    return {**deltas}


def _in_both(name: str, before: Numbers, after: Numbers) -> bool:
    return _value(before, name) is not None and _value(after, name) is not None


def _value(numbers: Numbers, name: str) -> float | None:
    return numbers[name].value if name in numbers else None


def _verdict(outcome: Outcome[CanaryOptions]) -> str:
    if outcome.unfrozen:
        return NOT_FROZEN
    return outcome.suite.verdicts.get(decide(outcome.gates), "NO GATES")


def data(outcome: Outcome[CanaryOptions]) -> dict[str, Json]:
    facts, limit = outcome.facts, outcome.options.limit
    live, shadow = (
        {metric.name: outcome.measured[arm][metric.name].value for metric in METRICS}
        for arm in outcome.arms
    )
    overlaps = {n: each.value for n, each in outcome.first.items() if each.metric.over == "alike"}
    return {
        **shows.data(outcome),
        "verdict": _verdict(outcome),
        "live": {**live},
        "shadow": {**shadow},
        "deltas": _deltas_json(facts["deltas"]),
        "deltas_by_type": {
            kind: _deltas_json(row) for kind, row in facts["deltas_by_type"].items()
        },
        "non_inferiority": {"metric": ALWAYS, **asdict(facts["drops"][change_of(ALWAYS)])},
        "drops": {name: asdict(drop) for name, drop in facts["drops"].items()},
        "flips": {
            flip.name: {
                "gained": list(flip.gained[:limit]),
                "gained_total": flip.gained_total,
                "lost": list(flip.lost[:limit]),
                "lost_total": flip.lost_total,
                "p": flip.p,
            }
            for flip in facts["flips"]
        },
        "overlap": {**overlaps},
        "mismatches": list(facts["mismatches"]),
    }


def _deltas_json(deltas: Deltas) -> dict[str, Json]:
    return {
        name: None
        if found is None
        else {
            "value": found.value,
            "interval": None if found.interval is None else list(found.interval),
            "questions": found.questions,
        }
        for name, found in deltas.items()
    }


def blocks(outcome: Outcome[CanaryOptions]) -> list[Block]:
    facts, limit = outcome.facts, outcome.options.limit
    live, shadow = (outcome.measured[arm] for arm in outcome.arms)
    types = [facts["by_type"][arm] for arm in outcome.arms]
    alike = [each for each in outcome.first.values() if each.metric.over == "alike"]
    return [
        _versus(live, shadow, facts["deltas"]),
        Table(
            "Live, shadow and the difference",
            ("metric", "live", "shadow", "delta", "from", "to"),
            tuple(_row(name, delta, live, shadow) for name, delta in facts["deltas"].items()),
            "Paired by question; from and to are the ends of the interval of the difference.",
        ),
        _drop_table(facts["drops"], facts["deltas"]),
        *findings_block(outcome, "What the shadow log points to"),
        Table(
            "The difference by type",
            ("type", "metric", "live", "shadow", "delta", "from", "to"),
            tuple(
                (kind, *_row(name, deltas[name], *(by_type[kind] for by_type in types)))
                for kind, deltas in facts["deltas_by_type"].items()
                for name in _BY_TYPE
                if deltas[name] is not None
            ),
            shows.says_of_types(facts["logs"]),
        ),
        *_flip_tables(facts["flips"], limit),
        Table(
            "How alike the two rankings are",
            ("measure", "value", "questions"),
            tuple((each.name, each.value, each.denominator) for each in alike),
            "Ids that both indexes know: after re-chunking they share none, and this says nothing.",
        ),
        *shows.log_blocks(outcome),
    ]


def _versus(before: Numbers, after: Numbers, deltas: Deltas) -> Picture:
    """The difference of every compared metric with its interval, around the line of no change."""
    rows, said = [], []
    for name in _COMPARED:
        delta, live, shadow = deltas.get(name), before[name].value, after[name].value
        if delta is None or live is None or shadow is None:
            continue
        change = f"{'+' if delta.value > 0 else ''}{number(delta.value)}"
        called = titled(name, before[name].metric)
        rows.append(Row(called, (Dot(delta.value, delta.interval),), change))
        said.append(f"{called}: live {number(live)}, shadow {number(shadow)}, {change}")
    drawn = dots(rows, "shadow minus live, with its interval", zero="no change")
    says = "Of recall, precision and coverage more is better; of ΔS (delta_s) less is better."
    return Picture("Live against shadow", drawn, "; ".join(said), says)


def _row(name: str, delta: Difference | None, live: Numbers, shadow: Numbers) -> tuple[Cell, ...]:
    return (name, live[name].value, shadow[name].value, *_cells(delta))


def _cells(delta: Difference | None) -> tuple[Cell, Cell, Cell]:
    if delta is None:
        return None, None, None
    low, high = delta.interval or (None, None)
    return delta.value, low, high


def _drop_table(drops: Mapping[str, NonInferiority], deltas: Deltas) -> Table:
    rows = []
    for name, delta in deltas.items():
        if drop := drops.get(change_of(name)):
            more: Cell = drop.needed if drop.proof == "undecided" else "–"
            if more is None:
                more = "cannot be said"
            rows.append((name, *_cells(delta), drop.margin, drop.level, drop.proof, more))
    return Table(
        "Is the drop in recall within the margin?",
        ("recall", "delta", "from", "to", "margin", "at level", "answer", "more questions"),
        tuple(rows),
        "The gate decides on the point; under --confidence this test decides.",
    )


def _flip_tables(found: Sequence[Flip], limit: int | None) -> list[Block]:
    blocks: list[Block] = [
        Table(
            "Questions that flipped",
            ("check", "gained", "lost", "p"),
            tuple((flip.name, flip.gained_total, flip.lost_total, flip.p) for flip in found),
            "p: how likely so uneven a split is if either way were as likely (McNemar).",
        )
    ]
    for flip in found:
        listed: list[tuple[Cell, ...]] = [("lost", qid) for qid in flip.lost[:limit]]
        listed += [("gained", qid) for qid in flip.gained[:limit]]
        if listed:
            says = "The first of each way." if limit is not None else ""
            blocks.append(Table(f"Flipped on {flip.name}", ("way", "qid"), tuple(listed), says))
    return blocks


def warnings(outcome: Outcome[CanaryOptions]) -> list[str]:
    live, shadow = outcome.facts["logs"].values()
    said = []
    same = {*live.values["index_hash"]} & {*shadow.values["index_hash"]}
    if same:
        said.append(f"live and shadow have the same index_hash: {', '.join(sorted(same))}")
    if live.delta_s.source != shadow.delta_s.source:
        said.append(
            f"ΔS comes from different sources: live {live.delta_s.source}, "
            f"shadow {shadow.delta_s.source}; they are not on one scale"
        )
    return [*said, *shows.warnings(outcome)]
