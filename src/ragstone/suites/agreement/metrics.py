"""The agreement suite's metrics, over pairs of labels of the same item."""

from __future__ import annotations

from dataclasses import replace

from ragstone.measure.metric import Metric, Ratio, Statistic

PERCENT_AGREEMENT = Ratio(
    name="percent_agreement",
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
    of="true",
    how="(observed - expected) / (1 - expected) agreement, nominal, over all four labels",
    better="higher",
    says="Cohen's kappa: how far the validators agree beyond what their habits alone would give.",
    gate=">= 0.75",
)
ABSTAIN_RATE = Ratio(
    name="abstain_rate",
    of="true",
    hit="abstained",
    empty=0.0,
    better="lower",
    says="Of the items, how many some validator abstained on.",
    gate="<= 0.02",
)
ABSTAIN_SCHOLAR = Ratio(
    name="abstain_rate_scholar",
    of="true",
    hit="scholar = 'ABSTAIN'",
    empty=0.0,
    better="lower",
    says="Of the items, how many the scholar abstained on.",
)
ABSTAIN_AUDITOR = Ratio(
    name="abstain_rate_auditor",
    of="true",
    hit="auditor = 'ABSTAIN'",
    empty=0.0,
    better="lower",
    says="Of the items, how many the auditor abstained on.",
)
ALPHA = Statistic(
    name="alpha",
    of="items that at least two labelled",
    how="1 - observed / expected disagreement over pairable labels, nominal",
    better="higher",
    says="Krippendorff's alpha: agreement beyond chance for any number of validators.",
)

METRICS: tuple[Metric, ...] = (
    PERCENT_AGREEMENT,
    KAPPA,
    ABSTAIN_RATE,
    ABSTAIN_SCHOLAR,
    ABSTAIN_AUDITOR,
    ALPHA,
)

# With more than two validators alpha stands in kappa's place, at kappa's threshold.
MANY: tuple[Metric, ...] = (
    replace(
        PERCENT_AGREEMENT,
        says="Of all pairs of labels that two validators gave to one item, how many are equal.",
    ),
    replace(ALPHA, gate=KAPPA.gate),
    ABSTAIN_RATE,
)
