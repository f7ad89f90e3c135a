"""What to give a gate that has nothing to test: the fields behind the rows that it asks for."""

from __future__ import annotations

import re

from ragstone.measure.metric import Change, Metric

# The columns of verdict rows that sets of metrics are made of, and what fills each.
_FILLED_BY = {
    "answerable": "questions that have an answer (answerable: true)",
    "not answerable": "questions that have none (answerable: false)",
    "phrased": "gold_claim_substr, gold_answer or nuggets",
    "evidenced": "gold_citations or gold_citations_any",
    "gold_count": "gold_citations",
    "guarded": "must_not",
    "constrained": "constraints",
    "nugget_count": "nuggets",
    "vital_count": "nuggets that are vital",
    "sentences": "answers in sentences (claims)",
    "shipped": "answers that are no refusals",
    "refused": "answers that refuse",
    "cited": "answers with citations",
    "state": "answers with figures, dates or quotations, and the texts that they cite",
    "number_state": "answers with figures or dates, and the texts that they cite",
    "quote_state": "answers with quotations, and the texts that they cite",
    "anchored": "gold questions with an anchor",
    "answered": "answers with citations in the log",
    "iou": "offsets in the log and in gold",
    "proximity": "section ids in the log, and an anchor in gold",
    "delta_s": "ΔS in the log, or the texts of chunks",
    "has_negatives": "negatives in gold",
    "runs": "two runs of a question",
    "displacement": "questions whose evidence both indexes find",
    "scored": "references of the questions",
    "gold_docs": "judged documents of the questions",
    "rps": "samples under a load (rps) of 5 and more",
    "raters": "items with two labels",
    "missing": "answers to the labelled questions",
    "people": "labels of people of each kind",
    "latency_ms": "latency_ms in the traces",
    "cost_usd": "cost_usd in the traces",
}
_NEARLY_ALWAYS = ("shipped", "runs")
_COLUMN = re.compile(r"not answerable\b|[a-z_]+")


def supply(metric: Metric, *, tested: bool) -> str:
    """What fills the set of a metric, or where that holds something, what is `tested` of it.

    >>> from ragstone.suites.answers.metrics import CHR, UNDER_REFUSAL
    >>> supply(UNDER_REFUSAL, tested=False)
    'questions that have none (answerable: false)'
    """
    condition = metric.tested if tested else metric.of
    if isinstance(metric, Change) or condition in ("true", "false"):
        return ""
    asked = [*dict.fromkeys(each for each in _COLUMN.findall(condition) if each in _FILLED_BY)]
    if " and " in condition:
        # Of what has to come together, the rarest is missing: it is named last.
        asked = [each for each in asked if each not in _NEARLY_ALWAYS][-1:] or asked
    return ", or ".join(_FILLED_BY[column] for column in asked)
