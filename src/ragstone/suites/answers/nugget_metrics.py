"""The metrics of what an answer should hold in parts, and of what it must not say."""

from __future__ import annotations

from ragstone.measure.metric import Mean, Metric, Ratio

# Nuggets say what a full answer holds: of a refusal, or of a question without an answer, they say
# nothing, and refusing too often has metrics of its own.
_NUGGETS = "shipped and answerable and nugget_count > 0"
_VITAL = "shipped and answerable and vital_count > 0"

NUGGET_METRICS: tuple[Metric, ...] = (
    Mean(
        name="nugget_recall",
        title="share of the expected facts told",
        of=_NUGGETS,
        value="nuggets_found::double / nugget_count",
        says="The share of a question's nuggets that the shipped answer holds, averaged over the "
        "answerable questions that have nuggets.",
        extra=True,
    ),
    Mean(
        name="nugget_vital_recall",
        title="share of the vital facts told",
        of=_VITAL,
        value="vital_found::double / vital_count",
        says="The same of the vital nuggets alone.",
        extra=True,
    ),
    Ratio(
        name="nugget_all_vital",
        title="tells every vital fact",
        of=_VITAL,
        hit="vital_found = vital_count",
        says="Of the shipped answers to answerable questions with vital nuggets, how many hold "
        "every vital one.",
        extra=True,
    ),
    Ratio(
        name="forbidden",
        title="says what it must not say",
        of="shipped",
        hit="forbidden",
        better="lower",
        tested="guarded",
        says="Of what was shipped, how much says what its question's must_not forbids.",
        extra=True,
    ),
)
