"""Does one system rank better than another, or could the difference be chance?

Every system is compared with the baseline, question by question: paired randomisation tests, Holm's
correction over all of them, and the questions that differ most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ragstone.errors import ConfigError
from ragstone.gates.gate import TOLERANCE
from ragstone.gates.judge import suggestion
from ragstone.measure.interval import exact_mean
from ragstone.measure.metric import Mean, Measured, Metric
from ragstone.suites.context.metrics import COLUMNS


@dataclass(frozen=True, slots=True)
class System:
    """One system's numbers, and what came in for them."""

    name: str
    source: str
    measured: Mapping[str, Measured]
    questions: int
    missing: int
    unknown_qid: int
    repeated: int
    hash: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A system beside the baseline in one metric; `difference` is the system's mean minus its."""

    system: str
    metric: str
    difference: float
    interval: tuple[float, float] | None
    p: float
    p_holm: float
    wins: int
    ties: int
    losses: int


Pair = tuple[str, float, float]
"""A qid, the baseline's value and the system's."""

Pairs = Callable[[int, Mean], Sequence[Pair]]
"""The pairs of the system with this number in a metric, in order of qid."""


@dataclass(frozen=True, slots=True)
class Differing:
    """A question in which a system and the baseline are far apart."""

    system: str
    metric: str
    qid: str
    baseline: float
    value: float

    @property
    def difference(self) -> float:
        return self.value - self.baseline


def baseline_of(names: Sequence[str], wanted: str | None) -> int:
    """The index of the baseline: the one that was named, or the first."""
    if wanted is None:
        return 0
    if wanted not in names:
        raise ConfigError(f"no system is called {wanted!r}{suggestion(wanted, names)}")
    return names.index(wanted)


def unique(names: Sequence[str]) -> list[str]:
    """The names, with a number where one is taken.

    >>> unique(["bm25", "bm25", "rm3"])
    ['bm25', 'bm25 (2)', 'rm3']
    """
    made: list[str] = []
    for name in names:
        number, now = 1, name
        while now in made:
            number += 1
            now = f"{name} ({number})"
        made.append(now)
    return made


def compare(
    names: Sequence[str], baseline: int, metrics: Sequence[Metric], pairs: Pairs
) -> tuple[Comparison, ...]:
    """Every other system against the baseline in every metric, corrected as one family."""
    from ragstone.measure.permutation import holm, randomisation

    tests = [
        (name, metric.name, [value - base for _, base, value in pairs(number, metric)])
        for number, name in enumerate(names)
        if number != baseline
        for metric in metrics
        if isinstance(metric, Mean)
    ]
    raw = [randomisation(differences) for *_, differences in tests]
    corrected = holm(raw)
    return tuple(
        _comparison(*test, p, p_holm) for test, p, p_holm in zip(tests, raw, corrected, strict=True)
    )


def _comparison(
    system: str, metric: str, differences: list[float], p: float, p_holm: float
) -> Comparison:
    from ragstone.measure.permutation import paired_interval

    wins = sum(difference > TOLERANCE for difference in differences)
    losses = sum(difference < -TOLERANCE for difference in differences)
    return Comparison(
        system=system,
        metric=metric,
        difference=exact_mean([(d, 1) for d in differences]) if differences else 0.0,
        interval=paired_interval(differences) if differences else None,
        p=p,
        p_holm=p_holm,
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
    )


def differing(
    names: Sequence[str], baseline: int, metric: Metric, pairs: Pairs, limit: int | None
) -> tuple[Differing, ...]:
    """The questions in which each system is farthest from the baseline, largest first, then qid."""
    found: list[Differing] = []
    for number, name in enumerate(names):
        if number == baseline or not isinstance(metric, Mean):
            continue
        apart = [pair for pair in pairs(number, metric) if pair[1] != pair[2]]
        apart.sort(key=lambda pair: (-abs(pair[2] - pair[1]), pair[0]))
        found += [Differing(name, metric.name, *pair) for pair in apart[:limit]]
    return tuple(found)


def averages(system: System) -> dict[str, float | None]:
    """A system's averages by column name; `pct_*` run to 100, and what is vacuous is nothing."""
    found: dict[str, float | None] = {}
    for column, name in COLUMNS.items():
        measured = system.measured[name]
        if measured.vacuous:
            found[column] = None
        elif measured.numerator is not None:
            # As the original computes it, so that the last digit is the same too.
            found[column] = measured.numerator / measured.denominator * 100
        else:
            found[column] = measured.value
    return found
