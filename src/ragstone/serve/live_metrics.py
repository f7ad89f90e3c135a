"""What is measured of a window: declarations over its rows, as those of a suite are.

A row is one record, as the audit's own checks judge it, with what only a live record says. With a
gold set, the answers suite's metrics are measured too, over rows that this suite made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from ragstone.measure.metric import Mean, Metric, Quantile, Ratio
from ragstone.suites.audit.metrics import METRICS as AUDITED
from ragstone.suites.judged_scores.score_names import is_score

# An answer that did not come, as a metric of answers.
MISSING = "missing"
STAGES = ("retrieval", "rerank", "llm", "guard", "all")

COVERAGE = Mean(
    name="coverage",
    of="covered is not null",
    value="covered",
    share=True,
    says="How far answers cite what they should: by gold where the question is in it, else in the "
    "pipeline's own word.",
)
CITATION_ACCURACY = Ratio(
    name="citation_accuracy",
    of="accurate is not null",
    hit="accurate",
    empty=1.0,
    says="Of the answers with citations, how many cite rightly: what gold names where the question "
    "is in it, else nothing that was not retrieved.",
)
DELTA_S_MEDIAN = Quantile(
    name="delta_s_median",
    of="delta_s is not null",
    value="delta_s",
    q=0.5,
    better="lower",
    says="The median of ΔS, of what an answer cites first.",
)
DIVERGENCE = Ratio(
    name="divergence",
    of="divergent is not null",
    hit="divergent",
    better="lower",
    says="Of the records with states of λ, how many have one that is not →.",
)
TOP_TEN_TAU = Mean(
    name="top_ten_tau",
    of="tau is not null",
    value="tau",
    bounds=(-1.0, 1.0),
    says="How alike the first ten of a question are to those of the time before: Kendall's tau.",
)


def p95_of(stage: str) -> Quantile:
    return Quantile(
        name=f"p95_{stage}",
        of=f"{stage}_ms is not null",
        value=f"{stage}_ms",
        q=0.95,
        better="lower",
        unit="ms",
        says=f"The time that 95 % of the records stay within: {stage}.",
    )


WATCHED: tuple[Metric, ...] = (
    COVERAGE,
    CITATION_ACCURACY,
    DELTA_S_MEDIAN,
    replace(DELTA_S_MEDIAN, name="delta_s_p90", q=0.9, says="The 90th percentile of the same."),
    DIVERGENCE,
    TOP_TEN_TAU,
    *(p95_of(stage) for stage in STAGES),
)


def why_not_live(metric: Metric) -> str:
    """Why no window can measure a metric of a suite; "" where one can.

    A window is the sum of its minutes' rows, and a row is one or more records that came out alike.
    """
    if metric.name == MISSING:
        return "what did not come is in no window: the rule on traffic hears of that"
    if is_score(metric.name):
        return "windows keep no scores of other tools"
    if metric.over == "questions":
        return "windows do not know which records are of one question"
    if metric.over != "rows":
        return f"it is counted in {metric.over}, and windows count records"
    return ""


def _of_audited(metric: Metric) -> Metric:
    """A metric of the audit over those records of a window that carry an answer's text."""
    return replace(metric, of=f"audited and ({metric.of})")


AUDIT_METRICS: tuple[Metric, ...] = tuple(
    _of_audited(metric) for metric in AUDITED if not why_not_live(metric)
)


def gated_metrics(
    suite: str, metrics: Iterable[Metric], names: Collection[str]
) -> tuple[Metric, ...]:
    """Those of a suite's metrics that a rule is about, by the name that it has there."""
    named = (replace(metric, name=f"{suite}.{metric.name}") for metric in metrics)
    return tuple(metric for metric in named if metric.name in names)
