"""What a metric is: a declaration over verdict rows, and the number that comes out of it.

A declaration is a frozen value. `of`, `hit` and `tested` are boolean SQL over the columns of the
verdict row, `value` is a numeric one, and all of them are run as they are written. Score, interval,
offenders, slices, comparisons, docs and tooltips come from the declaration.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ragstone.errors import ConfigError
from ragstone.measure.interval import Interval
from ragstone.measure.paired import Difference

Better = Literal["higher", "lower"]
Bounds = tuple[float, float]


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
    averaged first. `repeats` is how many a row's share is taken over
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


def by_question(counted: Counted) -> tuple[dict[Any, int], list[dict[Any, int]]]:
    """The combinations of rows that stand alone, and those of each question with several rows.

    >>> by_question({(None, "a"): 3, ("Q1", "a"): 1, ("Q1", "b"): 2})
    ({('a',): 3}, [{('a',): 1, ('b',): 2}])
    """
    alone: dict[Any, int] = {}
    several: dict[object, dict[Any, int]] = {}
    for (question, *said), times in counted.items():
        into = alone if question is None else several.setdefault(question, {})
        into[tuple(said)] = times
    return alone, list(several.values())


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Statistic(Declaration):
    """A number over a whole set at once, such as kappa; `how` says how in words.

    `compute` gets the counts of each combination of `columns` (SQL over the rows of the set) and
    the level of the interval; `counted` are the rows that are counted where these are more than the
    set, as an item that says nothing is an item still. Over an empty set, or where it is
    undefined, there is no number: unmeasurable, not vacuous. A `mean` has its `bounds` as
    a keyword of `compute`, where the user names them. `by_question` asks for one column more, the
    first: the question, null for one that stands alone.
    """

    how: str
    columns: tuple[str, ...] = ()
    compute: Callable[..., Computed] = unknown
    counted: str = ""
    unit: str = ""
    mean: bool = False
    by_question: bool = False
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Change(Declaration):
    """How a metric of an arm compares with the same metric of the baseline's arm.

    `how` is `difference` (this minus the baseline's), `drop` (the other way round) or `ratio`; a
    `paired` difference is taken question by question, and has an interval. It is `unbounded` where
    the metric is a mean without bounds.
    """

    metric: str
    how: Literal["difference", "drop", "ratio"]
    paired: bool = False
    unit: str = ""
    unbounded: bool = False


Metric = Ratio | Count | Mean | Quantile | Statistic | Change


def as_dict(metric: Metric) -> dict[str, object]:
    """The declaration as plain data, for the digest and for programs; functions are left out."""
    found = {field.name: getattr(metric, field.name) for field in dataclasses.fields(metric)}
    # Most metrics are not barred, and say nothing of it.
    named = (
        "barred",
        "title",
        *(("mean", "by_question", "unbounded") if not isinstance(metric, Mean) else ()),
    )
    left_out = {name for name in named if not found.get(name)}
    if isinstance(metric, Statistic) and metric.bounds is None:
        left_out.add("bounds")
    return {
        name: value for name, value in found.items() if not callable(value) and name not in left_out
    }


def is_unbounded(metric: Metric) -> bool:
    """Whether it is a mean of numbers that nothing bounds: no sample says how far it can go."""
    if isinstance(metric, Change):
        return metric.unbounded
    mean = isinstance(metric, Mean) or (isinstance(metric, Statistic) and metric.mean)
    bounds = getattr(metric, "bounds", None)
    return mean and (bounds is None or not math.isfinite(bounds[1] - bounds[0]))


def bounded(metric: Metric, most: float) -> Metric:
    """A mean without bounds as one of numbers from 0 to what the user says is the most."""
    if not is_unbounded(metric) or not isinstance(metric, Mean | Statistic):
        raise ConfigError(f"gate {metric.name}: max = is for a mean whose values nothing bounds")
    if not 0 < most < math.inf:
        raise ConfigError(f"gate {metric.name}: expected max = a number above 0, found {most:g}")
    bounds = (0.0, most)
    if isinstance(metric, Statistic):
        return dataclasses.replace(
            metric, bounds=bounds, compute=functools.partial(metric.compute, bounds=bounds)
        )
    return dataclasses.replace(metric, bounds=bounds)


def must_be_within(name: str, values: Sequence[tuple[float, int]], bounds: Bounds | None) -> None:
    """That no value is beyond the bounds that were named for it; values come in order."""
    low, high = bounds or (-math.inf, math.inf)
    # What is worked out may pass a bound by its last digits.
    room = 1e-6 * (high - low)
    ends = (values[0][0], values[-1][0])
    beyond = [value for value in ends if not low - room <= value <= high + room]
    if beyond:
        raise ConfigError(
            f"gate {name}: max = {high:g} says that all values are from {low:g} to {high:g}, "
            f"and one is {beyond[0]:g}"
        )


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
    `waived` is how many questions of the set are left out because they are waived.
    `paired` is the difference, question by question, that a change was taken from.
    """

    metric: Metric
    value: float | None
    numerator: int | None
    denominator: int
    interval: Interval | None
    vacuous: bool
    tested: int = -1
    needs_samples: int | None = None
    paired: Difference | None = None
    waived: int = 0

    def __post_init__(self) -> None:
        if self.tested < 0:
            object.__setattr__(self, "tested", self.denominator)

    @property
    def name(self) -> str:
        return self.metric.name
