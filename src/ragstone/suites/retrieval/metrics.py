"""The retrieval suite's metrics, over one verdict row per question.

A question's runs (paraphrases × seeds) are averaged first, so a row holds shares: `r_5` is its mean
recall in the first 5, `coverage` the share of its runs whose answer is covered.
"""

from __future__ import annotations

from ragstone.measure.metric import Count, Mean, Metric, Quantile, Ratio

KS = (1, 3, 5, 10)

# The lines of the spec for ΔS; a calibrated line L scales all of them by L / LINE.
LINE, STABLE, RISK = 0.45, 0.40, 0.60
SCALE = "getvariable('scale')"
_ROOM = 1e-9


def _precision(k: int) -> Mean:
    return Mean(
        name=f"P@{k}",
        of="true",
        value=f"p_{k}",
        empty=0.0,
        better="higher",
        says=f"Of the distinct ids in the first {k} positions, how many are relevant; divides by "
        "their number (context.P@k divides by k).",
    )


def _recall(k: int) -> Mean:
    return Mean(
        name=f"R@{k}",
        of="true",
        value=f"r_{k}",
        empty=0.0,
        better="higher",
        says=f"Of a question's relevant ids, how many are in the first {k} positions.",
    )


def _anchor_hit(k: int) -> Mean:
    return Mean(
        name=f"anchor_hit@{k}",
        of="anchored",
        value=f"anchor_{k}",
        empty=0.0,
        better="higher",
        says=f"How often an id in the first {k} positions lies in the anchor section.",
        share=True,
    )


def _negative_above(k: int) -> Mean:
    return Mean(
        name=f"negative_above@{k}",
        of="has_negatives",
        value=f"negative_{k}",
        empty=0.0,
        better="lower",
        best=0.0,
        says=f"How often, in the first {k} positions, a marked hard negative stands above the "
        "first relevant id, or is there when no relevant id is.",
        share=True,
    )


COVERAGE = Mean(
    name="coverage",
    of="true",
    value="coverage",
    empty=0.0,
    better="higher",
    says="Of all gold questions, how many have an answer that cites a relevant id or the anchor "
    "section.",
    gate=">= 0.70",
    share=True,
)
CITATION_ACCURACY = Mean(
    name="citation_accuracy",
    of="answered",
    value="accuracy",
    empty=0.0,
    better="higher",
    says="Of the answers, how many cite first a relevant id, in its own section, at bytes that "
    "meet the gold span widened by 30 on each side.",
    gate=">= 0.95",
    share=True,
)
CITATION_ACCURACY_ALL = Mean(
    name="citation_accuracy_all",
    of="true",
    value="coalesce(accuracy, 0)",
    empty=0.0,
    better="higher",
    says="The same over all gold questions: no answer is no accurate citation.",
    share=True,
)
CITATION_IOU = Mean(
    name="citation_iou",
    of="iou is not null",
    value="iou",
    empty=0.0,
    better="higher",
    says="How much of the cited bytes and the gold span is common to both, over answers that cite "
    "a relevant id first.",
)
ANCHOR_PROXIMITY = Mean(
    name="anchor_proximity",
    of="proximity is not null",
    value="proximity",
    empty=0.0,
    better="lower",
    best=0.0,
    bounds=None,
    says="Steps in the title tree between the section cited first and the anchor.",
)
DELTA_S_MEDIAN = Quantile(
    name="delta_s_median",
    of="delta_s is not null",
    value="delta_s",
    q=0.5,
    better="lower",
    says="The median ΔS between question and first cited snippet (with no answers: rank 1).",
)
DELTA_S_P90 = Quantile(
    name="delta_s_p90",
    of="delta_s is not null",
    value="delta_s",
    q=0.9,
    better="lower",
    says="The 90th percentile of the same ΔS.",
)
DELTA_S_STABLE = Ratio(
    name="delta_s_stable",
    of="delta_s is not null",
    hit=f"delta_s < {STABLE} * {SCALE} - {_ROOM}",
    empty=0.0,
    better="higher",
    says="The share of questions whose ΔS is stable (below 0.40).",
)
DELTA_S_TRANSITIONAL = Ratio(
    name="delta_s_transitional",
    of="delta_s is not null",
    hit=f"delta_s >= {STABLE} * {SCALE} - {_ROOM} and delta_s < {RISK} * {SCALE} - {_ROOM}",
    empty=0.0,
    better="lower",
    says="The share of questions whose ΔS is transitional (0.40 to below 0.60).",
)
DELTA_S_RISK = Ratio(
    name="delta_s_risk",
    of="delta_s is not null",
    hit=f"delta_s >= {RISK} * {SCALE} - {_ROOM}",
    empty=0.0,
    better="lower",
    says="The share of questions whose ΔS is at risk (0.60 and above).",
)
DELTA_S_OVER = Ratio(
    name="delta_s_over",
    of="delta_s is not null",
    hit=f"delta_s > {LINE} * {SCALE} + {_ROOM}",
    empty=0.0,
    better="lower",
    says="The share of answered questions whose cited ΔS is above 0.45.",
    gate="= 0",
)
MISSING = Ratio(
    name="missing",
    of="true",
    hit="missing",
    empty=0.0,
    better="lower",
    says="Of all gold questions, how many the log never ran; they count as nothing retrieved.",
)
LAMBDA_CONVERGENCE = Ratio(
    name="lambda_convergence",
    of="runs >= 2",
    hit="converges",
    empty=0.0,
    better="higher",
    says="Of the triplets (one question, one seed, its paraphrases), how many converge: every run "
    "is →, or all share their first relevant hit.",
    gate=">= 0.95",
)

# Over one row per question; convergence is over triplets and measured apart.
ROW_METRICS: tuple[Ratio | Count | Mean | Quantile, ...] = (
    *(make(k) for make in (_precision, _recall, _anchor_hit) for k in KS),
    COVERAGE,
    CITATION_ACCURACY,
    CITATION_ACCURACY_ALL,
    CITATION_IOU,
    ANCHOR_PROXIMITY,
    DELTA_S_MEDIAN,
    DELTA_S_P90,
    DELTA_S_STABLE,
    DELTA_S_TRANSITIONAL,
    DELTA_S_RISK,
    DELTA_S_OVER,
    *(_negative_above(k) for k in KS),
    MISSING,
)
METRICS: tuple[Metric, ...] = (*ROW_METRICS, LAMBDA_CONVERGENCE)

DELTA_R = Mean(
    name="R@5_delta",
    of="true",
    value="shadow.r_5 - live.r_5",
    empty=0.0,
    better="higher",
    best=0.0,
    bounds=(-1.0, 1.0),
    says="R@5 of the shadow index minus R@5 of the live one, question by question.",
)

BY_ANSWERS = ("coverage", "citation_accuracy", "citation_accuracy_all", "anchor_proximity")
BY_SPANS = ("citation_accuracy", "citation_accuracy_all")
BY_DELTA_S = tuple(m.name for m in ROW_METRICS if m.name.startswith("delta_s"))

INDEX_GATES: tuple[tuple[str, str], ...] = tuple(
    (metric.name, metric.gate) for metric in METRICS if metric.gate is not None
)
CANARY_GATES: tuple[tuple[str, str], ...] = (
    ("coverage", ">= 0.70"),
    ("citation_accuracy", ">= 0.95"),
    ("delta_s_median", "<= 0.40"),
    ("delta_s_p90", "<= 0.55"),
    ("R@5_delta", ">= -0.02"),
    ("lambda_convergence", ">= 0.95"),
)
