"""Judges a recorded run by other gates, without scoring it: what if?

Beside the verdicts it says of every gate where its threshold would have to be for the other
verdict, whether that would change the decision, and how many questions stand between the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from ragstone import scratch
from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError, InputError
from ragstone.gates.gate import Judged, Status, Threshold
from ragstone.gates.judge import OFF, judge, resolve, suggestion, threshold
from ragstone.ledger.gate_distance import SuiteRows, distance, distance_blocks, distance_json
from ragstone.ledger.kept_report import read_state
from ragstone.ledger.run_store import FILES, FoundRun
from ragstone.measure.metric import Measured, Metric
from ragstone.report.build import combine
from ragstone.report.document.blocks import Block, Json
from ragstone.report.formats.json_text import plain
from ragstone.report.model import Report
from ragstone.suites.digest import digest_of
from ragstone.suites.registry import find_suite
from ragstone.suites.waived_questions import WAIVED

Limits = Sequence[tuple[str, str | float]]
"""Gates as they are written: a name and its limit, or `off`."""


def regate(run: FoundRun, limits: Limits) -> Report:
    """The report of a run under other gates; of a `gate`, each suite under its own."""
    suites = run.suites()
    if not suites:
        raise InputError(f"{run.named(FILES)} names no rows: this run cannot be judged again")
    recordings = run.recordings()
    held = recordings[-1].held if recordings else {}
    several = bool(suites[0])
    with scratch.folder() as folder, ExitStack() as engines:
        rows = []
        for suite in suites:
            report = read_state(run, f"{suite}/state.json".lstrip("/"))
            name = f"{suite}/rows.parquet".lstrip("/")
            duck = engines.enter_context(Duck())
            options = held.get(report.suite, {}).get("options", {})
            path = run.local(name, folder)
            rows.append(SuiteRows(duck, path, run.named(name), report, options))
        mine = _for_each([each.report for each in rows], limits)
        judged = [_rejudged(each, given) for each, given in zip(rows, mine, strict=True)]
        whole = combine(judged) if several else judged[0]
        distances = [
            distance(gate, f"{report.suite}." if several else "", whole, each)
            for each, report in zip(rows, judged, strict=True)
            for gate in report.gates
        ]
    return replace(
        whole,
        blocks=(*distance_blocks(distances), *_waived_blocks(whole)),
        notice=_notice(run, limits),
        digest=digest_of({"regated": run.digest, "gates": _written(whole)}),
        data={
            "regated": run.digest,
            "flips": [plain(distance_json(each)) for each in distances],
            **_waived_data(whole),
        },
        offending={},
    )


def _waived_blocks(report: Report) -> list[Block]:
    """Waivers are listed in every report, also in this one."""
    return [each for each in report.blocks if each.title.rpartition(": ")[2] == WAIVED]


def _waived_data(report: Report) -> dict[str, Json]:
    suites = report.data.get("suites")
    if not isinstance(suites, dict):
        waived = report.data.get("waived")
        return {} if waived is None else {"waived": waived}
    listed: dict[str, Json] = {
        name: {"waived": whole["waived"]}
        for name, whole in suites.items()
        if isinstance(whole, dict) and "waived" in whole
    }
    return {"suites": listed} if listed else {}


def _for_each(reports: Sequence[Report], limits: Limits) -> list[list[tuple[str, str | float]]]:
    """The gates of each suite: `answers.precision` is for one, `precision` for each that has it."""
    found: list[list[tuple[str, str | float]]] = [[] for _ in reports]
    for name, limit in limits:
        owner, dot, rest = name.partition(".")
        taken = False
        for report, mine in zip(reports, found, strict=True):
            own = rest if dot and owner == report.suite else name
            if own != name or _knows(report, own):
                mine.append((own, limit))
                taken = True
        if not taken:
            known = [each for report in reports for each in report.metrics]
            raise ConfigError(f"gate {name}: the run has no such metric{suggestion(name, known)}")
    return found


def _knows(report: Report, name: str) -> bool:
    if any(gate.name == name for gate in report.gates):
        return True
    try:
        _resolved(report, name)
    except ConfigError:
        return False
    return True


def _resolved(report: Report, name: str) -> Metric:
    k = report.figures.get("k")
    metrics = [found.metric for found in report.metrics.values()]
    return resolve(name, metrics, k if isinstance(k, int) else None)


def _rejudged(rows: SuiteRows, limits: Limits) -> Report:
    """Unchanged gates stay as they are; the others are judged on the numbers that are there."""
    report = rows.report
    gates = {gate.name: gate for gate in report.gates}
    for name, limit in limits:
        off = limit is False or limit == OFF
        meant = _meant(report, gates, name)
        for gate in meant:
            if off:
                del gates[gate.name]
                continue
            found = _number_of(report, gate)
            gates[gate.name] = _changed(rows, gate, found, _limit(found.metric, limit))
        if not meant and not off:
            metric = _resolved(report, name)
            gates |= {gate.name: gate for gate in _new(rows, metric, _limit(metric, limit))}
    order = {name: place for place, name in enumerate(report.metrics)}
    inside = sorted(gates.values(), key=lambda gate: order.get(gate.metric, len(order)))
    made = tuple(inside if limits else gates.values())
    return replace(report, gates=made, lacks=_lacks(report, made))


def _lacks(report: Report, gates: tuple[Judged, ...]) -> dict[str, str]:
    """What the suite is there to answer and these gates leave open, from the numbers of the run."""
    numbers = {gate.arm: report.metrics for gate in gates}
    lacks = find_suite(report.suite).main.lacks(gates, numbers, report.settings)
    return {report.suite: lacks} if lacks else {}


def _limit(metric: Metric, given: str | float) -> Threshold:
    """The threshold; a bound of the values would change the number's interval, which is kept."""
    limit = threshold(metric, given)
    if limit.most is not None:
        raise ConfigError(f"gate {metric.name}: max = needs the traces; score again with it")
    return limit


def _changed(rows: SuiteRows, gate: Judged, found: Measured, limit: Threshold) -> Judged:
    """A gate that was there, under another threshold."""
    if gate.status is Status.FAIL and gate.value is not None and gate.threshold.holds(gate.value):
        # It failed for another reason than its number, which no threshold mends.
        return replace(gate, threshold=limit)
    made = _judged(rows, gate.arm, gate, found, limit, optional=not gate.required)
    if gate.proven is None and gate.interval is None and gate.value is not None:
        # A count, or the worst question of all: no interval speaks of it.
        made = replace(made, proven=None, needed=None, note="judged again by its value")
    return replace(made, name=gate.name, part=gate.part)


def _new(rows: SuiteRows, metric: Metric, limit: Threshold) -> list[Judged]:
    """A gate on a number that had none, of every arm that is judged."""
    report = rows.report
    if find_suite(report.suite).judge is not None:
        raise ConfigError(
            f"gate {metric.name}: {report.suite} judges it from the rows themselves; score again "
            f"with --gates {metric.name}={limit.value:g}"
        )
    # Beside the default gates of the suite, whoever sets a gate asks for it.
    optional = metric.gate is not None and report.settings.get("strict") is not True
    arms = {gate.arm: gate.name.partition("[")[2] for gate in report.gates if not gate.part}
    if len(arms) < 2:
        arm = next(iter(arms), None)
        return [_judged(rows, arm, None, _numbers(report)[metric.name], limit, optional=optional)]
    found = {arm: _of_arm(report, arm, metric) for arm in arms}
    return [
        replace(
            _judged(rows, arm, None, each, limit, optional=optional),
            name=f"{metric.name}[{arms[arm]}",
        )
        for arm, each in found.items()
    ]


def _of_arm(report: Report, arm: str, metric: Metric) -> Measured:
    """The number of one of several arms, from the list of them that the report has."""
    for listed in report.data.values():
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, dict) and arm in each.values():
                numbers = each.get("metrics")
                if isinstance(numbers, dict) and metric.name in numbers:
                    return _as_gated(report.metrics[metric.name], numbers[metric.name])
    raise ConfigError(
        f"gate {metric.name}: the run does not hold this number of {arm}; score again with it"
    )


def _meant(report: Report, gates: Mapping[str, Judged], name: str) -> list[Judged]:
    """The gates that a name means: one by its whole name, or those of a metric, slices aside."""
    if name in gates:
        return [gates[name]]
    metric = _resolved(report, name).name
    return [gate for gate in gates.values() if gate.metric == metric and not gate.part]


def _number_of(report: Report, gate: Judged) -> Measured:
    """The number that a gate was judged on, as far as the gate has it."""
    known = report.metrics.get(gate.metric)
    if known is None:
        raise ConfigError(f"gate {gate.name}: it compares two runs, and cannot be judged again")
    return Measured(
        metric=known.metric,
        value=gate.value,
        numerator=gate.numerator,
        denominator=gate.denominator,
        interval=gate.interval,
        vacuous=gate.vacuous,
        tested=gate.tested,
        needs_samples=gate.needs_samples,
        waived=gate.waived,
    )


def _numbers(report: Report) -> dict[str, Measured]:
    """What gates are judged on: without waived questions, where there are some."""
    without = report.data.get("gated_metrics")
    if not isinstance(without, dict):
        return dict(report.metrics)
    return {name: _as_gated(found, without.get(name)) for name, found in report.metrics.items()}


def _as_gated(found: Measured, said: Json) -> Measured:
    if not isinstance(said, dict):
        return found
    names = ("value", "numerator", "denominator", "tested", "needs_samples", "vacuous")
    changed: dict[str, Any] = {name: said[name] for name in names}
    ends = said["interval"]
    interval = tuple(ends) if isinstance(ends, list) else None
    waived = said.get("waived", 0)
    return replace(found, interval=interval, waived=waived, **changed)  # type: ignore[arg-type]


def _judged(
    rows: SuiteRows,
    arm: str | None,
    gate: Judged | None,
    found: Measured,
    limit: Threshold,
    *,
    optional: bool,
) -> Judged:
    settings = rows.report.settings
    confidence = settings.get("confidence")
    (made,) = judge(
        {found.name: found},
        {found.name: limit},
        questions=lambda: rows.questions(arm, gate),
        optional=[found.name] if optional else (),
        confidence=confidence if isinstance(confidence, float) else None,
        arm=arm or "",
    )
    return made


def _notice(run: FoundRun, limits: Limits) -> str:
    gates = ", ".join(f"{name} {limit}" for name, limit in limits) or "those of the run"
    return f"What if: run {run.digest[:8]} under other gates ({gates}); nothing was scored."


def _written(report: Report) -> list[list[str]]:
    return [[gate.name, str(gate.threshold)] for gate in report.gates]
