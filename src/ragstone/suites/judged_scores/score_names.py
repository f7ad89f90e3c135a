"""What the metrics of other tools' scores are called."""

from __future__ import annotations

PREFIX = "judge."


def is_score(name: str) -> bool:
    """Whether a metric is another tool's score.

    >>> is_score("judge.faithfulness"), is_score("precision")
    (True, False)
    """
    return name.startswith(PREFIX)
