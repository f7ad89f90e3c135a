"""The canary's metrics: those of one index, the change in recall, how alike two rankings are."""

from __future__ import annotations

from dataclasses import replace

from ragstone.measure.metric import Change, Mean, Metric
from ragstone.suites.retrieval.metrics import KS, METRICS, RECALLS

MARGIN = 0.02

# The recall that is always held against that of the live index.
ALWAYS = "R@5"


def change_of(recall: str) -> str:
    """The name of the metric that is a recall's change from the live index to the shadow."""
    return f"{recall}_delta"


# What the spec asks of a shadow index; the gates of a single index do not hold for it.
_GATES = {
    "coverage": ">= 0.70",
    "citation_accuracy": ">= 0.95",
    "delta_s_median": "<= 0.40",
    "delta_s_p90": "<= 0.55",
    "lambda_convergence": ">= 0.95",
}
CANARY_METRICS: tuple[Metric, ...] = (
    *(replace(metric, gate=_GATES.get(metric.name)) for metric in METRICS),
    *(
        Change(
            name=change_of(recall),
            title=f"change of what the first {recall.removeprefix('R@')} find",
            metric=recall,
            how="difference",
            paired=True,
            says=f"{recall} of the shadow index minus {recall} of the live one, question by "
            "question.",
            gate=f">= -{MARGIN}" if recall == ALWAYS else None,
            extra=recall != ALWAYS,
        )
        for recall in RECALLS
    ),
    *(
        Mean(
            name=f"overlap@{k}",
            title=f"same ids in the first {k} of both",
            value=f"overlap_{k}",
            over="alike",
            empty=1.0,
            says=f"Of the ids in the first {k} positions, how many both indexes share.",
        )
        for k in KS
    ),
    Mean(
        name="rbo",
        title="likeness of the two rankings",
        value="rbo",
        over="alike",
        empty=1.0,
        says="Rank-biased overlap (p = 0.9) of the two rankings: 1 is the same order.",
    ),
    Mean(
        name="gold_rank_displacement",
        title="ranks that the first relevant id lost",
        of="displacement is not null",
        value="displacement",
        over="alike",
        better="lower",
        best=0.0,
        bounds=None,
        says="How many ranks further down the shadow index puts the first relevant id, where both "
        "find one.",
    ),
)
