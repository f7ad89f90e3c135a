"""Where a quotient or a difference of two numbers could truly lie, from the intervals of the two.

Each end is as far from the point as the two numbers' own ends are together, were they independent
(Donner and Zou's method of variance estimates recovery). It keeps the lopsidedness of the two
intervals, and needs no resampling. Numbers that rise and fall together get more room than they
need.
"""

from __future__ import annotations

import math

from ragstone.measure.interval import Interval
from ragstone.measure.metric import Measured


def over(top: Measured, bottom: Measured) -> Interval | None:
    """Where one measured number over another could truly lie; None where either has no interval."""
    if top.value is None or top.interval is None:
        return None
    if not bottom.value or bottom.interval is None:
        return None
    return quotient_interval(top.value, top.interval, bottom.value, bottom.interval)


def less(first: Measured, second: Measured) -> Interval | None:
    """Where one measured number less another could truly lie; None where either has no interval."""
    if first.value is None or first.interval is None:
        return None
    if second.value is None or second.interval is None:
        return None
    return difference_interval(first.value, first.interval, second.value, second.interval)


def quotient_interval(top: float, of_top: Interval, bottom: float, of_bottom: Interval) -> Interval:
    """Where one number over another could truly lie; neither of them can be negative.

    An end is open where it stands on an open end, or where the divisor could be nothing.

    >>> low, high = quotient_interval(2.0, (1.0, 4.0), 4.0, (3.0, 5.0))
    >>> f"{low:.4f} {high:.4f}"
    '0.2427 1.0667'
    >>> quotient_interval(2.0, (1.0, None), 4.0, (0.0, 5.0))[1] is None
    True
    """
    low = high = None
    if of_top[0] is not None and of_bottom[1] is not None:
        low = _lower_end(top, of_top[0], bottom, of_bottom[1])
    if of_top[1] is not None and of_bottom[0]:
        high = _upper_end(top, of_top[1], bottom, of_bottom[0])
    return _finite(low), _finite(high)


def difference_interval(
    first: float, of_first: Interval, second: float, of_second: Interval
) -> Interval:
    """Where one number less another could truly lie.

    >>> difference_interval(5.0, (2.0, 6.0), 3.0, (1.0, 7.0))
    (-3.0, 4.23606797749979)
    """
    low = high = None
    if of_first[0] is not None and of_second[1] is not None:
        low = first - second - math.hypot(first - of_first[0], of_second[1] - second)
    if of_first[1] is not None and of_second[0] is not None:
        high = first - second + math.hypot(of_first[1] - first, second - of_second[0])
    return low, high


def _lower_end(top: float, top_low: float, bottom: float, bottom_high: float) -> float:
    if not top or not top_low:
        return 0.0
    # As parts of the point, so that no square of a large number is beyond every double.
    less, more = _folded(top_low / top), _folded(bottom_high / bottom)
    return top / bottom * (less / (1 + math.sqrt(max(0.0, 1 - less * more))))


def _upper_end(top: float, top_high: float, bottom: float, bottom_low: float) -> float:
    less = _folded(bottom_low / bottom)
    if not top:
        return top_high / bottom / math.sqrt(less)
    more = _folded(top_high / top)
    return top / bottom * ((1 + math.sqrt(max(0.0, 1 - less * more))) / less)


def _folded(part: float) -> float:
    return part * (2 - part)


def _finite(end: float | None) -> float | None:
    return end if end is not None and math.isfinite(end) else None
