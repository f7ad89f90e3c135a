"""The closed set of sentences about a difference, the same in every format.

same, within 0.02 · better · worse · no change shown; 40 to 120 more questions would settle it
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

from ragstone.comparison.row_sets import SavedMetric
from ragstone.gates.gate import TOLERANCE
from ragstone.gates.margin import Margin
from ragstone.measure.more_questions import Needed, more_for_number, more_questions

BETTER = "better"
WORSE = "worse"
SAME = "same"
NO_CHANGE = "no change shown"

Ends = tuple[float | None, float | None]
"""The two ends of an interval, None where one is open or there is none."""

SHARES = 0.02
TIMES_AND_COSTS = 0.05


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
    """Whether a test shows a change: `p` is corrected for all tests of its family."""

    p: float
    level: float

    @property
    def shows(self) -> bool:
        return self.p <= 1 - self.level + TOLERANCE

    def reach(self, value: float) -> float | None:
        """How far from 0 a difference must be for the test to show it, from as many questions."""
        normal = NormalDist()
        seen = -normal.inv_cdf(self.p / 2) if 0 < self.p < 1 else 0.0
        needed = -normal.inv_cdf((1 - self.level) / 2)
        return abs(value) * needed / seen if seen > TOLERANCE else None


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
    reach = test.reach(value) if test is not None and (up or down) else None
    if reach is not None:
        # The interval alone would show it; how much is lacking the test must say.
        ends = (value - reach, value + reach)
    return f"{NO_CHANGE}; {more_questions(*_more(value, ends, within, questions))}"


def _more(value: float, ends: Ends, margin: float | None, questions: int) -> Needed:
    """How many more questions would show a change, or that there is none, whichever is sooner."""
    low, high = ends
    if low is None or high is None or high - low <= TOLERANCE:
        return None, None
    around = (low, high)
    ways = [more_for_number(value, around, 0.0, questions)]
    if margin is not None and abs(value) < margin:
        one, two = (more_for_number(value, around, edge, questions) for edge in (-margin, margin))
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
