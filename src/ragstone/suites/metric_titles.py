"""What a metric is called in plain words, for those who have its name and its suite alone."""

from __future__ import annotations

import re
from functools import cache

from ragstone.measure.metric import Metric
from ragstone.suites.declaration import AnySuite
from ragstone.suites.registry import entries, find_suite

# How the change of a metric is called: by the canary, and by every comparison.
CHANGE = "_delta"


def metrics_of(suite: AnySuite) -> tuple[Metric, ...]:
    """Every metric of a suite as its default options have it, then those that others bring."""
    own, fullest = (suite.metrics(suite.options(**more)) for more in ({}, suite.fullest))
    names = {metric.name for metric in own}
    return (*own, *(metric for metric in fullest if metric.name not in names))


def metric_title(suite: str, name: str) -> str:
    """The plain name of a metric; empty where no suite of that name declares one.

    >>> metric_title("answers", "chr"), metric_title("context", "P@7")
    ('cites the right evidence', 'share of the first 7 that is relevant')
    >>> metric_title("answers", "chr_delta"), metric_title("answers", "judge.tone")
    ('cites the right evidence, against the baseline', '')
    """
    if suite not in {entry.name for entry in entries()}:
        return ""
    titles, whole = _titles(find_suite(suite)), name.partition("[")[0]
    found = titles.get(whole) or _cut_elsewhere(titles, whole)
    if not found and whole.endswith(CHANGE):
        return change_title(metric_title(suite, whole.removesuffix(CHANGE)))
    return found


def change_title(title: str) -> str:
    """What the change of a metric is called."""
    return title and f"{title}, against the baseline"


@cache
def _titles(suite: AnySuite) -> dict[str, str]:
    return {metric.name: metric.title for metric in metrics_of(suite)}


def _cut_elsewhere(titles: dict[str, str], name: str) -> str:
    """The title of `P@7` from that of `P@10`: it says the same of another number of documents."""
    found = re.fullmatch(r"(.+@)(\d+)(.*)", name)
    if found is None:
        return ""
    stem, depth, rest = found.groups()
    for known, title in titles.items():
        other = re.fullmatch(re.escape(stem) + r"(\d+|k)" + re.escape(rest), known)
        if other is not None:
            return re.sub(rf"\b{other[1]}\b", depth, title)
    return ""
