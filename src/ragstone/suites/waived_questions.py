"""Questions that no gate counts for a while: out of the tables while gates are judged, and listed.

Gates read tables by name, whatever the suite. So the rows of waived questions are taken out of
these tables themselves: there is no suite, and no kind of metric, that could count them by mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from ragstone.engine.duck import Duck, quoted
from ragstone.errors import ConfigError
from ragstone.gates.gate import Judged
from ragstone.gates.judge import resolve
from ragstone.measure.metric import Change, Count, Mean, Metric, Quantile, Ratio, value_sql
from ragstone.report.document.blocks import Cell, Json, Table
from ragstone.suites.declaration import Numbers, O, Work
from ragstone.suites.waivers import State, Waived, Waiver

# The title of the list, which every report with waivers has.
WAIVED = "Waived"

SAID: Mapping[State, str] = {
    "in_force": "fails, out of the gates",
    "not_needed": "does not fail any more: remove it",
    "expired": "expired: counts again",
    "unknown": "no such question",
}
# The questions that are out, and what the tables are called meanwhile.
_OUT = "waived_questions"
_WHOLE = "_with_waived"
NOTHING: Mapping[str, Callable[[], None]] = {}


def as_json(waived: Sequence[Waived]) -> list[Json]:
    """The list as a report's JSON has it."""
    return [{**each.waiver.as_dict(), "state": each.state} for each in waived]


def waived_blocks(waived: Sequence[Waived]) -> list[Table]:
    """Every waiver that was given, in force or not; nothing where none was."""
    if not waived:
        return []
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (each.waiver.qid, each.waiver.until, SAID[each.state], each.waiver.why) for each in waived
    )
    says = "No gate counts these questions up to and including that day; all else shows them."
    return [Table(WAIVED, ("qid", "until", "state", "why"), rows, says, ("why",))]


def waived_warnings(waived: Sequence[Waived]) -> tuple[str, ...]:
    """What somebody has to mend: waivers that have ended, and those of no question."""
    return tuple(
        unknown_said(each.waiver.qid)
        if each.state == "unknown"
        else f"the waiver of {each.waiver.qid} ended on {each.waiver.until}: it counts again"
        for each in waived
        if each.state in ("unknown", "expired")
    )


def unknown_said(qid: str) -> str:
    """The warning of a waiver that is of no question."""
    return f"{qid} is waived, and no question is called so"


@contextmanager
def taken_out(
    duck: Duck,
    tables: Collection[str],
    qids: Sequence[str],
    made_of_rows: Mapping[str, Callable[[], None]] = NOTHING,
) -> Iterator[None]:
    """Inside, the tables are without the rows of these questions; afterwards they are whole.

    Tables that put several questions together are made again, of the rows that are left.
    """
    if not qids:
        yield
        return
    duck.run(f"create or replace temp table {_OUT} (qid varchar)")
    duck.run(f"insert into {_OUT} select unnest($qids)", {"qids": list(qids)})
    for table in tables:
        duck.run(f"alter table {table} rename to {table}{_WHOLE}")
        if table not in made_of_rows:
            rest = f"select * from {table}{_WHOLE} anti join {_OUT} using (qid)"
            duck.run(f"create temp view {table} as {rest}")
    for make in made_of_rows.values():
        make()
    yield
    for table in tables:
        duck.run(f"drop {'table' if table in made_of_rows else 'view'} {table}")
        duck.run(f"alter table {table}{_WHOLE} rename to {table}")


@contextmanager
def without_waived(work: Work[O], metrics: Sequence[Metric]) -> Iterator[None]:
    """Inside, no table that a metric or a suite's judge reads has a row of a waived question."""
    again = {table: partial(make, work) for table, make in work.suite.made_of_rows.items()}
    # A table that puts questions together is made again also where its metrics are not shown.
    tables = dict.fromkeys(("rows", *(metric.over for metric in metrics), *again))
    with taken_out(work.duck, tables, work.options.waived, again):
        work.waiving = True
        yield
        work.waiving = False


def without_proof(work: Work[O], arm: str, numbers: Numbers) -> Numbers:
    """The numbers of what is left without waived questions: somebody chose it, so it is no sample,
    and an interval of it would prove nothing."""
    if not work.waiving:
        return numbers
    left_out = {name: _left_out(work, each.metric, arm) for name, each in numbers.items()}
    return {
        name: replace(each, interval=None, waived=left_out[name]) if left_out[name] else each
        for name, each in numbers.items()
    }


def _left_out(work: Work[O], metric: Metric, arm: str) -> int:
    return work.duck.count(f"""
        select count(distinct qid) from {metric.over}{_WHOLE}
        where arm = {quoted(arm)} and ({metric.of}) and {work.part}
            and qid in (select qid from {_OUT})
    """)


def waived_in(
    work: Work[O], metrics: Sequence[Metric], gates: Sequence[Judged]
) -> tuple[Waived, ...]:
    """What has become of every waiver, with every row in the tables."""
    options, duck = work.options, work.duck
    if not options.waive:
        return ()
    qids = {"qids": [waiver.qid for waiver in options.waive]}
    known = duck.texts("select distinct qid from rows where qid in (select unnest($qids))", qids)
    fails: set[str] = set()
    for table, condition in dict.fromkeys(_failing(work, metrics, gates)):
        asked = f"select distinct qid from {table} where qid in (select unnest($qids)) and "
        fails |= set(duck.texts(f"{asked} coalesce({condition}, false)", qids))
    return states(options.waive, options.waived, known, fails)


def states(
    waive: Sequence[Waiver],
    out: Collection[str],
    known: Collection[str],
    fails: Collection[str],
) -> tuple[Waived, ...]:
    """Each waiver with its state, from the questions that are out, that are there, that fail."""

    def state(qid: str) -> State:
        if qid not in known:
            return "unknown"
        if qid not in out:
            return "expired"
        return "in_force" if qid in fails else "not_needed"

    return tuple(Waived(waiver, state(waiver.qid)) for waiver in waive)


def _failing(
    work: Work[O], metrics: Sequence[Metric], gates: Sequence[Judged]
) -> Iterator[tuple[str, str]]:
    """Tables, each with the condition under which a row of it costs some gate something.

    A quantile is cost something by what is itself beyond the limit. What a statistic rests on is
    told by the suite alone: whether a row of it is right.
    """
    declared = {metric.name: metric for metric in metrics}
    limits: list[tuple[Metric, Judged | None]] = [(declared[each.metric], each) for each in gates]
    limits += [(metric, None) for metric in _compared(work, metrics)]
    judged = f"arm in ({', '.join(map(quoted, work.judged))})"
    for metric, gate in limits:
        base = declared.get(metric.metric) if isinstance(metric, Change) else metric
        if isinstance(base, Ratio | Count | Mean):
            yield base.over, f"{judged} and {base.offenders}"
        elif isinstance(metric, Quantile) and gate is not None:
            op, limit = gate.threshold.op, gate.threshold.value
            beyond = f"not {value_sql(metric)} {op} {limit!r}::double"
            yield metric.over, f"{judged} and {beyond}"
        elif work.suite.right is not None:
            yield "rows", f"{judged} and not ({work.suite.right(work.options)})"
    if work.options.protect and work.suite.right is not None:
        yield "rows", f"not ({work.suite.right(work.options)})"


def _compared(work: Work[O], metrics: Sequence[Metric]) -> Iterator[Metric]:
    """The metrics that may not get worse than the baseline's."""
    for name, _ in work.options.max_regression:
        try:
            yield resolve(name, metrics, getattr(work.options, "k", None))
        except ConfigError:
            # The comparison says so itself, with the names that both sides have.
            continue
