"""The people suite's metrics, over the answers that people labelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ragstone.measure.metric import Computed, Counted, Metric, Ratio, Statistic
from ragstone.suites.agreement.coefficient_intervals import PairUnit, kappa_interval
from ragstone.suites.agreement.coefficients import Matrix, kappa, units_of
from ragstone.suites.people.options import SAID
from ragstone.suites.people.rank_correlation import spearman

VERDICTS = ("right", "wrong", "refused")
# What people call an answer that the gate has so judged.
_SAID_OF = dict(zip(VERDICTS, SAID, strict=True))


def matrix_of(counts: Mapping[Any, int]) -> Matrix:
    """How often each verdict of the gate (a row) met each label of people (a column)."""
    return [[counts.get((gate, said), 0) for said in SAID] for gate in VERDICTS]


def _kappa(counted: Counted, level: float) -> Computed:
    """Over all answers; for the interval those of one question are one item."""
    units: dict[PairUnit, int] = {}
    answers: Counter[tuple[str, str]] = Counter()
    for unit, times in units_of(counted).items():
        pairs = []
        for verdicts, count in unit:
            gate, _, people = verdicts.partition("/")
            pairs.append(((_SAID_OF[gate], people), count))
            answers[gate, people] += count * times
        units[tuple(pairs)] = times
    return kappa(matrix_of(answers)), kappa_interval(units, level)


def _rank_correlation(counted: Counted, level: float) -> Computed:
    """From how often each system's answers are right, and how often people call them correct."""
    right: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for (system, gate, said), times in counted.items():
        right[str(system)] += times if gate == "right" else 0
        correct[str(system)] += times if said == "correct" else 0
        total[str(system)] += times
    shares = [[Fraction(each[name], total[name]) for name in total] for each in (right, correct)]
    return spearman(*shares), None


PERCENT_AGREEMENT = Ratio(
    name="percent_agreement",
    title="judged as people judge it",
    of="not missing",
    hit="agree",
    empty=1.0,
    says="Of the labelled answers, how many the gate judges as people do: right, wrong or refused.",
    aliases=("agreement",),
)
RANK_CORRELATION = Statistic(
    name="rank_correlation",
    title="systems in the order people put them in",
    of="not missing",
    how="Spearman's, ties by average rank, of the systems' shares of right and of correct answers",
    columns=("system", "gate", "people"),
    compute=_rank_correlation,
    says="Whether the gate puts the systems in the order that people put them in.",
)
METRICS: tuple[Metric, ...] = (
    PERCENT_AGREEMENT,
    Statistic(
        name="kappa",
        title="agreement with people beyond chance",
        over="units",
        how="(observed - expected) / (1 - expected) agreement, nominal, over the three verdicts",
        columns=("verdicts",),
        compute=_kappa,
        says="Cohen's kappa: how far gate and people agree beyond what their habits alone would "
        "give.",
    ),
    Ratio(
        name="accepted_correct",
        title="right for people, and accepted",
        of="not missing and people = 'correct'",
        hit="gate = 'right'",
        empty=1.0,
        says="Of the answers that people call correct, how many the gate accepts.",
    ),
    Ratio(
        name="accepted_incorrect",
        title="wrong for people, but accepted",
        of="not missing and people = 'incorrect'",
        hit="gate = 'right'",
        better="lower",
        says="Of the answers that people call incorrect, how many the gate accepts.",
    ),
    Ratio(
        name="refusals_found",
        title="refusals that were recognised",
        of="not missing and people = 'refusal'",
        hit="gate = 'refused'",
        empty=1.0,
        says="Of the answers that people call refusals, how many the gate reads as refusals.",
    ),
    Ratio(
        name="refusals_mistaken",
        title="answers mistaken for refusals",
        of="not missing and people <> 'refusal'",
        hit="gate = 'refused'",
        better="lower",
        says="Of the answers that people do not call refusals, how many the gate reads as such.",
    ),
    Ratio(
        name="missing",
        title="labelled answers in no trace",
        hit="missing",
        better="lower",
        says="Of the labelled answers, how many are in no trace, and so are not compared.",
    ),
    RANK_CORRELATION,
)
