"""The plain names of what is measured while records come in, for the live board and `watch`."""

from __future__ import annotations

from ragstone.measure.metric import Metric
from ragstone.serve.live_metrics import STAGES
from ragstone.suites.metric_titles import metrics_of
from ragstone.suites.registry import entries, find_suite

# The numbers of the board in the order that people read them: plain names, and what they are.
NUMBERS = {
    "coverage": ("Cites what it should (coverage)", "How far answers cite what they should"),
    "citation_accuracy": (
        "Cites rightly (citation_accuracy)",
        "Answers that cite rightly, of those that cite",
    ),
    "delta_s_median": (
        "Distance of question and snippet, median (ΔS)",
        "Of a question and what is cited first",
    ),
    "delta_s_p90": (
        "Distance of question and snippet, 90 % below (ΔS)",
        "The same, of the worst tenth",
    ),
    "divergence": ("Does not converge (λ)", "Records with a state that does not converge"),
    "top_ten_tau": (
        "Same first ten (Kendall's tau)",
        "How alike the first ten are from one time to the next; 1 is the same order",
    ),
    "index_hashes": ("Index integrity", "Builds of the index that one build of the app met"),
    "late_share": ("Comes too late", "Records that came after their minute was closed"),
    "traffic": ("Traffic", "Records of the last minutes over what is usual: 1 is as many"),
    "p95_ratio": ("Slowest stage", "Its time for 95 % of records (p95) over the baseline"),
    **{
        f"p95_{stage}": (f"95 % within, {stage} (p95)", "Milliseconds that 95 % of records took")
        for stage in STAGES
    },
}

_OTHERS = {"worker_faults": "The server's own work"}


def title_of(name: str) -> str:
    """The plain name of a number, with the other in brackets.

    >>> title_of("coverage"), title_of("answers.chr")
    ('Cites what it should (coverage)', 'Cites the right evidence (answers.chr)')
    """
    if name in NUMBERS:
        return NUMBERS[name][0]
    metric = gated_metric(name)
    plain = metric.title if metric else ""
    return f"{plain[:1].upper()}{plain[1:]} ({name})" if plain else _OTHERS.get(name, name)


def meaning_of(name: str) -> str:
    """What a number of the board is, in a sentence."""
    if name in NUMBERS:
        return NUMBERS[name][1]
    metric = gated_metric(name)
    return metric.says if metric else ""


def gated_metric(name: str) -> Metric | None:
    """The metric of a suite behind a name such as `answers.chr`; None where there is none."""
    suite, dot, own = name.partition("[")[0].partition(".")
    known = {entry.name for entry in entries()}
    every = metrics_of(find_suite(suite)) if dot and suite in known else ()
    return next((metric for metric in every if metric.name == own), None)
