"""How far a piece of work is, how fast it goes, and when it will be done: in numbers and words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import fsum

# How much of the statement that runs is done, from 0 to 1; None where nobody knows.
Share = Callable[[], float | None]

# Of less than this nobody can say how long the rest takes.
_LEFT_FROM = 0.02


@dataclass(slots=True, eq=False, repr=False)
class Task:
    """A piece of work: `done` of `total` units are done.

    While the engine works on units, all or a `piece` of them, `share` knows how much of these is
    done. A task with `steps` consists of others, whose `step` names one of them.
    """

    what: str
    total: float = 0
    unit: str = ""
    done: float = 0
    share: Share | None = None
    step: str = ""
    steps: dict[str, float] = field(default_factory=dict)
    started: float = 0.0
    # The units that are worked on; None stands for all, where the engine works on them.
    _piece: float | None = None
    # What the engine said last, what that came to, and what was there when the statement began.
    _said: float = 0.0
    _come: float = 0.0
    _base: float = 0.0
    # What the steps so far have come to: no bar goes back.
    _reached: float = 0.0

    @contextmanager
    def piece(self, units: float = 1) -> Iterator[None]:
        """Inside, so many units are worked on; afterwards they are done."""
        self._piece, self._said, self._come, self._base = units, 0.0, 0.0, 0.0
        yield
        self.done += units
        self._piece, self._said, self._come, self._base = 0, 0.0, 0.0, 0.0

    def part(self, inside: float | None = None) -> float | None:
        """How much of it is done, from 0 to 1, where `inside` is done of what is worked on."""
        if self.steps:
            return self._reached
        if not self.total:
            return inside
        worked = self._piece
        if worked is None:
            worked = 0 if self.share is None else self.total
        now = self._of_engine() if inside is None else inside
        return min((self.done + worked * now) / self.total, 1.0)

    def _of_engine(self) -> float:
        """Of what is worked on; a statement after another gets what that one was seen to leave."""
        said = self.share() if self.share is not None else None
        if said is None:
            return self._come
        if said < self._said:
            self._base = self._come
        self._said = said
        self._come = self._base + (1 - self._base) * said
        return self._come

    def passed(self, step: str, part: float = 1.0) -> float:
        """How much is done when so much of this step is; those before it count as done."""
        if step in self.steps:
            names = list(self.steps)
            before = fsum(self.steps[name] for name in names[: names.index(step)])
            come = (before + self.steps[step] * part) / fsum(self.steps.values())
            self._reached = max(self._reached, come)
        return self._reached

    def ended(self, inside: Task) -> None:
        """A task inside this one is done."""
        if self.steps:
            self.passed(inside.step)
        elif (self.total, self.unit) == (inside.total, inside.unit) and self._piece is None:
            # It went through all that this one is about.
            self.done, self._piece = self.total, 0

    def says(self, now: float) -> str:
        """`reading trace: 180 of 400 MB, 60 MB/s`, or how long it has taken."""
        spent, part = max(now - self.started, 1e-9), self.part()
        if self.steps:
            return f"{self.what} {part or 0:.0%}".replace("%", " %")
        if not self.unit:
            return f"{self.what}, {shown_time(spent)}"
        done = self.done if part is None else part * self.total
        return f"{self.what}: {self._amount(done)}, {self._rate(done / spent)}"

    def _amount(self, done: float) -> str:
        if self.unit == "B":
            return f"{done / 1e6:,.0f}" + (
                f" of {self.total / 1e6:,.0f} MB" if self.total else " MB"
            )
        return f"{done:,.0f}" + (f" of {self.total:,.0f}" if self.total else "") + f" {self.unit}"

    def _rate(self, rate: float) -> str:
        return f"{rate / 1e6:,.0f} MB/s" if self.unit == "B" else shown_rate(rate)


def whole_of(tasks: Sequence[Task]) -> float | None:
    """How much of the outermost task is done; each is a part of the one before it."""
    part: float | None = None
    for task, inside in zip(reversed(tasks), (None, *reversed(tasks[1:])), strict=True):
        if task.steps and inside is not None:
            part = task.passed(inside.step, part or 0.0)
        else:
            part = task.part(part)
    return part


def left_of(part: float | None, spent: float) -> str:
    """`, 4 s left`, or nothing where that cannot be said yet."""
    if part is None or not _LEFT_FROM <= part < 1:
        return ""
    return f", {shown_time(spent / part - spent)} left"


def shown_time(seconds: float) -> str:
    """A duration in the two largest units.

    >>> shown_time(8.4), shown_time(75), shown_time(7260)
    ('8 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def shown_rate(rate: float) -> str:
    """How many a second.

    >>> shown_rate(1234.5), shown_rate(2.25)
    ('1,234/s', '2.2/s')
    """
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"
