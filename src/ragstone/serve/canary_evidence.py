"""The evidence of a watched canary: what every question adds to it, and when it decides.

PROMOTE when every condition is proven: under a rule that is broken, one of them is, and proving
that one has a probability of at most 1 - level, however many others there are. ROLL BACK when one
is refuted, each at its share of 1 - level, so that all of them together err as rarely. A decision
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
    """What is decided, how surely, and after how many questions at the latest (0: no end)."""

    conditions: tuple[Condition, ...]
    level: float = 0.95
    most: int = 0

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


class Evidence:
    """What the questions say of one condition."""

    def __init__(self, condition: Condition, plan: Plan) -> None:
        self.condition, self._plan = condition, plan
        line = condition.scaled_line
        self._proving, self._refuting = Wealth(line), Wealth(1 - line)
        self.counted: dict[float, float] = {}
        self.questions = 0
        self.path = Path()
        # The question that proved or refuted it, and the first to do so after the decision.
        self.proven_at = self.refuted_at = self.later_proven_at = self.later_refuted_at = 0

    def add(self, value: float | None, question: int, *, ended: bool) -> None:
        """What one more question comes to; None where it could not be measured.

        Where the test has `ended`, its state stays, and what would have changed it is noted.
        """
        if value is not None:
            number = self.condition.scaled(value)
            self.counted[number] = self.counted.get(number, 0) + 1
            self.questions += 1
            self._proving.add(number)
            self._refuting.add(1 - number)
            self._look(question, ended=ended)
        if question % self.path.every == 0:
            self.path.add(self.point(question))

    def _look(self, question: int, *, ended: bool) -> None:
        proven = self._proving.reaches(self._plan.to_prove)
        refuted = self._refuting.reaches(self._plan.to_refute)
        if not ended and self.state is State.OPEN:
            self.refuted_at = question if refuted else 0
            self.proven_at = question if proven and not refuted else 0
        elif ended:
            self.later_refuted_at = self.later_refuted_at or (question if refuted else 0)
            self.later_proven_at = self.later_proven_at or (question if proven else 0)

    def point(self, question: int) -> Point:
        return Point(question, self._proving.log10(), self._refuting.log10())

    @property
    def state(self) -> State:
        if self.refuted_at:
            return State.REFUTED
        if self.proven_at:
            return State.PROVEN
        return State.OPEN if self.questions else State.UNMEASURED

    @property
    def value(self) -> float | None:
        """The mean that was seen, in the condition's own terms."""
        if not self.questions:
            return None
        mean = exact_mean([(number, int(count)) for number, count in sorted(self.counted.items())])
        return self.condition.unscaled(mean)

    @property
    def interval(self) -> Closed | None:
        """Where the true mean lies; each end holds by the level at which it decides."""
        if not self.questions:
            return None
        plan = self._plan
        low, high = ends(dict(sorted(self.counted.items())), plan.to_prove, plan.to_refute)
        one, other = self.condition.unscaled(low), self.condition.unscaled(high)
        return (one, other) if one <= other else (other, one)


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
        self._decided: Decision | None = None

    def add(self, values: Mapping[str, float | None], stop: Stop | None = None) -> None:
        """The numbers of the next question, by the names of the conditions.

        `stop` is something that was seen with it and needs no test to roll back.
        """
        self.questions += 1
        # Nothing that is refuted later speaks against rolling back.
        ended = self.decided and self.decision.verdict is not Verdict.ROLL_BACK
        for name, evidence in self.evidence.items():
            evidence.add(values.get(name), self.questions, ended=ended)
        self.roll_back(stop)
        if self._decided is None:
            self._decided = self._reached()

    def roll_back(self, stop: Stop | None) -> None:
        """Rolls back for a reason, where there is one and nothing was decided before."""
        if stop is not None and self._decided is None:
            self._decided = Decision(Verdict.ROLL_BACK, self.questions, stop.why, stop.by)

    def _reached(self) -> Decision | None:
        refuted = self.in_state(State.REFUTED)
        if refuted:
            said = "; ".join(worse_in_words(each) for each in refuted)
            return Decision(Verdict.ROLL_BACK, self.questions, said)
        if len(self.in_state(State.PROVEN)) == len(self.evidence):
            number = len(self.evidence)
            every = "the one condition is" if number == 1 else f"all {number} conditions are"
            return Decision(Verdict.PROMOTE, self.questions, f"{every} proven")
        if self.plan.most and self.questions >= self.plan.most:
            return Decision(Verdict.HOLD, self.questions, "the planned end is reached")
        return None

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
