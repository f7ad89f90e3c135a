"""How much worse is no worse: a margin as a user writes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragstone.contracts.kinds import MOST, is_number
from ragstone.contracts.plain_numbers import clipped, real_number
from ragstone.errors import ConfigError

Margins = tuple[tuple[str, str | float], ...]
"""Metrics with their margins, as they are written."""


@dataclass(frozen=True, slots=True)
class Margin:
    """How much worse is no worse; a `relative` one is a part of the baseline's number.

    >>> str(Margin(0.02)), str(Margin(0.05, relative=True))
    ('0.02', '5 %')
    """

    size: float
    relative: bool = False

    def around(self, baseline: float) -> float:
        """The margin in the units of the metric."""
        return self.size * abs(baseline) if self.relative else self.size

    def __str__(self) -> str:
        return f"{100 * self.size:g} %" if self.relative else f"{self.size:g}"


def margin(metric: str, given: object) -> Margin:
    """A margin such as 0.02 or 5%; ConfigError says what else was given.

    >>> margin("p95", "5%"), margin("precision", 0.02)
    (Margin(size=0.05, relative=True), Margin(size=0.02, relative=False))
    """
    relative = isinstance(given, str) and given.rstrip().endswith("%")
    found: float | None = None
    if isinstance(given, str):
        found = real_number(given.strip().removesuffix("%").strip())
    elif is_number(given) and 0 <= given <= MOST:  # type: ignore[operator]
        found = float(given)  # type: ignore[arg-type]
    if found is None or not 0 <= found <= MOST:
        raise ConfigError(
            f"max_regression {metric}: expected a number of at least 0, such as 0.02 or 5%, "
            f"found {clipped(given)}"
        )
    return Margin(found / 100, relative=True) if relative else Margin(found)


def margins_given(pairs: Iterable[tuple[str, object]]) -> dict[str, Margin]:
    """The margin of each metric; of a name that is given twice the last counts."""
    return {name: margin(name, given) for name, given in pairs}
