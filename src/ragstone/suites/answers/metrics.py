"""The answers suite's metrics: S shipped, R refused, A answerable, U not answerable."""

from __future__ import annotations

from dataclasses import replace

from ragstone.measure.metric import Count, Mean, Metric, Ratio
from ragstone.suites.answers.citation_metrics import CITATION_METRICS
from ragstone.suites.answers.nugget_metrics import NUGGET_METRICS
from ragstone.suites.answers.refusal_metrics import REFUSAL_METRICS
from ragstone.suites.support.support_metrics import EXTRA_SUPPORT_METRICS

PRECISION = Ratio(
    name="precision",
    title="right and rightly cited",
    of="shipped",
    hit="answerable and contained and cited and not forbidden",
    empty=1.0,
    tested="not answerable or phrased or evidenced or guarded",
    says="Of what was shipped, how much is right and rightly cited.",
    gate=">= 0.80",
)
# With SCU enforced, an answer is right only if its locked constraints are intact too.
PRECISION_SCU = replace(
    PRECISION,
    title="right, rightly cited, constraints kept",
    hit="answerable and contained and cited and not forbidden and intact",
    tested="not answerable or phrased or evidenced or guarded or constrained",
    says="Of what was shipped, how much is right, rightly cited, and keeps its constraints.",
)
CHR = Ratio(
    name="chr",
    title="cites the right evidence",
    of="shipped",
    hit="answerable and cited",
    empty=1.0,
    tested="not answerable or evidenced",
    says="Citation hit rate: of what was shipped, how much cites the right evidence, all of it "
    "retrieved.",
    gate=">= 0.75",
)
UNDER_REFUSAL = Ratio(
    name="under_refusal",
    title="answered though it has no answer",
    of="not answerable",
    hit="shipped",
    better="lower",
    says="Of the questions that have no answer, how many were answered anyway.",
    aliases=("under", "false_answer_rate"),
    gate="<= 0.05",
)
OVER_REFUSAL = Ratio(
    name="over_refusal",
    title="refused though it has an answer",
    of="answerable",
    hit="refused",
    better="lower",
    says="Of the questions that have an answer, how many were refused.",
    aliases=("over", "false_refusal_rate"),
    gate="<= 0.10",
)

METRICS: tuple[Metric, ...] = (
    PRECISION,
    CHR,
    UNDER_REFUSAL,
    OVER_REFUSAL,
    Ratio(
        name="recall@k",
        title="all evidence retrieved",
        of="answerable",
        hit="recalled",
        tested="gold_count > 0",
        says="Of the answerable questions, how many had all their evidence in the first k "
        "retrieved.",
        aliases=("full_recall@k",),
    ),
    Ratio(
        name="recall_any@k",
        title="some evidence retrieved",
        of="answerable",
        hit="reachable",
        tested="gold_count > 0",
        says="Of the answerable questions, how many had some of their evidence in the first k "
        "retrieved.",
        aliases=("hit_rate@k",),
    ),
    Mean(
        name="recall_frac@k",
        title="share of the evidence retrieved",
        of="answerable",
        value="case when gold_count = 0 then 1.0::double else gold_found::double / gold_count end",
        tested="gold_count > 0",
        says="The share of a question's evidence in the first k retrieved, averaged over the "
        "answerable questions.",
    ),
    Ratio(
        name="chr_bound@k",
        title="could have cited the right evidence",
        of="shipped",
        hit="answerable and reachable",
        empty=1.0,
        tested="not answerable or gold_count > 0",
        says="The best chr that citing from the first k retrieved allows.",
    ),
    Ratio(
        name="containment",
        title="says what is expected",
        of="shipped and answerable",
        hit="contained",
        empty=1.0,
        tested="phrased",
        says="Of the shipped answers to answerable questions, how many hold what gold expects: "
        "a phrase, a typed answer or, where there is neither, every vital nugget.",
    ),
    Ratio(
        name="scu",
        title="keeps its constraints",
        of="shipped and constrained",
        hit="intact",
        empty=1.0,
        says="Of the shipped answers under locked constraints, how many echo and keep them.",
    ),
    Count(
        name="scu_violations",
        title="answers that break a constraint",
        of="shipped and constrained",
        hit="not intact",
        better="lower",
        says="Shipped answers whose locked constraints were not echoed, or were contradicted.",
    ),
    Ratio(
        name="missing",
        title="no answer in the trace",
        hit="missing",
        better="lower",
        says="Of all gold questions, how many have no trace or no claim.",
        gate="= 0",
    ),
    Ratio(
        name="unscoped",
        title="cites what was not retrieved",
        of="shipped",
        hit="not scoped",
        better="lower",
        says="Of what was shipped, how much cites an id that was not retrieved.",
    ),
    *CITATION_METRICS,
    *NUGGET_METRICS,
    *REFUSAL_METRICS,
    *EXTRA_SUPPORT_METRICS,
)

# Numbers that look at what was retrieved: without scope they cannot be computed.
BY_RETRIEVED = ("recall@k", "recall_any@k", "recall_frac@k", "chr_bound@k", "unscoped")
