"""What is known of a part of the questions beyond its rows: that of two parts adds up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragstone.engine.content_hash import ContentSum

Told = tuple[Any, ...]
"""A row of plain values that can be put in order."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a part has to know to list its questions: the metrics that a row may cost something,
    each with its offenders as SQL, and those of them by which a row fails."""

    metrics: Mapping[str, str] = field(default_factory=dict)
    fails_by: tuple[str, ...] = ()


@dataclass(eq=True, slots=True)
class Gathered:
    """Counts, sets and first rows, each under a name; and the lines and the content of inputs.

    `first` has of each name how many rows are kept, and these rows in order.

    >>> one, two = Gathered(), Gathered()
    >>> one.count("lines", 2), two.count("lines", 3)
    (None, None)
    >>> one.keep_first("seen", [("b",), ("c",)], 2), two.keep_first("seen", [("a",)], 2)
    (None, None)
    >>> one.add(two)
    >>> one.counts, one.rows("seen")
    ({'lines': 5}, [('a',), ('b',)])
    """

    counts: dict[str, int] = field(default_factory=dict)
    sets: dict[str, set[str]] = field(default_factory=dict)
    first: dict[str, tuple[int, list[Told]]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    sums: dict[str, ContentSum] = field(default_factory=dict)

    def count(self, name: str, number: int) -> None:
        """Adds to a count."""
        self.counts[name] = self.counts.get(name, 0) + number

    def counted(self, name: str) -> int:
        return self.counts.get(name, 0)

    def keep_first(self, name: str, rows: Iterable[Told], most: int) -> None:
        """Keeps the first rows, in order, of those that there are and these."""
        self.first[name] = (most, sorted([*self.rows(name), *rows])[:most])

    def rows(self, name: str) -> list[Told]:
        return self.first[name][1] if name in self.first else []

    def keep_all(self, name: str, some: Iterable[str]) -> None:
        """Adds to a set."""
        self.sets.setdefault(name, set()).update(some)

    def add(self, other: Gathered) -> None:
        """Adds what is known of other questions."""
        for name, number in other.counts.items():
            self.count(name, number)
        for name, some in other.sets.items():
            self.keep_all(name, some)
        for name, (most, rows) in other.first.items():
            self.keep_first(name, rows, most)
        for table, lines in other.lines.items():
            self.lines[table] = self.lines.get(table, 0) + lines
        for table, content in other.sums.items():
            self.sums[table] = self.sums.get(table, ContentSum()) + content
