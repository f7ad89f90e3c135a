"""What a metric is: a declaration over verdict rows, and the number that comes out of it.

A declaration is a frozen value. `of`, `hit` and `tested` are boolean SQL over the columns of the
verdict row, `value` is a numeric one, and all of them are run as they are written. Score, interval,
offenders, slices, comparisons, docs and tooltips come from the declaration.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from ragstone.measure.interval import Interval

Better = Literal["higher", "lower"]


# The base is never made itself: it needs none of the methods that its kinds get.
@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Declaration:
    """What every metric says of itself.

    `title` is its plain name, such as "cites the right evidence" for chr. `of` is the set of rows
    (all of them, if not said), `tested` those of them on which the metric could have failed, and
    `untested` says why there is none. `over` is the engine's table of these rows, and `cluster`
    the column whose repeats are one question; `costs` are the verdict rows that a
    metric over another table is charged to, as SQL. `needs` names an input without which
    there is no such number, and no default gate on it. An `extra` metric is for those who ask: it
    is left out where nothing is tested, costs a row nothing unless it is gated, stands
    in the summary only where it is gated, and is folded away on the page. On a
    `barred` one no gate decides, and it says why.
    """

    name: str
    title: str = ""
    of: str = "true"
    better: Better = "higher"
    says: str
    tested: str = "true"
    untested: str = "gold gives it nothing to test"
    over: str = "rows"
    cluster: str | None = None
    costs: str = ""
    needs: str = ""
    aliases: tuple[str, ...] = ()
    gate: str | None = None
    extra: bool = False
    barred: str = ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Ratio(Declaration):
    """The share of rows of a set that are hits; over an empty set it is `empty`.

    >>> Ratio(name="chr", of="shipped", hit="cited", empty=1.0, better="higher", says="…").offenders
    '(shipped) and not (cited)'
    """

    hit: str
    empty: float = 0.0

    @property
    def offenders(self) -> str:
        """The rows that cost this metric something, as SQL."""
        return f"({self.of}) and {'not ' if self.better == 'higher' else ''}({self.hit})"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Count(Declaration):
    """How many rows of a set are hits; sampling cannot prove a count, so it has no interval."""

    hit: str
    empty: float = 0

    @property
    def offenders(self) -> str:
        return f"({self.of}) and {'not ' if self.better == 'higher' else ''}({self.hit})"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Mean(Declaration):
    """The mean of one number per row of a set.

    `best` is the value that costs nothing; `bounds` are what the number cannot pass. A `share` is
    the part of a row's repeats that are hits: its mean is a ratio of questions whose repeats were
    averaged first, and gets Wilson's interval. `repeats` is how many a row's share is taken over
    (SQL over the row): the interval never counts more independent rows than there are repeats.
    """

    value: str
    empty: float = 0.0
    best: float = 1.0
    bounds: tuple[float, float] | None = (0.0, 1.0)
    share: bool = False
    repeats: str = ""

    @property
    def offenders(self) -> str:
        sign = "<" if self.better == "higher" else ">"
        return f"({self.of}) and ({self.value}) {sign} {self.best!r}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Quantile(Declaration):
    """A quantile, by linear interpolation, of one number per row of a set.

    Over an empty set there is no number at all: the metric is unmeasurable, not vacuous.
    """

    value: str
    q: float
    unit: str = ""


Counted = Mapping[tuple[object, ...], int]
"""How often each combination of a statistic's columns occurs, combinations in order."""

Computed = tuple[float | None, Interval | None]
"""A value and its interval, each None where there is none."""


def unknown(counted: Counted, level: float) -> Computed:
    """What a statistic is that was read back from a report: its number is known, not its way."""
    return None, None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Statistic(Declaration):
    """A number over a whole set at once, such as kappa; `how` says how in words.

    `compute` gets the counts of each combination of `columns` (SQL over the rows of the set) and
    the level of the interval; `counted` are the rows that are counted where these are more than the
    set, as an item that says nothing is an item still. Over an empty set, or where it is
    undefined, there is no number: unmeasurable, not vacuous.
    """

    how: str
    columns: tuple[str, ...] = ()
    compute: Callable[[Counted, float], Computed] = unknown
    counted: str = ""
    unit: str = ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Change(Declaration):
    """How a metric of an arm compares with the same metric of the baseline's arm.

    `how` is `difference` (this minus the baseline's), `drop` (the other way round) or `ratio`; a
    `paired` difference is taken question by question, and has an interval.
    """

    metric: str
    how: Literal["difference", "drop", "ratio"]
    paired: bool = False
    unit: str = ""


Metric = Ratio | Count | Mean | Quantile | Statistic | Change


def as_dict(metric: Metric) -> dict[str, object]:
    """The declaration as plain data, for the digest and for programs; functions are left out."""
    found = {field.name: getattr(metric, field.name) for field in dataclasses.fields(metric)}
    # Most metrics are not barred, and say nothing of it.
    left_out = {name for name in ("barred", "title") if not found[name]}
    return {
        name: value for name, value in found.items() if not callable(value) and name not in left_out
    }


def value_sql(metric: Ratio | Count | Mean | Quantile) -> str:
    """A row's own number, null where the row is not in the metric's set."""
    own = f"({metric.hit})::int" if isinstance(metric, Ratio | Count) else f"({metric.value})"
    return f"case when {metric.of} then {own}::double end"


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric's number, and what it was computed over.

    `value` is None when the metric could not be computed. `numerator` is set for ratios and counts;
    `denominator` is the size of the set for every metric, and `tested` how many rows of the set the
    metric could have failed on. With none of those it is `vacuous`: nothing was tested. An end of
    the interval that is None is open; `needs_samples` is from how many samples on both are there.
    """

    metric: Metric
    value: float | None
    numerator: int | None
    denominator: int
    interval: Interval | None
    vacuous: bool
    tested: int = -1
    needs_samples: int | None = None

    def __post_init__(self) -> None:
        if self.tested < 0:
            object.__setattr__(self, "tested", self.denominator)

    @property
    def name(self) -> str:
        return self.metric.name
