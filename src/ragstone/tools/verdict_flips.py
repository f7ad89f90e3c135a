"""How steady is a verdict: would the same gates say the same of another sample of such questions?

Questions are drawn again with replacement, as many as there are. A gate's number depends on sums
over its questions only, so questions that count alike in every gate are one pattern, and what is
drawn is how often each pattern comes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragstone.engine.duck import Duck, quoted
from ragstone.gates.gate import Judged, Status, Threshold, worst
from ragstone.measure.bootstrap import RESAMPLES, SEED, resampled_counts
from ragstone.measure.measure import one_question
from ragstone.measure.metric import Count, Mean, Ratio
from ragstone.progress import counting

# Means of many different values make a pattern of nearly every question; fewer samples are drawn
# then, so that a hundred thousand of them still take seconds.
_DRAWS = 4_000_000
_FEWEST = 200


@dataclass(frozen=True, eq=False, repr=False)
class Line:
    """A gate whose number can be drawn again: its metric, its limit, and which rows it is of."""

    name: str
    metric: Ratio | Count | Mean
    limit: Threshold
    where: str = "true"

    @property
    def inside(self) -> str:
        """The rows that count, as SQL."""
        return f"({self.metric.of}) and ({self.where})"

    @property
    def columns(self) -> tuple[str, str]:
        """What a question adds to the gate's sum, and to the size of its set, as SQL."""
        size = f"count(*) filter ({self.inside})"
        if not isinstance(self.metric, Mean):
            return f"count(*) filter (({self.inside}) and ({self.metric.hit}))", size
        # In order of size: a sum of doubles in the order of threads has other last digits.
        held = f"{self.inside} and ({self.metric.value}) is not null"
        values = f"list_sort(list(({self.metric.value})::double) filter ({held}))"
        return f"coalesce(list_sum({values}), 0)", f"count(*) filter ({held})"

    def value(self, total: float, size: int) -> float:
        if not size:
            return float(self.metric.empty)
        return total if isinstance(self.metric, Count) else total / size


@dataclass(frozen=True, eq=False, repr=False)
class Patterns:
    """How many questions count alike, and what one of them adds to each gate: total and size."""

    counts: tuple[int, ...]
    adds: tuple[tuple[tuple[float, int], ...], ...]


@dataclass(frozen=True, slots=True)
class Flips:
    """What became of the verdict in the samples.

    `flips` is how often two samples disagree, `passes` how often one ships, `gates` how often each
    gate passes. None of these is known (None) where samples of what was seen cannot show it.
    """

    samples: int
    passes: float | None
    flips: float | None
    gates: dict[str, float | None]


def patterns(duck: Duck, table: str, arm: str, lines: Sequence[Line]) -> Patterns:
    """The patterns of one arm's questions, the most frequent first; repeats are one question."""
    asked = one_question(duck)
    columns = [f"{asked} as asked", *(column for line in lines for column in line.columns)]
    found: list[Any] = duck.query(f"""
        select count(*) as questions, * exclude (asked)
        from (select {", ".join(columns)} from {table} where arm = {quoted(arm)} group by asked)
        group by all order by all desc
    """)
    return Patterns(
        tuple(row[0] for row in found),
        tuple(tuple(zip(row[1::2], row[2::2], strict=True)) for row in found),
    )


def all_alike(found: Patterns, at: int) -> bool:
    """Whether all questions in the set of a line count alike: samples of them do, whatever is true.

    >>> all_alike(Patterns((9, 1), (((1.0, 1),), ((1.0, 1),))), 0)
    True
    >>> all_alike(Patterns((9, 1), (((1.0, 1),), ((0.0, 1),))), 0)
    False
    """
    return len({add[at][0] / add[at][1] for add in found.adds if add[at][1]}) <= 1


def churn_between(duck: Duck, table: str, arms: Sequence[str], line: Line) -> float:
    """The share of the questions of the gate's set that changed from one arm to the other.

    A change of a number from 0 to 1 counts as much as the number changed.
    """
    total, size = line.columns
    found: list[Any] = duck.query(f"""
        with one as (
            select arm, {one_question(duck)} as asked, ({total}) / nullif({size}, 0) as value
            from {table} group by arm, asked
        )
        select abs(one.value - two.value) as changed, count(*)
        from one join one as two on one.asked = two.asked
        where one.arm = {quoted(arms[0])} and two.arm = {quoted(arms[1])} and changed is not null
        group by changed order by changed
    """)
    questions = sum(count for _, count in found)
    return math.fsum(change * count for change, count in found) / max(1, questions)


def flips(
    found: Patterns, lines: Sequence[Line], others: Sequence[Status], *, strict: bool = False
) -> Flips:
    """The verdict on samples of these questions; `others` are gates that no drawing changes."""
    cost = len(found.counts) * max(1, len(lines))
    samples = min(RESAMPLES, max(_FEWEST, _DRAWS // max(1, cost)))
    verdicts: Counter[Status] = Counter()
    passed = [0] * len(lines)
    draws = resampled_counts(found.counts, samples, SEED)
    for drawn in counting(draws, "drawing questions", "samples", samples):
        statuses = [_status(line, found, drawn, at, strict) for at, line in enumerate(lines)]
        passed = [so_far + (s is Status.PASS) for so_far, s in zip(passed, statuses, strict=True)]
        verdicts[worst((*statuses, *others))] += 1
    alike = sum(count * (count - 1) for count in verdicts.values())
    return Flips(
        samples,
        verdicts[Status.PASS] / samples,
        1 - alike / (samples * (samples - 1)),
        {line.name: count / samples for line, count in zip(lines, passed, strict=True)},
    )


def _status(line: Line, found: Patterns, drawn: list[int], at: int, strict: bool) -> Status:
    pairs = [(add[at], times) for add, times in zip(found.adds, drawn, strict=True) if times]
    size = sum(add[1] * times for add, times in pairs)
    if not size:
        return Status.UNMEASURABLE if strict else Status.NOT_TESTED
    total = math.fsum(add[0] * times for add, times in pairs)
    return Status.PASS if line.limit.holds(line.value(total, size)) else Status.FAIL


def on_the_point(gate: Judged, *, strict: bool = False) -> Status:
    """What a gate comes to when it is judged on its value, as it is without --confidence."""
    if gate.tests_nothing:
        return Status.UNMEASURABLE if strict or gate.required else Status.NOT_TESTED
    if gate.value is None:
        return Status.UNMEASURABLE
    return Status.PASS if gate.threshold.holds(gate.value) else Status.FAIL
