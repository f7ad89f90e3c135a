"""The closed set of sentences about a difference, the same in every format.

same, within 0.02 · better · worse · no change shown; 40 to 120 more questions would settle it
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

from ragstone.comparison.row_sets import SavedMetric
from ragstone.gates.gate import TOLERANCE
from ragstone.measure.more_questions import Needed, more_for_number, more_questions

BETTER = "better"
WORSE = "worse"
SAME = "same"
NO_CHANGE = "no change shown"

Ends = tuple[float | None, float | None]
"""The two ends of an interval, None where one is open or there is none."""

SHARES = 0.02
TIMES_AND_COSTS = 0.05


@dataclass(frozen=True, slots=True)
class Margin:
    """How much worse is no worse; a `relative` one is a part of the baseline's number.

    >>> str(Margin(0.02)), str(Margin(0.05, relative=True))
    ('0.02', '5 %')
    """

    size: float
    relative: bool = False

    def around(self, baseline: float) -> float:
        """The margin in the units of the metric."""
        return self.size * abs(baseline) if self.relative else self.size

    def __str__(self) -> str:
        return f"{100 * self.size:g} %" if self.relative else f"{self.size:g}"


def own_margin(metric: SavedMetric) -> Margin | None:
    """The margin where none is given: 0.02 for shares, 5 % for times and costs, none for counts."""
    if metric.kind == "count":
        return None
    unbounded = metric.bounds is None and metric.kind == "mean"
    if metric.unit or unbounded:
        return Margin(TIMES_AND_COSTS, relative=True)
    return Margin(SHARES)


@dataclass(frozen=True, slots=True)
class Test:
    """Whether a test among several shows a change: `p` is corrected for all `tests` of them."""

    p: float
    tests: int
    level: float

    @property
    def shows(self) -> bool:
        return self.p <= 1 - self.level + TOLERANCE

    @property
    def wider(self) -> float:
        """How much wider an interval is that holds for so many tests at once."""
        normal, left = NormalDist(), (1 - self.level) / 2
        return normal.inv_cdf(left / max(1, self.tests)) / normal.inv_cdf(left)


def sentence(
    value: float,
    ends: Ends,
    *,
    higher_is_better: bool,
    margin: tuple[Margin, float] | None,
    questions: int,
    test: Test | None = None,
) -> str:
    """What is said of a difference; the first that holds.

    `same`: the whole interval is within the margin. `better`, `worse`: the interval leaves out 0
    and, where the difference was tested, the test shows it too. `margin` is the margin as it is
    said, and its size here.

    >>> rest = {"higher_is_better": True, "margin": (Margin(0.02), 0.02), "questions": 400}
    >>> sentence(0.001, (-0.01, 0.012), **rest)
    'same, within 0.02'
    >>> sentence(-0.05, (-0.08, -0.02), **rest)
    'worse'
    >>> sentence(-0.03, (-0.079, 0.02), **rest)
    'no change shown; 720 to 3,900 more questions would settle it'
    """
    low, high = ends
    if margin is not None and low is not None and high is not None:
        said, size = margin
        if -size - TOLERANCE <= low and high <= size + TOLERANCE:
            return f"{SAME}, within {said}"
    up = low is not None and low > TOLERANCE
    down = high is not None and high < -TOLERANCE
    if (up or down) and (test is None or test.shows):
        return BETTER if up == higher_is_better else WORSE
    within = None if margin is None else margin[1]
    more = _more(value, ends, within, questions, 1.0 if test is None else test.wider)
    return f"{NO_CHANGE}; {more_questions(*more)}"


def _more(value: float, ends: Ends, margin: float | None, questions: int, wider: float) -> Needed:
    """How many more questions would show a change, or that there is none, whichever is sooner."""
    low, high = ends
    if low is None or high is None or high - low <= TOLERANCE:
        return None, None
    tested = (value + (low - value) * wider, value + (high - value) * wider)
    ways = [more_for_number(value, tested, 0.0, questions)]
    if margin is not None and abs(value) < margin:
        one, two = (more_for_number(value, (low, high), e, questions) for e in (-margin, margin))
        ways.append((_last(one[0], two[0]), _last(one[1], two[1])))
    known = sorted(
        each
        for each in (_first(way[0] for way in ways), _first(way[1] for way in ways))
        if each is not None
    )
    return (known[0] if known else None), (known[1] if len(known) == 2 else None)


def _first(numbers: Iterable[int | None]) -> int | None:
    return min((each for each in numbers if each is not None), default=None)


def _last(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)
