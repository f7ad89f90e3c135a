"""What a comparison says of pairs of systems that are real, swapped, or made worse on purpose.

The verdict rows of two systems are kept as patterns: how many questions have the same numbers, of
both systems, in every tested metric. A thousand comparisons then cost seconds, and each is decided
by the functions that decide `ragstone compare`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import ragstone
from ragstone.comparison.compare_rows import Comparing, said
from ragstone.comparison.metric_difference import MetricDifference, metric_difference
from ragstone.comparison.row_sets import SavedMetric, read_row_set
from ragstone.engine.duck import Duck, identifier

Value = float | None
Pattern = tuple[tuple[Value, Value], ...]
"""The numbers of one question, a pair of both systems for each metric."""


@dataclass(frozen=True, eq=False, repr=False)
class Both:
    """Two systems over the same questions: the tested metrics, and how many share a pattern."""

    metrics: Mapping[str, SavedMetric]
    patterns: Mapping[Pattern, int]

    @property
    def questions(self) -> int:
        return sum(self.patterns.values())


def rows_of(gold: Path, trace: Path, file: Path, **options: Any) -> Path:
    """The verdict rows of one system, as `ragstone score -o FILE.parquet` saves them."""
    ragstone.answers(gold, trace, **options).save(str(file))
    return file


@cache
def numbers_of(file: Path) -> tuple[dict[str, SavedMetric], dict[str, tuple[Value, ...]]]:
    """The gated metrics of a file of verdict rows, and the numbers of each question in them."""
    with Duck() as duck:
        rows = read_row_set(duck, file, file.name, "a")
        metrics = {name: rows.metrics[name] for name in rows.gated}
        columns = ", ".join(f"{identifier(each.column)}::double" for each in metrics.values())
        found: list[Any] = duck.query(f"select qid, {columns} from {rows.table} order by qid")
    return metrics, {qid: tuple(values) for qid, *values in found}


def both(a: Path, b: Path) -> Both:
    """Two files of verdict rows over one gold set, in the metrics that are gated."""
    (_, one), (metrics, two) = numbers_of(a), numbers_of(b)
    pairs = (tuple(zip(one[qid], two[qid], strict=True)) for qid in one)
    return Both(metrics, in_order(Counter(pairs)))


def differences(found: Both) -> dict[str, MetricDifference]:
    """What `ragstone compare` says of each metric, all of them tested as one family."""
    how = Comparing()
    made: dict[str, MetricDifference] = {}
    for place, (name, metric) in enumerate(found.metrics.items()):
        counts: Counter[tuple[Value, Value]] = Counter()
        for pattern, count in found.patterns.items():
            counts[pattern[place]] += count
        pairs = sorted(
            ((a, b, n) for (a, b), n in counts.items() if not (a is None and b is None)),
            key=lambda pair: [-1.0 if value is None else value for value in pair],
        )
        difference = metric_difference(metric, pairs, how.level)
        if difference is not None:
            made[name] = difference
    return said(made, found.metrics, list(made), how)


def swapped(found: Both, chance: Random) -> Both:
    """The same answers, but a coin for each question says whose answer is whose."""
    patterns: Counter[Pattern] = Counter()
    for pattern, count in found.patterns.items():
        turned = chance.getrandbits(count).bit_count()
        patterns[pattern] += count - turned
        patterns[tuple((b, a) for a, b in pattern)] += turned
    return Both(found.metrics, in_order(patterns))


def in_order(patterns: Mapping[Pattern, int]) -> dict[Pattern, int]:
    """The patterns that occur, in order: what is drawn must not depend on a hash."""

    def key(pattern: Pattern) -> list[float]:
        return [-9e9 if value is None else value for pair in pattern for value in pair]

    return {
        pattern: patterns[pattern] for pattern in sorted(patterns, key=key) if patterns[pattern]
    }


def alarmed(found: Both) -> bool:
    """Whether any tested metric is called better or worse."""
    return any(each.says in ("better", "worse") for each in differences(found).values())


def most_by_chance(runs: int, rate: float = 0.05, sure: float = 0.99) -> int:
    """The most alarms that a true rate of `rate` gives in 99 of 100 such series."""
    weight, total = (1 - rate) ** runs, 0.0
    for alarms in range(runs + 1):
        total += weight
        if total >= sure:
            return alarms
        weight *= (runs - alarms) / (alarms + 1) * rate / (1 - rate)
    return runs
