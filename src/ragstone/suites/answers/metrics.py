"""The answers suite's metrics: S shipped, R refused, A answerable, U not answerable."""

from __future__ import annotations

from dataclasses import replace

from ragstone.measure.metric import Count, Mean, Metric, Ratio

PRECISION = Ratio(
    name="precision",
    of="shipped",
    hit="answerable and contained and cited",
    empty=1.0,
    better="higher",
    says="Of what was shipped, how much is right and rightly cited.",
    gate=">= 0.80",
)
# With SCU enforced, an answer is right only if its locked constraints are intact too.
PRECISION_SCU = replace(
    PRECISION,
    hit="answerable and contained and cited and intact",
    says="Of what was shipped, how much is right, rightly cited, and keeps its constraints.",
)
CHR = Ratio(
    name="chr",
    of="shipped",
    hit="answerable and cited",
    empty=1.0,
    better="higher",
    says="Citation hit rate: of what was shipped, how much cites the right evidence, all of it "
    "retrieved.",
    gate=">= 0.75",
)
UNDER_REFUSAL = Ratio(
    name="under_refusal",
    of="not answerable",
    hit="shipped",
    empty=0.0,
    better="lower",
    says="Of the questions that have no answer, how many were answered anyway.",
    aliases=("under",),
    gate="<= 0.05",
)
OVER_REFUSAL = Ratio(
    name="over_refusal",
    of="answerable",
    hit="refused",
    empty=0.0,
    better="lower",
    says="Of the questions that have an answer, how many were refused.",
    aliases=("over",),
    gate="<= 0.10",
)
RECALL = Ratio(
    name="recall@k",
    of="answerable",
    hit="recalled",
    empty=0.0,
    better="higher",
    says="Of the answerable questions, how many had all their evidence in the first k retrieved.",
)
RECALL_ANY = Ratio(
    name="recall_any@k",
    of="answerable",
    hit="reachable",
    empty=0.0,
    better="higher",
    says="Of the answerable questions, how many had some of their evidence in the first k "
    "retrieved.",
)
RECALL_FRAC = Mean(
    name="recall_frac@k",
    of="answerable",
    value="case when gold_count = 0 then 1.0::double else gold_found::double / gold_count end",
    empty=0.0,
    better="higher",
    says="The share of a question's evidence in the first k retrieved, averaged over the "
    "answerable questions.",
)
CHR_BOUND = Ratio(
    name="chr_bound@k",
    of="shipped",
    hit="answerable and reachable",
    empty=1.0,
    better="higher",
    says="The best chr that citing from the first k retrieved allows.",
)
CONTAINMENT = Ratio(
    name="containment",
    of="shipped and answerable",
    hit="contained",
    empty=1.0,
    better="higher",
    says="Of the shipped answers to answerable questions, how many hold an expected phrase.",
)
SCU = Ratio(
    name="scu",
    of="shipped and constrained",
    hit="intact",
    empty=1.0,
    better="higher",
    says="Of the shipped answers under locked constraints, how many echo and keep them.",
)
SCU_VIOLATIONS = Count(
    name="scu_violations",
    of="shipped and constrained",
    hit="not intact",
    better="lower",
    says="Shipped answers whose locked constraints were not echoed, or were contradicted.",
)
MISSING = Ratio(
    name="missing",
    of="true",
    hit="missing",
    empty=0.0,
    better="lower",
    says="Of all gold questions, how many have no trace or no claim.",
    gate="= 0",
)
UNSCOPED = Ratio(
    name="unscoped",
    of="shipped",
    hit="not scoped",
    empty=0.0,
    better="lower",
    says="Of what was shipped, how much cites an id that was not retrieved.",
)

METRICS: tuple[Metric, ...] = (
    PRECISION,
    CHR,
    UNDER_REFUSAL,
    OVER_REFUSAL,
    RECALL,
    RECALL_ANY,
    RECALL_FRAC,
    CHR_BOUND,
    CONTAINMENT,
    SCU,
    SCU_VIOLATIONS,
    MISSING,
    UNSCOPED,
)


def metrics(scu_enforced: bool) -> tuple[Metric, ...]:
    """The declarations in force: enforcing SCU changes what precision counts as right."""
    if not scu_enforced:
        return METRICS
    return (PRECISION_SCU, *METRICS[1:])


def default_gates(scu_enforced: bool, missing: str) -> list[tuple[str, str]]:
    """The gates of the spec; with --missing answered there is no bucket left to gate."""
    gates = [(metric.name, metric.gate) for metric in METRICS if metric.gate is not None]
    if scu_enforced:
        gates.append((SCU_VIOLATIONS.name, "= 0"))
    return [pair for pair in gates if missing == "fail" or pair[0] != MISSING.name]
