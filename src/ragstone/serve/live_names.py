"""The plain names of what is measured while records come in, for the live board and `watch`."""

from __future__ import annotations

from ragstone.serve.live_metrics import STAGES

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
    "p95_ratio": ("Slowest stage", "Its time for 95 % of records (p95) over the baseline"),
    **{
        f"p95_{stage}": (f"95 % within, {stage} (p95)", "Milliseconds that 95 % of records took")
        for stage in STAGES
    },
}


def title_of(name: str) -> str:
    """The plain name of a number, with the other in brackets.

    >>> title_of("coverage")
    'Cites what it should (coverage)'
    """
    return NUMBERS[name][0] if name in NUMBERS else name
