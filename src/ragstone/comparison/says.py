"""The closed set of sentences about a difference, the same in every format.

same, within 0.02 · better · worse · no change shown; 40 to 120 more questions would settle it
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from statistics import NormalDist

from ragstone.comparison.row_sets import SavedMetric
from ragstone.gates.gate import TOLERANCE
from ragstone.gates.margin import Margin
from ragstone.measure.more_questions import more_questions
from ragstone.measure.outlook import Luck, Outlook, questions_to_settle
from ragstone.measure.paired import Difference
from ragstone.measure.permutation import mcnemar

BETTER = "better"
WORSE = "worse"
SAME = "same"
NO_CHANGE = "no change shown"

SHARES = 0.02
TIMES_AND_COSTS = 0.05

# With so many questions that turned, McNemar's test says what the interval says.
_COUNTED = 200


def own_margin(metric: SavedMetric, shares: float = SHARES) -> Margin | None:
    """The margin where none is given: 0.02 for shares, 5 % for times and costs, none for counts."""
    if metric.kind == "count":
        return None
    unbounded = metric.bounds is None and metric.kind == "mean"
    if metric.unit or unbounded:
        return Margin(TIMES_AND_COSTS, relative=True)
    return Margin(shares)


@dataclass(frozen=True, slots=True)
class Test:
    """Whether a test shows a change: `p` is corrected for all tests of its `family`."""

    p: float
    level: float
    family: int = 1

    @property
    def shows(self) -> bool:
        return self.p <= 1 - self.level + TOLERANCE


@dataclass(frozen=True, slots=True)
class Deciding:
    """What decides about a difference: its interval, a margin of `size`, and a test, if any."""

    seen: Difference
    level: float
    higher_is_better: bool
    size: float | None
    test: Test | None
    yes_no: bool

    def ahead(self, more: int, luck: Luck) -> Outlook:
        return Outlook(self.seen, more, luck, self.level)

    def settled(self, more: int, luck: Luck) -> bool:
        """Whether something would be said of it after `more` questions: same, better or worse."""
        if self.size is not None:
            then, edge = self.ahead(more, luck), self.size + TOLERANCE
            if then.above(-edge, self.level) and then.below(edge, self.level):
                return True
        return any(self.shown(more, luck, better=each) for each in (True, False))

    def shown(self, more: int, luck: Luck, *, better: bool) -> bool:
        """Whether a change to that side would be shown after `more` questions."""
        then, up = self.ahead(more, luck), better == self.higher_is_better
        side = then.above if up else then.below
        edge = TOLERANCE if up else -TOLERANCE
        if not side(edge, self.level):
            return False
        if self.test is None:
            return True
        # Of a family, the largest correction that Holm's makes.
        strict = 1 - (1 - self.test.level) / self.test.family
        moves = then.moves()
        if self.yes_no and moves is not None and moves.gained + moves.lost <= _COUNTED:
            return mcnemar(round(moves.gained), round(moves.lost)) <= 1 - strict + TOLERANCE
        return side(edge, strict)

    def not_worse(self, margin: float, more: int, luck: Luck) -> bool:
        """Whether the whole interval would be on the good side of the margin."""
        then, size = self.ahead(more, luck), self.size
        if size is None:
            # Of a count the margin is a share of the questions.
            size = margin * (1.0 if self.seen.moves is None else self.seen.moves.wide)
        if self.higher_is_better:
            return then.above(-size - TOLERANCE, self.level)
        return then.below(size + TOLERANCE, self.level)


def change(deciding: Deciding) -> str:
    """Which of the four it is: same, better, worse, or no change shown; the first that holds.

    `same`: the whole interval is within the margin. `better`, `worse`: the interval leaves out 0
    and, where the difference was tested, the test shows it too.
    """
    low, high = deciding.seen.interval or (None, None)
    if deciding.size is not None and low is not None and high is not None:
        edge = deciding.size + TOLERANCE
        if -edge <= low and high <= edge:
            return SAME
    up = low is not None and low > TOLERANCE
    down = high is not None and high < -TOLERANCE
    if (up or down) and (deciding.test is None or deciding.test.shows):
        return BETTER if up == deciding.higher_is_better else WORSE
    return NO_CHANGE


def sentence(deciding: Deciding, margin: Margin | None) -> str:
    """What is said of a difference; where nothing is shown, how many more questions would tell.

    >>> from ragstone.measure.paired import difference_of_means
    >>> kept, lost = (1.0, 1.0, 380), (1.0, 0.0, 20)
    >>> def said(*pairs):
    ...     seen = difference_of_means(pairs)
    ...     return sentence(Deciding(seen, 0.95, True, 0.02, None, True), Margin(0.02))
    >>> said(kept), said(kept, lost)
    ('same, within 0.02', 'worse')
    >>> said((1.0, 1.0, 48))
    'no change shown; 141 to 240 more questions would settle it'
    """
    said = change(deciding)
    if said == SAME:
        return f"{SAME}, within {margin}"
    if said == NO_CHANGE:
        needed = questions_to_settle(deciding.settled, moved=deciding.seen.moved)
        return f"{NO_CHANGE}; {more_questions(*needed)}"
    return said


def by_chance(seen: Difference, size: float) -> str:
    """How often a gate on a difference fails a run that is no worse, in words.

    >>> from ragstone.measure.paired import difference_of_means
    >>> by_chance(difference_of_means([(1.0, 1.0, 90), (0.0, 1.0, 5), (1.0, 0.0, 5)]), 0.02)
    'a run without any change would fail it 21 times in 100'
    >>> by_chance(difference_of_means([(1.0, 1.0, 90)]), 0.02)
    'no answer changed here, so how often chance alone would fail it cannot be told'
    """
    share = false_alarms(seen, size)
    if share is None:
        return "no answer changed here, so how often chance alone would fail it cannot be told"
    times = round(100 * share)
    often = "less than once" if not times else "once" if times == 1 else f"{times} times"
    return f"a run without any change would fail it {often} in 100"


def false_alarms(seen: Difference, size: float) -> float | None:
    """How often a run without any change would be worse by more than `size`.

    As many questions turn as were seen to, each either way like a coin; None where none turned.

    >>> from ragstone.measure.paired import difference_of_means
    >>> seen = difference_of_means([(1.0, 1.0, 90), (0.0, 1.0, 5), (1.0, 0.0, 5)])
    >>> f"{false_alarms(seen, 0.02):.2f}"
    '0.21'
    """
    moves = seen.moves
    if moves is None:
        turned, lattice = seen.spread**2 / seen.questions, 0.0
    else:
        # The difference goes in steps of one question: it is worse from the next step on.
        whole = moves.of == seen.questions and (moves.gained + moves.lost) % 1 == 0
        turned = (moves.gained + moves.lost) / moves.of**2 * moves.wide**2
        step = moves.wide / moves.of
        size, lattice = (floor(size / step + TOLERANCE) * step, step / 2) if whole else (size, 0.0)
    if not turned:
        return None
    return NormalDist().cdf(-(size + lattice) / turned**0.5)
