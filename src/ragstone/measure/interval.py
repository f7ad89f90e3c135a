"""How far a measured number could be from the truth: an interval for a share, a mean, a quantile.

Two-sided, at 95 % unless told. The point that was measured always lies inside its interval. An end
that so few values cannot reach at the level is open: it is None, and proves nothing.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from ragstone.measure.deviates import normal_deviate, t_deviate
from ragstone.measure.exact_interval import exact_interval

if TYPE_CHECKING:
    from fractions import Fraction

Interval = tuple[float | None, float | None]
Closed = tuple[float, float]
"""An interval of which no end can be open."""
Distribution = list[tuple[float, int]]
Clusters = Mapping[tuple[int, int], int]
"""How many clusters have so many hits among so many rows."""

_Counted = Sequence[tuple[Sequence[float], int]]

# Thresholds are compared with this much room, as the gates do.
TOLERANCE = 1e-9

# Fewer questions than this say too little of how far a number without bounds can go.
LEAST_FOR_T = 5


def wilson(hits: float, n: float, level: float = 0.95) -> Closed:
    """Where a share of `hits` in `n` could truly lie, roughly: for what is no whole number of rows.

    >>> low, high = wilson(8, 10)
    >>> f"{low:.4f} {high:.4f}"
    '0.4902 0.9433'
    >>> wilson(0, 5)[0], wilson(5, 5)[1]
    (0.0, 1.0)
    """
    if not 0 <= hits <= n or n <= 0:
        raise ValueError(f"expected 0 <= hits <= n and n > 0, found {hits} of {n}")
    return _wilson(hits / n, (n - hits) / n, n, level)


def clustered_interval(clusters: Clusters, level: float = 0.95) -> Closed:
    """Where a share could truly lie when rows come in clusters, such as paraphrases of a question.

    Rows that rise and fall together are worth fewer than they are: `_effective` ones. Each end is
    the wider of theirs and of the exact one of as many whole questions as the clusters' shares add
    up to. Clusters of one row have the exact interval of their rows.

    >>> clustered_interval({(1, 1): 2, (0, 1): 1}) == exact_interval(2, 3)
    True
    >>> clustered_interval({(4, 4): 2, (0, 4): 1}) == exact_interval(2, 3)
    True
    """
    hits = rows = hits_squared = hits_by_rows = rows_squared = 0
    for (hit, size), count in clusters.items():
        hits, rows = hits + hit * count, rows + size * count
        hits_squared += hit * hit * count
        hits_by_rows += hit * size * count
        rows_squared += size * size * count
    if not rows:
        raise ValueError("expected at least one cluster with a row, found none")
    if rows == rows_squared:
        return exact_interval(hits, rows, level)
    # The sum over clusters of (rows * hit - hits * size)², in whole numbers: nothing is rounded.
    spread = rows**2 * hits_squared - 2 * rows * hits * hits_by_rows + hits**2 * rows_squared
    alone = rows * hits * (rows - hits)
    effective = _effective(rows, hits, rows_squared, max(spread, alone))
    # In parts of which every cluster's share is a whole number of.
    part = math.lcm(*(size for _, size in clusters if size))
    shares = sum(hit * (part // size) * count for (hit, size), count in clusters.items() if size)
    whole = shares // part, -(-shares // part)
    questions = sum(count for (_, size), count in clusters.items() if size)
    around = _wilson(hits / rows, (rows - hits) / rows, effective, level)
    return _wider(around, whole, questions, level)


def shares_interval(values: Distribution, level: float = 0.95, most: int = 0) -> Closed:
    """Where the mean of numbers from 0 to 1 could truly lie, such as a share of each question.

    The rule of a share with clusters, each number a question that hits in part: as many yes-or-no
    rows as would vary as much, and no end narrower than the exact one of whole questions. Numbers
    that are all 0 or 1 have the exact interval. `most` is how many repeats the shares were taken
    over in all, where that is known: no more rows than that count.

    >>> shares_interval([(0.0, 2), (1.0, 8)]) == exact_interval(8, 10)
    True
    >>> shares_interval([(1.0, 10)]) == exact_interval(10, 10)
    True
    >>> low, high = shares_interval([(0.5, 10)])
    >>> f"{low:.4f} {high:.4f}"
    '0.1871 0.8129'
    """
    return _shares(values, exact_mean(values), level, most)


def mean_interval(
    values: Distribution,
    level: float = 0.95,
    bounds: Closed | None = None,
    mean: float | None = None,
) -> Closed | None:
    """Where the mean of values, each with its count, could truly lie.

    `bounds` are what the value itself cannot leave: between two numbers, the mean is one of shares
    of the way from one to the other (`shares_interval`). Otherwise it is Student's t, from five
    values on. The `mean` need not be worked out again where it is known.

    >>> low, high = mean_interval([(1.0, 2), (2.0, 1), (3.0, 2)])
    >>> f"{low:.4f} {high:.4f}"
    '0.7583 3.2417'
    >>> mean_interval([(2.5, 4)]) is None
    True
    >>> low, high = mean_interval([(2.5, 4)], bounds=(0.0, 5.0))
    >>> f"{low:.4f} {high:.4f}"
    '0.3379 4.6621'
    """
    n = sum([count for _, count in values])
    if not n:
        return None
    if mean is None:
        mean = exact_mean(values)
    low, high = bounds or (-math.inf, math.inf)
    if math.isfinite(high - low):
        if (low, high) == (0.0, 1.0):
            return _shares(values, mean, level)
        scaled = [((value - low) / (high - low), count) for value, count in values]
        return _unscaled(shares_interval(scaled, level), low, high, mean)
    if n < LEAST_FOR_T:
        return None
    half = t_deviate(n - 1, level) * math.sqrt(_squares(values, mean) / (n - 1) / n)
    return max(low, mean - half), min(high, mean + half)


def clustered_mean_interval(
    clusters: Sequence[Sequence[float]],
    mean: float,
    level: float = 0.95,
    bounds: Closed | None = None,
    times: Sequence[int] = (),
) -> Closed | None:
    """Where the mean of all values could truly lie when those of a cluster rise and fall together.

    The same as `mean_interval`, with the clusters in place of the rows; each has a value. Of each
    there are so many `times`, or one.

    >>> clusters = [[0.0, 0.0], [1.0, 1.0]]
    >>> clustered_mean_interval(clusters, 0.5, bounds=(0.0, 1.0)) == exact_interval(1, 2)
    True
    """
    counted = list(zip(clusters, times or [1] * len(clusters), strict=True))
    rows, count = (sum(len(values) * n for values, n in counted), sum(n for _, n in counted))
    low, high = bounds or (-math.inf, math.inf)
    if math.isfinite(high - low):
        scaled = [([(value - low) / (high - low) for value in each], n) for each, n in counted]
        return _unscaled(_clustered_shares(scaled, rows, level), low, high, mean)
    if count < LEAST_FOR_T:
        return None
    variance = _cluster_squares(counted, mean) * count / (count - 1) / rows**2
    half = t_deviate(count - 1, level) * math.sqrt(variance)
    return max(low, mean - half), min(high, mean + half)


def quotient(number: float, by: float) -> float | None:
    """One number over another; None over 0, or over so little that the result is infinite.

    >>> quotient(1.0, 4.0), quotient(1.0, 0.0), quotient(1e15, 5e-324)
    (0.25, None, None)
    """
    found = number / by if by else math.inf
    return found if math.isfinite(found) else None


def quantile_linear(values: Distribution, q: float) -> float:
    """The q-quantile of values, sorted and each with its count, by linear interpolation.

    Rounded once, at the end: 0.9 is nine tenths here, and not the double next to it.

    >>> ladder = [(100.0 * n, 1) for n in range(1, 21)]
    >>> [quantile_linear(ladder, q) for q in (0.5, 0.9, 0.95, 0.99)]
    [1050.0, 1810.0, 1905.0, 1981.0]
    """
    from fractions import Fraction

    rank = _linear_rank(sum(count for _, count in values), q)
    below, above = map(Fraction, at_ranks(values, math.floor(rank), math.ceil(rank)))
    return float(below + (above - below) * (rank % 1))


def quantile_interval(values: Distribution, q: float, level: float = 0.95) -> Interval:
    """Where the q-quantile could truly lie: two of the values themselves, whatever their shape.

    How many values fall below the true quantile is binomial; the ranks leave at most half of the
    error on each side. Where even the smallest or the largest value leaves more, that end is open.

    >>> hundred = [(float(n), 1) for n in range(1, 101)]
    >>> quantile_interval(hundred, 0.5), quantile_interval(hundred, 0.99)
    ((40.0, 61.0), (97.0, None))
    """
    n = sum(count for _, count in values)
    low, high = quantile_ranks(n, q, level)
    smallest, largest = at_ranks(values, max(1, low), min(n, high))
    return smallest if low >= 1 else None, largest if high <= n else None


def quantile_ranks(n: int, q: float, level: float) -> tuple[int, int]:
    """The ranks, from 1, of the two of n values between which the q-quantile lies.

    A rank of 0, or of more than n, is one that so few values do not have.
    """
    first, weights = binomial_weights(n, q)
    # A tail that is equal to the allowance on paper must not exceed it by rounding.
    allowed = math.fsum(weights) * (1 - level) / 2 * (1 + 1e-12)
    low = first + _where_passed(weights, allowed)
    high = first + len(weights) - _where_passed(reversed(weights), allowed)
    point = _linear_rank(n, q)
    return min(low, math.floor(point)), max(high, math.ceil(point))


def samples_for_quantile(q: float, level: float = 0.95) -> int:
    """From how many values on the interval of the q-quantile has both its ends.

    An end is there when all values fall on one side of the true quantile rarely enough.

    >>> [samples_for_quantile(q) for q in (0.5, 0.9, 0.95, 0.99)]
    [6, 36, 72, 368]
    """
    # The same room as the interval gives its tails, or the two would disagree at a whole number.
    allowed = (1 - level) / 2 * (1 + 1e-12)
    return math.ceil(math.log(allowed) / math.log(max(q, 1 - q)))


def has_open_end(ends: Interval | None) -> bool:
    """Whether there is an interval, and one of its ends is out of reach."""
    return ends is not None and None in ends


def exact_mean(values: Distribution) -> float:
    """The mean of values, each with its count, rounded once: the same in any order.

    >>> exact_mean([(0.1, 3)]), sum([0.1] * 3) / 3
    (0.1, 0.10000000000000002)
    """
    parts = _exact_parts(values)
    top, bottom = 0, 1
    # A rounded sum divided by n would be rounded twice: what each rounding left is added too.
    while total := math.fsum(parts):
        parts.append(-total)
        more, under = total.as_integer_ratio()
        top, bottom = top * under + more * bottom, bottom * under
    return top / (bottom * sum([count for _, count in values]))


def binomial_weights(n: int, q: float) -> tuple[int, list[float]]:
    """How likely each number of hits in n is, up to a common factor, and the first number listed.

    Numbers that are 1e-300 times as likely as the likeliest are left out.

    >>> binomial_weights(4, 0.5)
    (0, [0.16666666666666666, 0.6666666666666666, 1.0, 0.6666666666666666, 0.16666666666666666])
    """
    mode = min(n, math.floor((n + 1) * q))
    below: list[float] = []
    weight, k = 1.0, mode
    while k > 0 and (weight := weight * (k * (1 - q)) / ((n - k + 1) * q)) > 1e-300:
        below.append(weight)
        k -= 1
    above = [1.0]
    weight, k = 1.0, mode
    while k < n and (weight := weight * ((n - k) * q) / ((k + 1) * (1 - q))) > 1e-300:
        above.append(weight)
        k += 1
    return mode - len(below), below[::-1] + above


def _wilson(share: float, rest: float, n: float, level: float) -> Closed:
    z = normal_deviate(level)
    low, beyond = _wilson_low(share, rest, n, z), _wilson_low(rest, share, n, z)
    return min(share, low), max(share, 1.0 - beyond)


def _wilson_low(share: float, rest: float, n: float, z: float) -> float:
    # The smaller root of the quadratic as product over larger root: no digits cancel near 0.
    if not share:
        return 0.0
    spread = z * math.sqrt(share * rest / n + (z / n) ** 2 / 4)
    return share * share / (share + z * z / n / 2 + spread)


def _effective(rows: int, hits: float, rows_squared: int, spread: float) -> float:
    """The number of independent rows that would vary as much as these clusters do.

    `hits` of the rows hit, `rows_squared` is the sum of the squared sizes, and `spread` the sum
    over clusters of (rows * hit - hits * size)². The variance is the linearised one of a ratio, but
    few clusters show theirs badly: where three questions hit, each in one of its repeats, they look
    like strangers, and the interval misses the truth. So two more clusters are added to what was
    seen, which rise and fall as a whole and are hit half of the time: they matter where little was
    seen, and nothing where every cluster is one row, or all of it hits or misses.
    """
    shown = 2 * hits * (rows - hits) + rows_squared
    return rows**2 * shown / (2 * spread + rows_squared**2)


def _shares(values: Distribution, mean: float, level: float, most: int = 0) -> Closed:
    n = sum([count for _, count in values])
    if all(value in (0.0, 1.0) for value, _ in values):
        hits = sum([count for value, count in values if value])
        return exact_interval(hits, n, level)
    squares = _squares(values, mean)
    if most:
        squares = max(squares, mean * (1 - mean) * n * n / most)
    # Rounded, so that ten questions are 10 and not the 9.999999999999998 that squares may leave.
    effective = round(_effective(n, n * mean, n, n * n * squares), 9)
    return _wider(_wilson(mean, 1 - mean, effective, level), _whole(n * mean), n, level)


def _clustered_shares(clusters: _Counted, rows: int, level: float) -> Closed:
    if all(value in (0.0, 1.0) for values, _ in clusters for value in values):
        hits = [(sum(value == 1.0 for value in values), len(values)) for values, _ in clusters]
        counts: Counter[tuple[int, int]] = Counter()
        for hit, (_, times) in zip(hits, clusters, strict=True):
            counts[hit] += times
        return clustered_interval(counts, level)
    mean = _total((math.fsum(values), n) for values, n in clusters) / rows
    # Repeats that go against one another are no more than independent rows.
    alone = _total((math.fsum((x - mean) ** 2 for x in values), n) for values, n in clusters)
    spread = rows**2 * max(_cluster_squares(clusters, mean), alone)
    rows_squared = sum(len(values) ** 2 * n for values, n in clusters)
    effective = round(_effective(rows, rows * mean, rows_squared, spread), 9)
    whole = _whole(_total((math.fsum(values) / len(values), n) for values, n in clusters))
    around = _wilson(mean, 1 - mean, effective, level)
    return _wider(around, whole, sum(n for _, n in clusters), level)


def _whole(shares: float) -> tuple[int, int]:
    """The whole numbers on either side of a sum; one that is whole on paper is whole."""
    shares = round(shares, 6)
    return math.floor(shares), math.ceil(shares)


def _wider(around: Closed, whole: tuple[int, int], questions: int, level: float) -> Closed:
    """At each end the wider: what is around a share, or what so many whole questions say."""
    low, high = (exact_interval(min(hits, questions), questions, level) for hits in whole)
    return min(around[0], low[0]), max(around[1], high[1])


def _cluster_squares(clusters: _Counted, mean: float) -> float:
    return _total((math.fsum((*each, -len(each) * mean)) ** 2, n) for each, n in clusters)


def _total(values: Iterable[tuple[float, int]]) -> float:
    return math.fsum(_exact_parts(list(values)))


def _squares(values: Distribution, mean: float) -> float:
    return _total(((value - mean) ** 2, count) for value, count in values)


def _unscaled(ends: Closed, low: float, high: float, mean: float) -> Closed:
    start, stop = (low + (high - low) * end for end in ends)
    return max(low, min(mean, start)), min(high, max(mean, stop))


def _where_passed(weights: Iterable[float], allowed: float) -> int:
    return next(index for index, total in enumerate(accumulate(weights)) if total > allowed)


def _exact_parts(values: Distribution) -> list[float]:
    # Most values of a large set stand alone, and those need no arithmetic.
    parts = [value for value, count in values if count == 1]
    # A count is a sum of powers of two, and a double times a power of two is exact.
    for value, count in values:
        if count > 1:
            while count:
                power = count & -count
                parts.append(value * power)
                count -= power
    return parts


def _linear_rank(n: int, q: float) -> Fraction:
    from fractions import Fraction

    return 1 + (n - 1) * Fraction(str(q))


def at_ranks(values: Distribution, low: int, high: int) -> tuple[float, float]:
    """The values at two ranks, counted from 1."""
    upto = list(accumulate(count for _, count in values))
    return values[bisect_left(upto, low)][0], values[bisect_left(upto, high)][0]
