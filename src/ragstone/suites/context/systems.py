"""Does one system rank better than another, or could the difference be chance?

Every system is compared with the baseline, question by question: paired randomisation tests, Holm's
correction over all of them, and the questions that differ most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.engine.duck import Duck, identifier
from ragstone.errors import ConfigError
from ragstone.gates.gate import TOLERANCE
from ragstone.gates.judge import suggestion
from ragstone.measure.interval import exact_mean
from ragstone.measure.measure import measure_by
from ragstone.measure.metric import Mean, Measured, Metric
from ragstone.measure.permutation import holm, paired_interval, randomisation

MOST = 10
NONE = "(none)"


@dataclass(frozen=True, slots=True)
class System:
    """One system's numbers; its verdict rows stay in the engine, in `table`."""

    name: str
    source: str
    table: str
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
    duck: Duck, systems: Sequence[System], baseline: int, metrics: Sequence[Metric]
) -> tuple[Comparison, ...]:
    """Every other system against the baseline in every metric, corrected as one family."""
    found = []
    for number, system in enumerate(systems):
        if number == baseline:
            continue
        for metric in metrics:
            if isinstance(metric, Mean):
                found.append(
                    (system.name, metric.name, _pairs(duck, system, systems[baseline], metric))
                )
    made = []
    raw = [randomisation([b - a for _, a, b in pairs]) if pairs else 1.0 for *_, pairs in found]
    for (name, metric_name, pairs), p, corrected in zip(found, raw, holm(raw), strict=True):
        differences = [b - a for _, a, b in pairs]
        wins = sum(d > TOLERANCE for d in differences)
        losses = sum(d < -TOLERANCE for d in differences)
        mean = exact_mean([(d, 1) for d in differences]) if differences else 0.0
        made.append(
            Comparison(
                name, metric_name, mean, paired_interval(differences) if differences else None,
                p, corrected, wins, len(differences) - wins - losses, losses,
            )
        )  # fmt: skip
    return tuple(made)


def differing(
    duck: Duck, systems: Sequence[System], baseline: int, metric: Metric, limit: int | None
) -> tuple[Differing, ...]:
    """The questions in which each system is farthest from the baseline, largest first, then qid."""
    found: list[Differing] = []
    if not isinstance(metric, Mean):
        return ()
    for number, system in enumerate(systems):
        if number != baseline:
            pairs = [p for p in _pairs(duck, system, systems[baseline], metric) if p[1] != p[2]]
            pairs.sort(key=lambda pair: (-abs(pair[2] - pair[1]), pair[0]))
            found += [Differing(system.name, metric.name, *pair) for pair in pairs[:limit]]
    return tuple(found)


def _pairs(
    duck: Duck, system: System, baseline: System, metric: Mean
) -> list[tuple[str, float, float]]:
    """qid, the baseline's value and the system's, for every question both are judged on."""
    rows = duck.query(f"""
        with one as (
            select qid, ({metric.value})::double as value from {baseline.table} where {metric.of}
        ), other as (
            select qid, ({metric.value})::double as value from {system.table} where {metric.of}
        )
        select qid, one.value, other.value from one join other using (qid) order by qid
    """)
    return [(str(qid), float(str(a)), float(str(b))) for qid, a, b in rows]


def sliced(
    duck: Duck, metrics: Sequence[Metric], system: System, number: int, level: float
) -> dict[str, dict[str, Measured]]:
    """The metrics for each value of the slice's field; a list has several, an absent field none."""
    column = f"reference.{identifier(f'slice_{number}')}"
    table = f"""(
        select rows.*, unnest(coalesce(from_json({column}, '["varchar"]'), ['{NONE}'])) as slice
        from {system.table} as rows join reference using (qid)
    )"""
    return measure_by(duck, metrics, table, "slice", level)
