"""More than two validators: Krippendorff's alpha, and how each pair of them agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from ragstone.contracts.records.label_records import LABELS
from ragstone.engine.content_hash import content_sum
from ragstone.engine.duck import Duck
from ragstone.gates.gate import Judged
from ragstone.gates.judge import judge
from ragstone.measure.measure import measure
from ragstone.measure.metric import Measured, Metric
from ragstone.suites.agreement.coefficients import kappa
from ragstone.suites.agreement.judging import forgiven, gates_of
from ragstone.suites.agreement.metrics import MANY
from ragstone.suites.agreement.units import measured_alpha, units_of
from ragstone.suites.deciding import Deciding


@dataclass(frozen=True, slots=True)
class Pairwise:
    """How two of the validators agree on the items both labelled."""

    first: str
    second: str
    items: int
    agreed: int
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Split:
    """An item on which not all validators agree, each with its label or none."""

    qid: str
    labels: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class ManyEvaluation:
    """Every number of the suite for more than two validators."""

    deciding: Deciding
    metrics: tuple[Metric, ...]
    inputs: Mapping[str, str | int]
    raters: tuple[str, ...]
    items: int
    single: tuple[str, ...]
    abstained: Mapping[str, int]
    pairwise: tuple[Pairwise, ...]
    splits: tuple[Split, ...]
    measured: Mapping[str, Measured]
    gates: tuple[Judged, ...]


def evaluate_many(duck: Duck, raters: tuple[str, ...], deciding: Deciding) -> ManyEvaluation:
    """Measures the tables `labels_0`, `labels_1`, ... of the raters."""
    gates = gates_of(MANY, deciding)
    given = " union all ".join(
        f"select {number} as rater, qid, label from labels_{number}"
        for number in range(len(raters))
    )
    duck.run(f"create temp table given as {given}")
    measured = _measured(duck, MANY, deciding.level)
    items = int(str(duck.one("select count(distinct qid) from given")[0]))
    judged = judge(
        measured, gates, questions=items, strict=deciding.strict, confidence=deciding.confidence
    )
    labels = _labels(duck, len(raters))
    return ManyEvaluation(
        deciding=deciding,
        metrics=MANY,
        inputs={"items": items, "hash": content_sum(duck, "given", "rater, qid, label").finish()},
        raters=raters,
        items=items,
        single=tuple(q for q, given in labels.items() if sum(x is not None for x in given) < 2),
        abstained=_abstained(raters, labels),
        pairwise=_pairwise(raters, labels),
        splits=tuple(
            Split(qid, given)
            for qid, given in labels.items()
            if len({label for label in given if label is not None}) > 1
        ),
        measured=measured,
        gates=forgiven(judged, measured, gates, "alpha"),
    )


def _measured(duck: Duck, metrics: tuple[Metric, ...], level: float) -> dict[str, Measured]:
    agreement, alpha_metric, abstain = metrics
    # Every pair of labels of one item is a row, and the item is the cluster they belong to.
    pairs = """(
        select one.qid, one.label = two.label as agree
        from given as one join given as two on one.qid = two.qid and one.rater < two.rater
    )"""
    items = "(select qid, bool_or(label = 'ABSTAIN') as abstained from given group by qid)"
    found = {
        agreement.name: measure(duck, [agreement], pairs, level, "qid")[agreement.name],
        alpha_metric.name: measured_alpha(
            alpha_metric, units_of(duck, "select qid, label from given"), level
        ),
        abstain.name: measure(duck, [abstain], items, level)[abstain.name],
    }
    return {
        name: replace(m, value=None, vacuous=False) if not m.denominator else m
        for name, m in found.items()
    }


def _labels(duck: Duck, raters: int) -> dict[str, tuple[str | None, ...]]:
    found: dict[str, list[str | None]] = {}
    for rater, qid, label in duck.query("select rater, qid, label from given order by qid, rater"):
        found.setdefault(str(qid), [None] * raters)[int(str(rater))] = str(label)
    return {qid: tuple(labels) for qid, labels in found.items()}


def _abstained(
    raters: tuple[str, ...], labels: Mapping[str, tuple[str | None, ...]]
) -> dict[str, int]:
    return {
        name: sum(given[number] == "ABSTAIN" for given in labels.values())
        for number, name in enumerate(raters)
    }


def _pairwise(
    raters: tuple[str, ...], labels: Mapping[str, tuple[str | None, ...]]
) -> tuple[Pairwise, ...]:
    made = []
    for (one, first), (two, second) in combinations(enumerate(raters), 2):
        counts = Counter((given[one], given[two]) for given in labels.values())
        matrix = [[counts[row, column] for column in LABELS] for row in LABELS]
        items = sum(map(sum, matrix))
        agreed = sum(matrix[n][n] for n in range(len(LABELS)))
        made.append(Pairwise(first, second, items, agreed, kappa(matrix) if items else None))
    return tuple(made)
