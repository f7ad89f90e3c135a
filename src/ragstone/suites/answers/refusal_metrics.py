"""The metrics of refusing: is all that has no answer refused, and nothing else?"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ragstone.measure.interval import clustered_interval
from ragstone.measure.metric import Computed, Counted, Metric, Ratio, Statistic, by_question


def _f1(counted: Counted, level: float) -> Computed:
    """F1 from the rows that were refused or should have been, each known by whether it was both.

    With j the share of those that were both, F1 is 2j / (1 + j), which only rises with j: so the
    ends of the interval of j give those of F1. The rows of one question are one cluster.
    """
    alone, several = by_question(counted)
    clusters = Counter({(int(both), 1): times for (both,), times in alone.items()})
    clusters.update((asked.get((True,), 0), sum(asked.values())) for asked in several)
    if not clusters:
        return None, None
    hits, rows = (sum(each[n] * count for each, count in clusters.items()) for n in (0, 1))
    low, high = (2 * end / (1 + end) for end in clustered_interval(clusters, level))
    return 2 * hits / (rows + hits), (low, high)


REFUSAL_F1 = Statistic(
    name="refusal_f1",
    title="refusals right both ways",
    of="refused or not answerable",
    how="2 · refused and not answerable / (refused + not answerable)",
    columns=("refused and not answerable",),
    compute=_f1,
    by_question=True,
    says="The harmonic mean of refusal_precision and refusal_recall.",
    extra=True,
)
HEDGED = Ratio(
    name="hedged",
    title="says it cannot answer, then answers",
    of="shipped",
    hit="hedged",
    better="lower",
    tested="answerable and phrased",
    says="Of what was shipped, how much says that it cannot answer and then answers all the same.",
    extra=True,
)
# Only a language pack can tell that a claim hedges.
HEDGED_UNKNOWN = replace(HEDGED, tested="false", untested="no language pack is in force")

REFUSAL_METRICS: tuple[Metric, ...] = (
    Ratio(
        name="refusal_precision",
        title="refusals that were due",
        of="refused",
        hit="not answerable",
        empty=1.0,
        says="Of what was refused, how much has no answer.",
        extra=True,
    ),
    Ratio(
        name="refusal_recall",
        title="refuses what has no answer",
        of="not answerable",
        hit="refused",
        empty=1.0,
        says="Of the questions that have no answer, how many were refused.",
        extra=True,
    ),
    REFUSAL_F1,
    Ratio(
        name="answer_rate",
        title="answered, rightly or not",
        hit="shipped",
        says="Of all gold questions, how many were answered, rightly or not.",
        extra=True,
    ),
    HEDGED,
)
