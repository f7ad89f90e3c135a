"""What a reading looks at, and what it is: a pattern over the numbers, and its meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, eq=False, repr=False)
class Signs:
    """The values of an arm, which of its metrics are off, and whether questions have repeats."""

    values: Mapping[str, float]
    off: frozenset[str]
    repeats: bool = False

    def bad(self, name: str) -> bool:
        return name in self.off

    def known(self, *names: str) -> bool:
        """Whether each of these has a number that something was tested for."""
        return all(name in self.values for name in names)

    def value(self, name: str) -> float:
        """The metric's value; 0 where it could not be computed, or nothing was tested."""
        return self.values.get(name, 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class Rule:
    """A pattern over the numbers, what it means, when it applies, and the rows that prove it.

    `title` says the pattern in plain words, where it is written in names of metrics; `reading` says
    what is wrong and what to do next, in whole sentences. Where no more than `share` of all rows
    prove it, it is an accident and not a pattern.
    `condensed` is the proof over rows that stand for several, where it adds up other rows.
    """

    pattern: str
    reading: str
    applies: Callable[[Signs], bool]
    proof: str
    share: float = 0.0
    condensed: str = ""
    title: str = ""
