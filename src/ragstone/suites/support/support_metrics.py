"""Metrics over sentences: does what can be looked up stand in the texts?"""

from __future__ import annotations

from dataclasses import replace

from ragstone.measure.metric import Metric, Ratio


def _answers_with(condition: str) -> str:
    return f"(arm, trace_row) in (select (arm, trace_row) from sentences where {condition})"


SUPPORT = Ratio(
    name="support",
    title="facts found in the texts",
    of="state in ('supported', 'unsupported')",
    hit="state = 'supported'",
    empty=1.0,
    over="sentences",
    # The sentences of one answer rise and fall together.
    cluster="trace_row",
    costs=_answers_with("state = 'unsupported'"),
    untested="no sentence has a number, date or quotation that could be looked up",
    says="Of the sentences with something to check, how many have every number, date and quotation "
    "in the texts that they cite (that were retrieved, where they cite none).",
)

SUPPORT_METRICS: tuple[Metric, ...] = (
    SUPPORT,
    replace(
        SUPPORT,
        name="number_support",
        title="numbers and dates found in the texts",
        of="number_state in ('supported', 'unsupported')",
        hit="number_state = 'supported'",
        costs=_answers_with("number_state = 'unsupported'"),
        untested="no sentence has a number or date that could be looked up",
        says="Of the sentences with a number or date, how many have all of them in those texts.",
    ),
    replace(
        SUPPORT,
        name="quote_support",
        title="quotations found in the texts",
        of="quote_state in ('supported', 'unsupported')",
        hit="quote_state = 'supported'",
        costs=_answers_with("quote_state = 'unsupported'"),
        untested="no sentence has a quotation that could be looked up",
        says="Of the sentences with a quotation of three words or more, how many quote from them.",
    ),
    replace(
        SUPPORT,
        name="checkable",
        title="sentences that can be checked",
        of="true",
        hit="state in ('supported', 'unsupported')",
        costs="",
        untested="no answer was shipped",
        says="Of the sentences of shipped answers, how many could be checked: they hold a number, "
        "date or quotation, and the texts to look it up in are at hand.",
    ),
)
# In a suite that has other numbers to show, where a file of texts is given.
EXTRA_SUPPORT_METRICS: tuple[Metric, ...] = tuple(
    replace(metric, needs="texts", extra=True) for metric in SUPPORT_METRICS
)
BY_TEXTS = tuple(metric.name for metric in SUPPORT_METRICS)
