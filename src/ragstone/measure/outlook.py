"""A difference as it would be after more questions, seen by the interval that decides it.

The next questions may behave like those seen, or be one standard deviation unlucky: of yes and no
at least one more turns. How many of them settle something is searched for, and not estimated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ragstone.measure.deviates import normal_deviate
from ragstone.measure.interval import TOLERANCE
from ragstone.measure.more_questions import Needed, first_settled, two_figures
from ragstone.measure.paired import Difference, Moves, leaves_out

Proof = Literal["proven small", "proven large", "undecided"]
Luck = Literal[-1, 0, 1]
"""Whether the next questions push down, behave like those seen, or push up."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """A difference after `more` questions; `seen_at` is the level of the interval that was seen.

    >>> from ragstone.measure.paired import difference_of_means
    >>> steady = difference_of_means([(1.0, 1.0, 48)])
    >>> [Outlook(steady, more, 0, 0.95).above(-0.02, 0.95) for more in (140, 141)]
    [False, True]
    """

    seen: Difference
    more: int
    luck: Luck
    seen_at: float

    def above(self, edge: float, level: float) -> bool:
        """Whether the whole interval would be above `edge`."""
        return self._clear(edge, level, up=True)

    def below(self, edge: float, level: float) -> bool:
        """Whether the whole interval would be below `edge`."""
        return self._clear(edge, level, up=False)

    def moves(self) -> Moves | None:
        """The moves that there would be; None where the interval does not come from moves."""
        seen = self.seen.moves
        if seen is None:
            return None
        times = self.more / self.seen.questions
        turned = (seen.gained + seen.lost) * times
        unlucky = max(1.0, math.sqrt(turned)) if self.luck else 0.0
        gained = seen.gained * (1 + times) + (unlucky if self.luck > 0 else 0.0)
        lost = seen.lost * (1 + times) + (unlucky if self.luck < 0 else 0.0)
        # No more questions can move than there are.
        of = max(seen.of * (1 + times), gained + lost)
        return Moves(gained, lost, of, seen.wide)

    def _clear(self, edge: float, level: float, *, up: bool) -> bool:
        moves = self.moves()
        if moves is not None:
            return leaves_out(moves, edge, level, up=up)
        seen, together = self.seen, self.seen.questions + self.more
        low, high = seen.interval or (None, None)
        end = low if up else high
        if end is None:
            return False
        pushed = self.luck * seen.spread * math.sqrt(self.more) / together
        value = seen.value + pushed
        half = abs(seen.value - end) * math.sqrt(seen.questions / together)
        half *= normal_deviate(level) / normal_deviate(self.seen_at)
        return value - half > edge if up else value + half < edge


def questions_to_settle(settled: Callable[[int, Luck], bool], *, moved: bool) -> Needed:
    """The fewest questions after which something is settled, and the most.

    The fewest if the next ones behave like those seen; the most if they are unlucky either way.
    Where none moved so far, nothing says how often one will: the most are twice the fewest then.

    >>> questions_to_settle(lambda more, luck: more >= 141 + 94 * abs(luck), moved=True)
    (141, 235)
    >>> questions_to_settle(lambda more, luck: more >= 89 + 91 * abs(luck), moved=False)
    (89, 170)
    """
    fewest = first_settled(lambda more: settled(more, 0))
    if fewest is None:
        return None, None
    most = first_settled(lambda more: settled(more, -1) and settled(more, 1))
    if not moved:
        twice = two_figures(2 * fewest, up=False)
        most = twice if most is None else min(most, twice)
    # Chance may also help: then the fewest are the most.
    return fewest, None if most is None else max(fewest, most)


def more_to_clear(seen: Difference, edge: float, level: float) -> Needed:
    """How many more questions put the whole interval of a difference on one side of `edge`.

    >>> from ragstone.measure.paired import difference_of_means
    >>> more_to_clear(difference_of_means([(1.0, 1.0, 48)]), -0.02, 0.95)
    (141, 232)
    """

    def settled(more: int, luck: Luck) -> bool:
        then = Outlook(seen, more, luck, level)
        return then.above(edge, level) or then.below(edge, level)

    return questions_to_settle(settled, moved=seen.moved)


@dataclass(frozen=True, slots=True)
class NonInferiority:
    """Whether a drop is proven to be within a margin, or beyond it.

    `needed` more questions like those seen would settle it; None where that is not known.
    """

    margin: float
    level: float
    proof: Proof
    needed: int | None


def non_inferiority(found: Difference, margin: float, level: float = 0.95) -> NonInferiority:
    """The interval of the difference against `-margin`.

    >>> from ragstone.measure.paired import difference_of_means
    >>> non_inferiority(difference_of_means([(1.0, 1.0, 189)]), 0.02).proof
    'proven small'
    """
    edge = -margin - TOLERANCE
    low, high = found.interval or (None, None)
    if low is not None and low >= edge:
        return NonInferiority(margin, level, "proven small", 0)
    if high is not None and high < edge:
        return NonInferiority(margin, level, "proven large", 0)
    return NonInferiority(margin, level, "undecided", more_to_clear(found, edge, level)[0])
