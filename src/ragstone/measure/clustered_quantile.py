"""The interval of a quantile where the same question was asked again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragstone.measure.interval import (
    Interval,
    at_ranks,
    quantile_linear,
    quantile_ranks,
    samples_for_quantile,
)


def clustered_quantile_interval(
    clusters: Sequence[Sequence[float]],
    q: float,
    level: float = 0.95,
    times: Sequence[int] = (),
) -> tuple[Interval, int | None]:
    """Where the q-quantile could truly lie when the values of a cluster rise and fall together.

    How many of a cluster's values fall below the quantile says how many independent values all of
    them are worth (as for a clustered share), and the ranks among those are taken for ranks among
    all. The number is how many values like these would give both ends, None where both are there.
    Of each cluster there are so many `times`, or one.

    >>> hundred = [[float(n)] for n in range(1, 101)]
    >>> clustered_quantile_interval(hundred, 0.5), clustered_quantile_interval(hundred, 0.99)
    (((40.0, 61.0), None), ((97.0, None), 368))
    >>> clustered_quantile_interval([each * 4 for each in hundred], 0.5)[0]
    (40.0, 61.0)
    """
    counted = list(zip(clusters, times or [1] * len(clusters), strict=True))
    found: Counter[float] = Counter()
    for cluster, count in counted:
        for value in cluster:
            found[value] += count
    values, rows = sorted(found.items()), found.total()
    point = quantile_linear(values, q)
    below = [(sum(value <= point for value in cluster), cluster, n) for cluster, n in counted]
    hits = sum(hit * count for hit, _, count in below)
    spread = sum(count * (rows * hit - hits * len(each)) ** 2 for hit, each, count in below)
    most = sum(count for _, count in counted)
    worth = min(rows, hits * (rows - hits) * rows**2 // spread) if spread else most
    worth = max(1, worth)
    low, high = quantile_ranks(worth, q, level)
    # Of the rest of the values as many lie outside as of those they are worth.
    first, last = 1 + (max(1, low) - 1) * rows // worth, rows - max(0, worth - high) * rows // worth
    smallest, largest = at_ranks(values, first, last)
    ends = smallest if low >= 1 else None, largest if high <= worth else None
    needs = -(-samples_for_quantile(q, level) * rows // worth)
    return ends, needs if None in ends else None
