"""The agreement suite's metrics, over pairs of labels of the same item."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ragstone.measure.metric import Computed, Counted, Metric, Ratio, Statistic, by_question
from ragstone.suites.agreement.coefficient_intervals import (
    PairUnit,
    alpha_interval,
    kappa_interval,
)
from ragstone.suites.agreement.coefficients import alpha, kappa, matrix_of, units_of


def _kappa(counted: Counted, level: float) -> Computed:
    items: Counter[PairUnit] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    alone, several = by_question(counted)
    for pair, times in alone.items():
        items[((pair, 1),)] += times
        pairs[pair] += times
    for asked in several:
        items[tuple(sorted(asked.items()))] += 1
        pairs.update(asked)
    return kappa(matrix_of(pairs)), kappa_interval(items, level)


def _alpha(counted: Counted, level: float) -> Computed:
    alone, several = by_question(counted)
    units, same = units_of(alone), [units_of(asked) for asked in several]
    every = Counter(units)
    for asked in same:
        every.update(asked)
    return alpha(every), alpha_interval(units, level, same)


PERCENT_AGREEMENT = Ratio(
    name="percent_agreement",
    title="validators give the same label",
    of="true",
    hit="agree",
    empty=1.0,
    better="higher",
    says="Of the items that both validators labelled, how many got the same label.",
    aliases=("agreement",),
    gate=">= 0.90",
)
KAPPA = Statistic(
    name="kappa",
    title="agreement beyond chance",
    of="true",
    how="(observed - expected) / (1 - expected) agreement, nominal, over all four labels",
    columns=("scholar", "auditor"),
    compute=_kappa,
    by_question=True,
    better="higher",
    says="Cohen's kappa: how far the validators agree beyond what their habits alone would give.",
    gate=">= 0.75",
)
ABSTAIN_RATE = Ratio(
    name="abstain_rate",
    title="items that some validator did not label",
    of="true",
    hit="abstained",
    empty=0.0,
    better="lower",
    says="Of the items, how many some validator abstained on.",
    gate="<= 0.02",
)
ABSTAIN_EACH = tuple(
    replace(
        ABSTAIN_RATE,
        name=f"abstain_rate_{who}",
        title=f"items that the {who} did not label",
        hit=f"{who} = 'ABSTAIN'",
        says=f"Of the items, how many the {who} abstained on.",
        gate=None,
    )
    for who in ("scholar", "auditor")
)
ALPHA = Statistic(
    name="alpha",
    title="agreement beyond chance, all validators",
    over="units",
    of="raters > 1",
    how="1 - observed / expected disagreement over pairable labels, nominal",
    columns=("labels",),
    compute=_alpha,
    by_question=True,
    counted="true",
    better="higher",
    says="Krippendorff's alpha: agreement beyond chance for any number of validators.",
)

METRICS: tuple[Metric, ...] = (PERCENT_AGREEMENT, KAPPA, ABSTAIN_RATE, *ABSTAIN_EACH, ALPHA)

# With more than two validators alpha stands in kappa's place, at kappa's threshold.
MANY: tuple[Metric, ...] = (
    replace(
        PERCENT_AGREEMENT,
        over="label_pairs",
        cluster="qid",
        says="Of all pairs of labels that two validators gave to one item, how many are equal.",
    ),
    replace(ALPHA, gate=KAPPA.gate),
    ABSTAIN_RATE,
)
