"""The numbers of every arm: by declarations of metrics, and by what only the suite knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragstone.engine.duck import quoted
from ragstone.measure.measure import Tables, measure
from ragstone.measure.metric import Change, Mean, Measured, Metric, Quantile, Ratio
from ragstone.suites.declaration import Numbers, O, Work


def measured_arms(work: Work[O], metrics: tuple[Metric, ...]) -> dict[str, Numbers]:
    """Every metric of every arm, and beside the baseline where one is declared so."""
    found = _numbers(work, metrics, "arm" if len(work.arms) > 1 else "''")
    if len(work.arms) == 1:
        found = {work.arms[0].name: found.get("", {})}
    empty = (
        measure(work.duck, metrics, tables=_none)
        if any(arm.name not in found for arm in work.arms)
        else {}
    )
    measured = {
        arm.name: _known(work, arm.name, found.get(arm.name) or empty[""]) for arm in work.arms
    }
    for arm in work.judged:
        for metric in metrics:
            if isinstance(metric, Change):
                measured[arm][metric.name] = _change(work, metric, arm, measured)
    return {
        arm: {metric.name: numbers[metric.name] for metric in metrics if metric.name in numbers}
        for arm, numbers in measured.items()
    }


def numbers_by(
    work: Work[O], metrics: tuple[Metric, ...], arm: str, group: str, tables: Tables = str
) -> dict[str, Numbers]:
    """Every metric of one arm, for each value of a grouping expression over (parts of) its rows."""

    def part(over: str) -> str:
        return tables(f"(select * from {over} where arm = {quoted(arm)})")

    found = _numbers(work, metrics, group, part)
    return {value: _known(work, arm, numbers) for value, numbers in found.items()}


def _none(table: str) -> str:
    return f"(select * from {table} limit 0)"


def _numbers(
    work: Work[O], metrics: tuple[Metric, ...], group: str, tables: Tables = str
) -> dict[str, Numbers]:
    """Every metric by group, with the suite's own intervals where it has some."""
    suite, options = work.suite, work.options
    cluster = suite.cluster(options) if suite.cluster else None
    found = measure(work.duck, metrics, group, level=options.level, cluster=cluster, tables=tables)
    return suite.intervals(work, tables("rows"), group, found) if suite.intervals else found


def _known(work: Work[O], arm: str, numbers: Numbers) -> Numbers:
    return work.suite.known(work, arm, numbers) if work.suite.known else numbers


def _change(work: Work[O], metric: Change, arm: str, measured: Mapping[str, Numbers]) -> Measured:
    """A metric beside the same one of its counterpart, with an interval where it is paired."""
    from ragstone.measure.arm_differences import changed, difference

    counterpart = work.suite.counterpart
    other = counterpart(work, arm) if counterpart else work.baseline
    before = None if other is None else measured[other].get(metric.metric)
    now = measured[arm][metric.metric]
    made, base = changed(metric, now, before), now.metric
    if metric.of != base.of:
        # The set of a change may be larger than that of the number that changes.
        where = f"arm = {quoted(arm)} and ({metric.of})"
        size = work.duck.count(f"select {work.duck.tally()} from {metric.over} where {where}")
        made = replace(made, denominator=size, tested=0 if made.vacuous else size)
    if metric.paired and other is not None and isinstance(base, Ratio | Mean | Quantile):
        found = difference(work.duck, base, other, arm, work.options.level)
        if found is not None:
            made = replace(
                made,
                value=found.value,
                interval=found.interval,
                denominator=found.questions,
                tested=0 if made.vacuous else found.questions,
                paired=found,
            )
    return made
