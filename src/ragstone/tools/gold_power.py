"""What can a gold set show: is its verdict steady, which regressions are found, what is proven?

All of it is about the gates that are set, on the questions and traces that there are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ragstone.engine.duck import Duck, quoted
from ragstone.errors import ConfigError
from ragstone.gates.gate import Judged, Status, Threshold, worst
from ragstone.measure.found_regressions import ALPHA, CHURN, possible_churn, smallest_found
from ragstone.measure.measure import one_question
from ragstone.measure.metric import Count, Mean, Metric, Ratio
from ragstone.measure.provable import Sample, fewest_questions, to_prove
from ragstone.suites import slices
from ragstone.suites.declaration import Outcome
from ragstone.tools.verdict_flips import (
    Flips,
    Line,
    all_alike,
    churn_between,
    flips,
    on_the_point,
    patterns,
)

# The kinds of question that a gold set is planned in, and what is true of each of their rows.
KINDS = {"answerable": "answerable", "unanswerable": "not answerable"}


@dataclass(frozen=True, slots=True)
class GatePower:
    """What the questions show of one gate.

    `questions` are those in the metric's set, which is the SQL `of`. `passes` is how often the gate
    passes in the samples, None where none is drawn; `regression` is the smallest that a comparison
    finds with 80 % power while `churn` of the questions change anyway. `proven` is None where no
    sample can prove the gate, and `settled` is also what is proven to fail. `fewest` questions
    prove it if none fails, `needed` ones if as large a share fails as was seen.
    """

    name: str
    of: str
    threshold: Threshold
    value: float | None
    status: Status
    questions: int
    by_kind: Mapping[str, int]
    passes: float | None = None
    churn: float | None = None
    regression: float | None = None
    proven: bool | None = None
    settled: bool = False
    fewest: int | None = None
    needed: Sample | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Power:
    """What a gold set can show; `by_kind` is how many questions of each kind there are.

    `churn_is` says where the churn is from; `family` is over how many tests Holm corrects.
    """

    questions: int
    by_kind: Mapping[str, int]
    decision: Status
    flips: Flips
    gates: tuple[GatePower, ...]
    churn_is: str
    family: int


def power(duck: Duck, outcome: Outcome[Any], churn: float | None = None) -> Power:
    """The power of the gates in force, while the engine still holds the verdict rows.

    The `churn` that is not given is what two systems show, and is assumed where there is one.
    """
    if len(outcome.arms) > 2:
        raise ConfigError(
            "power looks at one system, or at two to see how many questions change between them; "
            f"found {len(outcome.arms)}"
        )
    arm = getattr(outcome.options, "judge", None) or outcome.shown
    gates = [gate for gate in outcome.gates if gate.arm == arm]
    if not gates:
        raise ConfigError("no gate is set, so there is no verdict to look at; set one with --gates")
    metrics = {metric.name: metric for metric in outcome.metrics}
    table, parts = _with_parts(duck, outcome)
    made = [(gate, _line(gate, metrics[gate.metric], parts)) for gate in gates]
    lines = [line for _, line in made if line is not None]
    strict = outcome.options.strict
    statuses = [on_the_point(gate, strict=strict) for gate in gates]
    now = worst(statuses)
    fixed = [status for status, (_, line) in zip(statuses, made, strict=True) if line is None]
    found = patterns(duck, table, arm, lines)
    drawn = flips(found, lines, fixed, strict=strict)
    every, *sizes = _sizes(duck, table, arm, lines)
    of_line = {line.name: size for line, size in zip(lines, sizes, strict=True)}
    seen = churn is None and len(outcome.arms) == 2
    shown = []
    for status, (gate, line) in zip(statuses, made, strict=True):
        base = _stays(gate, metrics[gate.metric], status)
        if line is not None:
            anyway = churn_between(duck, table, outcome.arms, line) if seen else churn
            base = replace(
                base,
                questions=sum(of_line[line.name].values()),
                by_kind=of_line[line.name],
                passes=drawn.gates[line.name],
            )
            base = _compared(base, line, CHURN if anyway is None else anyway, _family(lines))
            base = _proved(base, gate, line, outcome.options.level)
        shown.append(base)
    open_ = {gate.name for gate in shown if gate.proven is False and not gate.settled}
    untold = {
        line.name for at, line in enumerate(lines) if line.name in open_ and all_alike(found, at)
    }
    if untold:
        # What was seen says nothing of how often others would fail.
        of_gates = {name: None if name in untold else each for name, each in drawn.gates.items()}
        drawn = replace(drawn, passes=None, flips=None, gates=of_gates)
        shown = [replace(each, passes=drawn.gates.get(each.name)) for each in shown]
    return Power(
        questions=sum(found.counts),
        by_kind=every,
        decision=Status.UNMEASURABLE if now is Status.PASS and outcome.lacks else now,
        flips=drawn,
        gates=tuple(shown),
        churn_is="seen" if seen else "assumed" if churn is None else "given",
        family=_family(lines),
    )


def _with_parts(duck: Duck, outcome: Outcome[Any]) -> tuple[str, dict[str, str]]:
    """The verdict rows, with a column for each slice that has gates, and the column of each."""
    suite, options = outcome.suite, outcome.options
    columns, named = "", {}
    for number, part in enumerate(options.slices):
        slices.part(duck, suite.slices_of, part.where, options.slice_fields, suite.slice_key)
        duck.run(f"create temp table part_{number} as select * from part")
        inside = f"{suite.slice_key} in (select {suite.slice_key} from part_{number})"
        columns += f", {inside} as in_part_{number}"
        named[slices.name_of(part.where)] = f"in_part_{number}"
    return f"(select *{columns} from rows)", named


def _line(gate: Judged, metric: Metric, parts: Mapping[str, str]) -> Line | None:
    """The gate as something that samples can be drawn for; None where its number stays."""
    if not isinstance(metric, Ratio | Count | Mean) or metric.over != "rows":
        return None
    if gate.value is None or gate.tests_nothing:
        return None
    return Line(gate.name, metric, gate.threshold, parts[gate.part] if gate.part else "true")


def _sizes(duck: Duck, table: str, arm: str, lines: list[Line]) -> list[dict[str, int]]:
    """How many questions of each kind there are, and how many in the set of each line."""
    sets = ["true", *(line.inside for line in lines)]
    columns = [
        f"count(distinct {one_question(duck)}) filter (({kind}) and ({each}))"
        for each in sets
        for kind in KINDS.values()
    ]
    where = f"where arm = {quoted(arm)}"
    counts = iter(duck.counts(f"select {', '.join(columns)} from {table} {where}"))
    return [{kind: next(counts) for kind in KINDS} for _ in sets]


def _family(lines: list[Line]) -> int:
    """How many tests a comparison corrects for: those of the gates over all questions."""
    return max(1, sum(line.where == "true" for line in lines))


def _stays(gate: Judged, metric: Metric, status: Status) -> GatePower:
    """What is known of any gate, also of one that no sample can be drawn for."""
    return GatePower(
        name=gate.name,
        of=metric.of,
        threshold=gate.threshold,
        value=gate.value,
        status=status,
        questions=gate.denominator,
        by_kind={},
    )


def _compared(base: GatePower, line: Line, churn: float, family: int) -> GatePower:
    """With the smallest regression of this one metric that a comparison finds.

    A number that may change by less than a whole question varies less, so it is found sooner.
    """
    if isinstance(line.metric, Mean) and line.metric.bounds != (0.0, 1.0):
        return base
    share = base.value or 0.0
    if isinstance(line.metric, Count):
        share /= max(1, base.questions)
    worse, better = (share, 1 - share) if line.metric.better == "higher" else (1 - share, share)
    return replace(
        base,
        churn=possible_churn(churn, worse, better),
        regression=smallest_found(base.questions, churn, worse, better, ALPHA / family),
    )


def _proved(base: GatePower, gate: Judged, line: Line, level: float) -> GatePower:
    """With whether the questions prove the gate, and how many would.

    A mean from 0 to 1 is planned as if each question were 0 or 1: the most that it can vary.
    """
    limit = failing_limit(line.metric, gate.threshold)
    if limit is None or gate.value is None:
        return base
    proven, settled = _decided(gate)
    failing = gate.value if gate.threshold.op in ("<=", "<") else 1 - gate.value
    return replace(
        base,
        proven=proven,
        settled=settled,
        fewest=fewest_questions(limit, 0, level),
        needed=to_prove(limit, failing, level),
    )


def failing_limit(metric: Metric, limit: Threshold) -> float | None:
    """How large a share of the set may fail; None where no sample can prove the gate."""
    shares = isinstance(metric, Ratio) or (isinstance(metric, Mean) and metric.bounds == (0.0, 1.0))
    if not shares or limit.op == "=" or not 0 < limit.value < 1:
        return None
    return limit.value if limit.op in ("<=", "<") else 1 - limit.value


def _decided(gate: Judged) -> tuple[bool, bool]:
    """Whether the whole interval is on the right side, and whether it is on one side at all."""
    if gate.interval is None:
        return False, False
    low, high = gate.interval
    worse, best = (low, high) if gate.threshold.op in (">=", ">") else (high, low)
    proven = worse is not None and gate.threshold.holds(worse)
    return proven, proven or (best is not None and not gate.threshold.holds(best))


def planned(found: Power) -> dict[str, int]:
    """How many questions of each kind would settle all gates that are open.

    A gate needs its questions in its own set. How many of a kind that takes is known from the share
    of the kind that is in the set now; a set that is one kind alone needs as many of it.
    """
    most = dict(found.by_kind)
    for gate in found.gates:
        wanted = gate.needed.questions if gate.needed else gate.fewest
        if wanted is None or gate.settled:
            continue
        for kind, of in KINDS.items():
            if gate.of == of:
                most[kind] = max(most[kind], wanted)
            elif gate.by_kind.get(kind):
                scaled = math.ceil(wanted / gate.questions * found.by_kind[kind])
                most[kind] = max(most[kind], scaled)
    return most
