"""The context suite's metrics, over the questions that have a gold document."""

from __future__ import annotations

from collections.abc import Iterable

from ragstone.errors import ConfigError
from ragstone.measure.metric import Mean, Metric, Ratio
from ragstone.suites.ranking.ranking_measures import Measure, measure, ranking_metric

SCORED = "scored"


def _mean(name: str, title: str, says: str) -> Mean:
    return Mean(
        name=name,
        title=title,
        of=SCORED,
        value=f'"{name}"',
        empty=1.0,
        better="higher",
        says=says,
    )


def _count(name: str, title: str, says: str) -> Mean:
    # No number of documents is the best one: with 0 as the best, none costs a question anything.
    return Mean(
        name=name,
        title=title,
        of=SCORED,
        value=name,
        empty=0.0,
        better="higher",
        says=says,
        best=0.0,
        bounds=None,
    )


CONTEXT_RECALL = _mean(
    "context_recall",
    "share of the right documents retrieved",
    "The share of a question's gold documents that were retrieved.",
)
CONTEXT_PRECISION = _mean(
    "context_precision",
    "share of the retrieved that is right",
    "The share of the distinct retrieved documents that are gold.",
)
CONTEXT_F1 = _mean(
    "context_f1",
    "right documents and few others",
    "The harmonic mean of context recall and precision; 0 when both are 0.",
)
NDCG_RETRIEVED = _mean(
    "ndcg@10_retrieved",
    "right order of what was found, first 10",
    "nDCG at 10 by chunk, against the best order of the gold chunks that were retrieved: what the "
    "original evaluator printed. A missed document costs nothing here.",
)
ANY_REF = Ratio(
    name="any_ref",
    title="at least one right document retrieved",
    of=SCORED,
    hit="any_ref",
    empty=1.0,
    better="higher",
    says="Of the questions, how many had at least one gold document retrieved.",
)
ALL_REFS = Ratio(
    name="all_refs",
    title="all right documents retrieved",
    of=SCORED,
    hit="all_refs",
    empty=1.0,
    better="higher",
    says="Of the questions, how many had all their gold documents retrieved.",
)
MISSING = Ratio(
    name="missing",
    title="questions without a result",
    of=SCORED,
    hit="missing",
    empty=0.0,
    better="lower",
    says="Of the questions with gold, how many have no result; each of them scores 0.",
)
RETRIEVED_DOCS = _count(
    "retrieved_docs",
    "documents retrieved per question",
    "Distinct documents retrieved for a question.",
)
GOLD_DOCS = _count("gold_docs", "right documents per question", "Gold documents of a question.")
CORRECT_DOCS = _count(
    "correct_docs",
    "right documents retrieved per question",
    "Gold documents retrieved for a question.",
)

BEFORE: tuple[Metric, ...] = (CONTEXT_RECALL, CONTEXT_PRECISION, CONTEXT_F1)
AFTER: tuple[Metric, ...] = (
    NDCG_RETRIEVED,
    ANY_REF,
    ALL_REFS,
    RETRIEVED_DOCS,
    GOLD_DOCS,
    CORRECT_DOCS,
    MISSING,
)


def measures(k: int, named: Iterable[str] = ()) -> tuple[Measure, ...]:
    """The ranking measures of a run at k, and those that a gate names beyond them."""
    cuts = (f"ndcg@{k}", f"ndcg@{k}_exp", f"P@{k}", f"R@{k}", f"success@{k}")
    names = ["ndcg@10", *cuts, "map", "mrr", "bpref", "rprec"]
    own = {metric.name for metric in (*BEFORE, *AFTER)}
    for name in named:
        if name not in own:
            # What is no measure at all is reported together with the other unknown names.
            try:
                names.append(measure(name).name)
            except ConfigError:
                continue
    return tuple(measure(name) for name in dict.fromkeys(names))


def metrics(found: Iterable[Measure]) -> tuple[Metric, ...]:
    """The declarations in force, in the order of the spec."""
    first, *rest = (ranking_metric(each, SCORED) for each in found)
    return (*BEFORE, first, *AFTER, *rest)


# column of the output files → the metric behind it
COLUMNS = {
    "avg_context_recall": "context_recall",
    "avg_context_precision": "context_precision",
    "avg_context_f1": "context_f1",
    "ndcg_10": "ndcg@10",
    "ndcg_10_retrieved": "ndcg@10_retrieved",
    "pct_records_with_at_least_one_ref": "any_ref",
    "pct_records_with_all_refs": "all_refs",
}
ROW_COLUMNS = {
    "qid": "qid",
    "context_recall": "context_recall",
    "context_precision": "context_precision",
    "context_f1": "context_f1",
    "retrieved_docs_count": "retrieved_docs",
    "gold_docs_count": "gold_docs",
    "correct_docs_count": "correct_docs",
    "ndcg_10": "ndcg@10",
    "ndcg_10_retrieved": "ndcg@10_retrieved",
}
