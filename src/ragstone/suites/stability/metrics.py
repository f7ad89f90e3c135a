"""The stability suite's metrics: one number per question over its runs, averaged over questions.

A gate is judged question by question: it fails when any question of its set fails it.
"""

from __future__ import annotations

from dataclasses import replace

from ragstone.measure.metric import Mean, Metric, Ratio

ACR = Mean(
    name="acr",
    title="runs that say what is expected",
    of="answerable and runs > 0",
    value="acr",
    empty=1.0,
    better="higher",
    share=True,
    repeats="runs",
    tested="phrased",
    says="Answer containment: the share of a question's runs whose claim holds an expected phrase.",
    gate=">= 0.95",
)
CGHC = replace(
    ACR,
    name="cghc",
    title="runs that cite the right evidence",
    value="cghc",
    tested="evidenced",
    says="Citation hits: the share of a question's runs that cite the right evidence.",
)
CSS = Mean(
    name="css",
    title="runs that cite the same",
    of="answerable and runs > 0",
    value="css",
    empty=1.0,
    better="higher",
    tested="runs > 1",
    untested="no question has two runs that could differ",
    says="Citation stability: what all runs cite over what any of them cites.",
    gate=">= 0.70",
)
NED50 = replace(
    CSS,
    name="ned50",
    title="drift of words between runs",
    value="ned50",
    empty=0.0,
    better="lower",
    best=0.0,
    says="Drift of words: the median edit distance between two runs' claims, over the longer one.",
    gate="<= 0.20",
)
RCR = replace(
    ACR,
    name="rcr",
    title="runs that refuse alike",
    of="not answerable and runs > 0",
    value="rcr",
    tested="true",
    says="Refusal consistency: the larger share of refused or not; refusing must be the larger.",
    gate=">= 0.98",
)
SCU_CONS = replace(
    RCR,
    name="scu_cons",
    title="every run keeps its constraints",
    of="constrained and runs > 0",
    value="scu_cons",
    says="Whether every run of a question echoes and keeps its locked constraints.",
    gate=">= 1",
)
IAA = replace(
    CSS,
    name="iaa",
    title="runs that say the same, word for word",
    of="runs > 0",
    value="iaa",
    says="The share of pairs of a question's runs that make the same claim, word for word.",
    gate=None,
)
NO_RUNS = Ratio(
    name="no_runs",
    title="questions without a run",
    of="true",
    hit="runs = 0",
    empty=0.0,
    better="lower",
    says="Of all gold questions, how many have no run.",
    gate="= 0",
)

METRICS: tuple[Metric, ...] = (ACR, CGHC, CSS, NED50, RCR, SCU_CONS, IAA, NO_RUNS)
# The numbers that a question has of its own, in the order of the report.
PER_QUESTION = tuple(metric.name for metric in METRICS if isinstance(metric, Mean))
