"""How many standard errors hold a given level: of the normal distribution, and of Student's t."""

from __future__ import annotations

import math

# The normal deviate of the default level. `statistics` would give the same, but importing it takes
# longer than scoring a hundred questions.
_Z_95 = 1.959963984540054

# Above this many degrees of freedom the expansion of Student's t around the normal is exact to
# 1e-12; up to it the finite series is short enough to be summed.
_SERIES_UP_TO = 1_000


def normal_deviate(level: float) -> float:
    """How many standard errors either side of a mean hold `level` of the normal distribution."""
    if level == 0.95:
        return _Z_95
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)


def t_deviate(df: int, level: float) -> float:
    """How many standard errors either side of a mean hold `level` of Student's t.

    >>> t_deviate(10, 0.95)
    2.228138851986
    """
    if df == 1:
        t = math.tan(math.pi / 2 * level)
    elif df == 2:
        t = level * math.sqrt(2 / (1 - level * level))
    elif df <= _SERIES_UP_TO:
        t = _t_by_series(df, level)
    else:
        t = _t_near_normal(df, normal_deviate(level))
    # Mathematics libraries differ in the last digit; a report must not.
    return round(t, 12)


def _t_by_series(df: int, level: float) -> float:
    """Newton's method: the probability is concave, so from the left it climbs and never passes."""
    log_peak = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    t = normal_deviate(level)
    for _ in range(100):
        slope = 2 * math.exp(log_peak - (df + 1) / 2 * math.log1p(t * t / df))
        step = (level - _t_within(t, df)) / slope
        t += step
        if step <= 1e-15 * t:
            break
    return t


def _t_within(t: float, df: int) -> float:
    """The probability that Student's t lies within t of 0: a finite series for whole df."""
    cos_squared = df / (df + t * t)
    odd = df % 2
    term = total = math.sqrt(cos_squared) if odd else 1.0
    for k in range(2 + odd, df, 2):
        term *= cos_squared * (k - 1) / k
        total += term
    total *= t / math.sqrt(df + t * t)
    return 2 / math.pi * (math.atan(t / math.sqrt(df)) + total) if odd else total


def _t_near_normal(df: int, z: float) -> float:
    s = z * z
    return z + z / df * (
        (s + 1) / 4
        + ((5 * s + 16) * s + 3) / 96 / df
        + (((3 * s + 19) * s + 17) * s - 15) / 384 / df**2
        + ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160 / df**3
    )
