"""What only `--keep all` can say: how a question fares over all of its repeats."""

from __future__ import annotations

from ragstone.measure.metric import Metric, Ratio


def right(precision: Ratio) -> str:
    """The rows that are right, as SQL: an answer as precision counts it, or a due refusal."""
    return f"case when answerable then shipped and ({precision.hit}) else refused end"


def repeat_metrics(precision: Ratio) -> tuple[Metric, ...]:
    return (
        Ratio(
            name="pass_all",
            title="right in every repeat",
            over="questions",
            hit="right_rows = all_rows",
            empty=1.0,
            tested="tested",
            costs=f"not ({right(precision)})",
            says="Of the questions, how many are right in all of their repeats: each answer right "
            "as precision counts it, or refused where there is no answer.",
            extra=True,
        ),
    )
