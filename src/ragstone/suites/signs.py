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


# A reading is given from so many rows on: one or two are an accident, and show no cause.
FEWEST_ROWS = 3


@dataclass(frozen=True, eq=False, repr=False)
class Rule:
    """A pattern over the numbers, what it means, when it applies, and the rows that carry it.

    `title` says the pattern in plain words, where it is written in names of metrics; `reading` says
    what is wrong and what to do next, in whole sentences. `check` is what went wrong with the rows
    that carry it. `among` are all rows that the reading would explain, if not those alone: the
    check has to fail in most of them. `needs` is what some row has to show, because otherwise the
    log cannot tell. Where fewer than `FEWEST_ROWS` carry it, or no more than `share` of all rows,
    it is an accident and not a pattern.
    `condensed` is the check over rows that stand for several, where it adds up other rows.
    """

    pattern: str
    reading: str
    applies: Callable[[Signs], bool]
    check: str
    among: str = ""
    needs: str = "true"
    share: float = 0.0
    condensed: str = ""
    title: str = ""

    def carrying(self, condensed: bool) -> str:
        """The rows that carry it, as SQL."""
        check = self.condensed if condensed and self.condensed else self.check
        return f"({self.among}) and ({check})" if self.among else check

    def is_carried(self, total: int, among: int, needed: int, carrying: int) -> bool:
        """Whether the rows carry it, by how many there are of each kind."""
        enough = carrying >= FEWEST_ROWS and carrying > self.share * total
        return enough and 2 * carrying > among and needed > 0
