"""The evidence of a watched canary: what every question adds to it, and when it decides.

PROMOTE at a look at which every condition is proven by all questions so far: under a rule that is
broken, one of them is, and proving that one has a probability of at most 1 - level, however many
others there are. A proof that later questions took away counts no more. ROLL BACK when one is
refuted, each at its share of 1 - level, so that all of them together err as rarely. A decision
stays: the test ends there, and what comes later is shown and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from ragstone.measure.betting import Wealth, ends
from ragstone.measure.interval import Closed, exact_mean
from ragstone.serve.canary_conditions import Condition

# A path has between half as many points and as many.
_POINTS = 256


class Verdict(StrEnum):
    """What a watched canary comes to."""

    PROMOTE = "PROMOTE"
    HOLD = "HOLD"
    ROLL_BACK = "ROLL BACK"


class State(StrEnum):
    """What is known of a condition."""

    PROVEN = "proven"
    REFUTED = "refuted"
    OPEN = "open"
    UNMEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is decided, how surely, and after how many questions at the latest (0: no end).

    Nothing is promoted before the questions span `at_least` so many seconds.
    """

    conditions: tuple[Condition, ...]
    level: float = 0.95
    most: int = 0
    at_least: int = 0

    @property
    def to_prove(self) -> float:
        """The wealth that proves a condition."""
        return 1 / (1 - self.level)

    @property
    def to_refute(self) -> float:
        """The wealth that refutes one of them."""
        return len(self.conditions) / (1 - self.level)


@dataclass(frozen=True, slots=True)
class Point:
    """The evidence after so many questions, as powers of ten: for the condition, and against it."""

    question: int
    proving: float
    refuting: float


@dataclass(slots=True)
class Path:
    """Points over all questions, thinned so that their number stays bounded."""

    points: list[Point] = field(default_factory=list)
    every: int = 1

    def add(self, point: Point) -> None:
        self.points.append(point)
        if len(self.points) > _POINTS:
            self.every *= 2
            self.points = [each for each in self.points if each.question % self.every == 0]


@dataclass(frozen=True, slots=True)
class Standing:
    """A state, and the question since which it holds; 0 where it is open."""

    state: State
    since: int = 0


class Evidence:
    """What the questions say of one condition."""

    def __init__(self, condition: Condition, plan: Plan) -> None:
        self.condition, self._plan = condition, plan
        line = condition.scaled_line
        self._proving, self._refuting = Wealth(line), Wealth(1 - line)
        self.counted: dict[float, float] = {}
        self.questions = 0
        self.path = Path()
        # What all questions so far say; and what they said when the test ended.
        self.now = Standing(State.UNMEASURED)
        self._at_end: Standing | None = None
        # The question that took a proof away, until there is another.
        self.lost_at = 0

    def add(self, value: float | None, question: int) -> None:
        """What one more question comes to; None where it could not be measured."""
        if value is not None:
            number = self.condition.scaled(value)
            self.counted[number] = self.counted.get(number, 0) + 1
            self.questions += 1
            self._proving.add(number)
            self._refuting.add(1 - number)
            self._look(question)
        if question % self.path.every == 0:
            self.path.add(self.point(question))

    def _look(self, question: int) -> None:
        before = self.now.state
        # A refutation ends the test, so it stays.
        if before is State.REFUTED:
            return
        if self._refuting.reaches(self._plan.to_refute):
            self.now = Standing(State.REFUTED, question)
        elif not self._proving.reaches(self._plan.to_prove):
            self.now = Standing(State.OPEN)
            self.lost_at = question if before is State.PROVEN else self.lost_at
        elif before is not State.PROVEN:
            self.now, self.lost_at = Standing(State.PROVEN, question), 0

    def end(self) -> None:
        """The test ends here: what comes later changes `now`, and no state that decided."""
        self._at_end = self.now

    @property
    def standing(self) -> Standing:
        """What decides: all questions so far, up to the end of the test."""
        return self._at_end or self.now

    @property
    def state(self) -> State:
        return self.standing.state

    def point(self, question: int) -> Point:
        return Point(question, self._proving.log10(), self._refuting.log10())

    @property
    def value(self) -> float | None:
        """The mean that was seen, in the condition's own terms."""
        if not self.questions:
            return None
        return self.condition.unscaled(self.scaled_mean)

    @property
    def scaled_mean(self) -> float:
        return exact_mean([(number, int(count)) for number, count in sorted(self.counted.items())])

    @property
    def interval(self) -> Closed | None:
        """Where the true mean lies; each end holds by the level at which it decides."""
        if not self.questions:
            return None
        low, high = self.scaled_interval
        one, other = self.condition.unscaled(low), self.condition.unscaled(high)
        return (one, other) if one <= other else (other, one)

    @property
    def scaled_interval(self) -> Closed:
        return ends(dict(sorted(self.counted.items())), self._plan.to_prove, self._plan.to_refute)


Reason = Literal["test", "index", "alerts"]


@dataclass(frozen=True, slots=True)
class Stop:
    """Something that rolls back without a test: another build of the index, or alerts."""

    by: Reason
    why: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict, after how many questions it was reached (0: it is open), and why."""

    verdict: Verdict
    question: int
    why: str
    by: Reason = "test"


class Watched:
    """The test of one run of a shadow: questions go in, one after the other."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.evidence: Mapping[str, Evidence] = {
            each.name: Evidence(each, plan) for each in plan.conditions
        }
        self.questions = 0
        # The earliest moment of a question and the latest, in milliseconds.
        self._earliest = self._latest = 0
        self._decided: Decision | None = None

    def add(
        self, values: Mapping[str, float | None], stop: Stop | None = None, moment: int = 0
    ) -> None:
        """The numbers of the next question, by the names of the conditions; when it was asked.

        `stop` is something that was seen with it and needs no test to roll back.
        """
        self._earliest = min(self._earliest, moment) if self.questions else moment
        self._latest = max(self._latest, moment) if self.questions else moment
        self.questions += 1
        for name, evidence in self.evidence.items():
            evidence.add(values.get(name), self.questions)
        self.roll_back(stop)
        if self._decided is None:
            self._decided = self._reached()
            # Nothing that comes after rolling back speaks against it.
            if self._decided is not None and self._decided.verdict is not Verdict.ROLL_BACK:
                for evidence in self.evidence.values():
                    evidence.end()

    def roll_back(self, stop: Stop | None) -> None:
        """Rolls back for a reason, where there is one and nothing was decided before."""
        if stop is not None and self._decided is None:
            self._decided = Decision(Verdict.ROLL_BACK, self.questions, stop.why, stop.by)

    def _reached(self) -> Decision | None:
        refuted = self.in_state(State.REFUTED)
        if refuted:
            said = "; ".join(worse_in_words(each) for each in refuted)
            return Decision(Verdict.ROLL_BACK, self.questions, said)
        if self.all_proven and self.span >= self.plan.at_least:
            return Decision(Verdict.PROMOTE, self.questions, all_proven_in_words(self))
        if self.plan.most and self.questions >= self.plan.most:
            return Decision(Verdict.HOLD, self.questions, "the planned end is reached")
        return None

    @property
    def all_proven(self) -> bool:
        return len(self.in_state(State.PROVEN)) == len(self.evidence)

    @property
    def span(self) -> float:
        """How many seconds are between the earliest question and the latest."""
        return (self._latest - self._earliest) / 1000

    def in_state(self, state: State) -> Sequence[Evidence]:
        return [each for each in self.evidence.values() if each.state is state]

    @property
    def decision(self) -> Decision:
        """What is decided, or why nothing is yet."""
        return self._decided or Decision(Verdict.HOLD, 0, "")

    @property
    def decided(self) -> bool:
        return self._decided is not None


def worse_in_words(found: Evidence) -> str:
    """`change of coverage is -0.0820, and >= -0.02 is refuted`."""
    return f"{found.condition.title} is {found.value:.4f}, and {found.condition.line} is refuted"


def all_proven_in_words(found: Watched) -> str:
    """`all 5 conditions are proven`."""
    number = len(found.evidence)
    return f"{'the one condition is' if number == 1 else f'all {number} conditions are'} proven"
