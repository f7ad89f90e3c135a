"""The stability suite's metrics: one number per question over its runs, averaged over questions.

A gate is judged question by question: it fails when any question of its set fails it.
"""

from __future__ import annotations

from ragstone.measure.metric import Mean, Metric, Ratio

ACR = Mean(
    name="acr",
    of="answerable and runs > 0",
    value="acr",
    empty=1.0,
    better="higher",
    says="Answer containment: the share of a question's runs whose claim holds an expected phrase.",
    gate=">= 0.95",
)
CGHC = Mean(
    name="cghc",
    of="answerable and runs > 0",
    value="cghc",
    empty=1.0,
    better="higher",
    says="Citation hits: the share of a question's runs that cite the right evidence.",
    gate=">= 0.95",
)
CSS = Mean(
    name="css",
    of="answerable and runs > 0",
    value="css",
    empty=1.0,
    better="higher",
    says="Citation stability: what all runs cite over what any of them cites.",
    gate=">= 0.70",
)
NED50 = Mean(
    name="ned50",
    of="answerable and runs > 0",
    value="ned50",
    empty=0.0,
    better="lower",
    best=0.0,
    says="Drift of words: the median edit distance between two runs' claims, over the longer one.",
    gate="<= 0.20",
)
RCR = Mean(
    name="rcr",
    of="not answerable and runs > 0",
    value="rcr",
    empty=1.0,
    better="higher",
    says="Refusal consistency: the larger share of refused or not; refusing must be the larger.",
    gate=">= 0.98",
)
SCU_CONS = Mean(
    name="scu_cons",
    of="constrained and runs > 0",
    value="scu_cons",
    empty=1.0,
    better="higher",
    says="Whether every run of a question echoes and keeps its locked constraints.",
    gate=">= 1",
)
IAA = Mean(
    name="iaa",
    of="runs > 0",
    value="iaa",
    empty=1.0,
    better="higher",
    says="The share of pairs of a question's runs that make the same claim, word for word.",
)
NO_RUNS = Ratio(
    name="no_runs",
    of="true",
    hit="runs = 0",
    empty=0.0,
    better="lower",
    says="Of all gold questions, how many have no run.",
    gate="= 0",
)

METRICS: tuple[Metric, ...] = (ACR, CGHC, CSS, NED50, RCR, SCU_CONS, IAA, NO_RUNS)
# Shares of runs: their interval is Wilson's, with each question as a cluster.
SHARES = (ACR.name, CGHC.name, RCR.name, SCU_CONS.name)
