"""Two sets of verdict rows side by side: what is compared, what differs, and what is decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragstone.comparison.metric_difference import MetricDifference, metric_difference
from ragstone.comparison.pairing import (
    GoldPairs,
    counted_pairs,
    fill_pairs,
    pair_gold,
    shared_metrics,
)
from ragstone.comparison.row_sets import RowSet, SavedMetric
from ragstone.comparison.says import Margin, Test, own_margin, sentence
from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.gates.gate import Judged, Status, decide
from ragstone.measure.permutation import holm

Differences = Mapping[str, MetricDifference]


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparing:
    """How two sets are compared; what each means is said where it is an option."""

    max_regression: Mapping[str, Margin] = field(default_factory=dict)
    level: float = 0.95
    limit: int | None = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """What a comparison came to, before it is rendered.

    `difference` has the metrics in order, `dropped` those that mean something else in the two sets,
    each with why.
    """

    a: RowSet
    b: RowSet
    gold: GoldPairs
    difference: Differences
    dropped: Mapping[str, str]
    gates: tuple[Judged, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def decision(self) -> Status | None:
        return decide(self.gates)


def compared(duck: Duck, a: RowSet, b: RowSet, how: Comparing) -> Compared:
    """Pairs the questions, and measures every metric that means the same in both sets.

    The engine then holds `gold_pairs` (qid, fate) and `pairs` (qid, both numbers of each metric).
    """
    metrics, dropped = shared_metrics(a, b)
    gold = pair_gold(duck, a, b, how.limit)
    fill_pairs(duck, a, b, list(metrics.values()))
    found: dict[str, MetricDifference] = {}
    for name, metric in metrics.items():
        counted = counted_pairs(duck, name)
        made = metric_difference(metric, counted, how.level)
        if made is not None:
            found[name] = made
        elif counted:
            empty = a if all(before is None for before, _, _ in counted) else b
            dropped[name] = f"no question in common is in its set in {empty.name}"
    if not found:
        raise InputError(f"{a.name} and {b.name} have no metric in common to compare")
    family = [name for name in tested(b, how) if name in found]
    return Compared(
        a=a,
        b=b,
        gold=gold,
        difference=said(found, metrics, family, how),
        dropped=dropped,
    )


def tested(b: RowSet, how: Comparing) -> tuple[str, ...]:
    """The metrics that are tested as one family: those gated here, else those gated in B's run."""
    return tuple(how.max_regression) or b.gated


def said(
    found: Differences,
    metrics: Mapping[str, SavedMetric],
    family: Sequence[str],
    how: Comparing,
) -> dict[str, MetricDifference]:
    """The same differences with their corrected p-values and what each comes to in words."""
    names = [name for name in family if found[name].p is not None]
    raised = holm([found[name].p or 0.0 for name in names])
    tests = {name: Test(p, len(names), how.level) for name, p in zip(names, raised, strict=True)}
    return {
        name: replace(_said(each, metrics[name], tests.get(name), how), tested=name in family)
        for name, each in found.items()
    }


def _said(
    found: MetricDifference, metric: SavedMetric, test: Test | None, how: Comparing
) -> MetricDifference:
    margin = how.max_regression.get(metric.name) or own_margin(metric)
    says = sentence(
        found.value,
        found.ends,
        higher_is_better=metric.better == "higher",
        margin=None if margin is None else (margin, margin.around(found.a)),
        questions=found.questions,
        test=test,
    )
    return replace(
        found,
        p_holm=None if test is None else test.p,
        margin=None if margin is None else str(margin),
        says=says,
    )
