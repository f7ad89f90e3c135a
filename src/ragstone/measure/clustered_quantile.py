"""The interval of a quantile where the same question was asked again and again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ragstone.measure.interval import (
    Interval,
    quantile_linear,
    quantile_ranks,
    samples_for_quantile,
)


def clustered_quantile_interval(
    clusters: Sequence[Sequence[float]], q: float, level: float = 0.95
) -> tuple[Interval, int | None]:
    """Where the q-quantile could truly lie when the values of a cluster rise and fall together.

    How many of a cluster's values fall below the quantile says how many independent values all of
    them are worth (as for a clustered share), and the ranks among those are taken for ranks among
    all. The number is how many values like these would give both ends, None where both are there.

    >>> hundred = [[float(n)] for n in range(1, 101)]
    >>> clustered_quantile_interval(hundred, 0.5), clustered_quantile_interval(hundred, 0.99)
    (((40.0, 61.0), None), ((97.0, None), 368))
    >>> clustered_quantile_interval([each * 4 for each in hundred], 0.5)[0]
    (40.0, 61.0)
    """
    values = [(value, 1) for value in sorted(chain.from_iterable(clusters))]
    point, rows = quantile_linear(values, q), len(values)
    below = [sum(value <= point for value in cluster) for cluster in clusters]
    hits = sum(below)
    spread = sum(
        (rows * hit - hits * len(cluster)) ** 2
        for hit, cluster in zip(below, clusters, strict=True)
    )
    worth = min(rows, hits * (rows - hits) * rows**2 // spread) if spread else len(clusters)
    worth = max(1, worth)
    low, high = quantile_ranks(worth, q, level)
    # Of the rest of the values as many lie outside as of those they are worth.
    smallest = values[(low - 1) * rows // worth][0] if low >= 1 else None
    largest = values[-1 - (worth - high) * rows // worth][0] if high <= worth else None
    needs = -(-samples_for_quantile(q, level) * rows // worth)
    return (smallest, largest), needs if None in (smallest, largest) else None
