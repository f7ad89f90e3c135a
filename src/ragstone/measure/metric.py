"""What a metric is: a declaration over verdict rows, and the number that comes out of it.

A declaration is a frozen value. `of` and `hit` are boolean SQL expressions over the columns of the
verdict row; `value` is a numeric one. Score, interval, offenders, slices, docs and tooltips all
come from it, so a new metric is one declaration and one test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The share of rows of a set that are hits.

    >>> Ratio(name="chr", of="shipped", hit="cited", empty=1.0, better="higher", says="…").offenders
    '(shipped) and not (cited)'
    """

    name: str
    of: str
    hit: str
    empty: float
    better: Better
    says: str
    aliases: tuple[str, ...] = ()
    gate: str | None = None

    @property
    def offenders(self) -> str:
        """The rows that cost this metric something, as SQL."""
        return f"({self.of}) and {'not ' if self.better == 'higher' else ''}({self.hit})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many rows of a set are hits; sampling cannot prove a count, so it has no interval."""

    name: str
    of: str
    hit: str
    better: Better
    says: str
    empty: float = 0
    aliases: tuple[str, ...] = ()
    gate: str | None = None

    @property
    def offenders(self) -> str:
        return f"({self.of}) and {'not ' if self.better == 'higher' else ''}({self.hit})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """The mean of one number per row of a set.

    `best` is the value that costs nothing; `bounds` are what the number cannot pass. A `share` is
    the part of a row's repeats that are hits: its mean is a ratio of questions whose repeats were
    averaged first, and gets Wilson's interval.
    """

    name: str
    of: str
    value: str
    empty: float
    better: Better
    says: str
    best: float = 1.0
    bounds: tuple[float, float] | None = (0.0, 1.0)
    share: bool = False
    aliases: tuple[str, ...] = ()
    gate: str | None = None

    @property
    def offenders(self) -> str:
        sign = "<" if self.better == "higher" else ">"
        return f"({self.of}) and ({self.value}) {sign} {self.best!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantile:
    """A quantile, by linear interpolation, of one number per row of a set.

    Over an empty set there is no number at all: the metric is unmeasurable, not vacuous.
    """

    name: str
    of: str
    value: str
    q: float
    better: Better
    says: str
    unit: str = ""
    aliases: tuple[str, ...] = ()
    gate: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """A number over a whole set at once, such as kappa, that its suite computes; `how` says how.

    Over an empty set, or where it is undefined, there is no number: unmeasurable, not vacuous.
    """

    name: str
    of: str
    how: str
    better: Better
    says: str
    unit: str = ""
    aliases: tuple[str, ...] = ()
    gate: str | None = None


Metric = Ratio | Count | Mean | Quantile | Statistic


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric's number, and what it was computed over.

    `value` is None when the metric could not be computed. `numerator` is set for ratios and counts;
    `denominator` is the size of the set for every metric.
    """

    metric: Metric
    value: float | None
    numerator: int | None
    denominator: int
    interval: tuple[float, float] | None
    vacuous: bool

    @property
    def name(self) -> str:
        return self.metric.name
