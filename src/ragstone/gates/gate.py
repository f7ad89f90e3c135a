"""A gate is a metric with a threshold; all gates together are the decision."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ragstone.measure.interval import Interval
from ragstone.measure.more_questions import Needed

Op = Literal[">=", "<=", "=", ">", "<"]

# 0.80 - 0.78 is 0.020000000000000018 in binary; it is not "more than 0.02".
TOLERANCE = 1e-9


class Status(enum.StrEnum):
    """What one gate, or the whole decision, came to."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNMEASURABLE = "UNMEASURABLE"
    NOT_TESTED = "NOT TESTED"


# What is said in place of a decision where gold is not as it was frozen.
NOT_FROZEN = "NOT FROZEN"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A comparison with a number.

    >>> Threshold(">=", 0.8).holds(0.8 - 1e-12)
    True
    >>> str(Threshold("<=", 0.05))
    '<= 0.05'

    `most` is what the user says that no value of a mean without bounds exceeds.
    """

    op: Op
    value: float
    most: float | None = None

    def holds(self, number: float) -> bool:
        match self.op:
            case ">=":
                return number >= self.value - TOLERANCE
            case "<=":
                return number <= self.value + TOLERANCE
            case "=":
                return abs(number - self.value) <= TOLERANCE
            case ">":
                return number > self.value + TOLERANCE
            case "<":
                return number < self.value - TOLERANCE

    def __str__(self) -> str:
        return f"{self.op} {self.value:g}"


@dataclass(frozen=True, slots=True, repr=False)
class Judged:
    """One gate with its verdict.

    `name` is unique in the report (`precision`, or `precision[tags=billing]` for a slice);
    `metric` is the metric's own name. `judged_on` is the number that was compared: the value, or,
    where --confidence asks for a proof, the worse end of the interval. `proven` is whether the
    whole interval is on the right side, and None where no sample can prove that; `needed` are the
    fewest and the most more questions that would settle it. A gate that is NOT TESTED neither
    passes nor fails; where it is `required`, there is no verdict without it. So many questions of
    its set are `waived`, and `with_waived` is the number with these. `arm` is whose number it is,
    where a report has several, `part` the slice that was judged. `needs_samples` is from how many
    samples on an interval with an open end has both ends, and `by_chance` says of a gate on a
    difference how often a run without any change would fail it. Nothing proves or refutes an
    `unbounded` mean.
    """

    name: str
    metric: str
    threshold: Threshold
    value: float | None
    judged_on: float | None
    interval: Interval | None
    status: Status
    vacuous: bool = False
    proven: bool | None = None
    needed: Needed | None = None
    note: str = ""
    arm: str = ""
    part: str = ""
    numerator: int | None = None
    denominator: int = 0
    tested: int = 0
    needs_samples: int | None = None
    by_chance: str = ""
    required: bool = False
    waived: int = 0
    with_waived: str = ""
    unbounded: bool = False

    @property
    def tests_nothing(self) -> bool:
        return self.status is Status.NOT_TESTED

    @property
    def stops_the_verdict(self) -> bool:
        """Whether nothing may ship because of it."""
        return self.status in (Status.FAIL, Status.UNMEASURABLE) or (
            self.tests_nothing and self.required
        )


def decide(gates: Sequence[Judged], lacks: str = "") -> Status | None:
    """What all gates come to; without a gate nothing was decided.

    `lacks` says which question of the suite no gate has tested: then they cannot pass.

    >>> decide(()) is None
    True
    """
    if not gates:
        return None
    found = worst([gate.status for gate in gates])
    open_ = lacks or any(gate.stops_the_verdict for gate in gates)
    return Status.UNMEASURABLE if found is Status.PASS and open_ else found


def worst(statuses: Sequence[Status]) -> Status:
    """FAIL outranks UNMEASURABLE, which outranks PASS; where nothing is tested nothing passes.

    >>> str(worst([Status.NOT_TESTED, Status.PASS])), str(worst([Status.NOT_TESTED]))
    ('PASS', 'UNMEASURABLE')
    """
    ranked = (Status.FAIL, Status.UNMEASURABLE, Status.PASS)
    return next((status for status in ranked if status in statuses), Status.UNMEASURABLE)
