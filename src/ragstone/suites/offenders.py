"""The rows behind the numbers: which cost a metric something, and what a person sees of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from ragstone.engine.duck import Duck, quoted, whole
from ragstone.gates.gate import Judged, Status
from ragstone.measure.metric import Count, Mean, Metric, Ratio
from ragstone.progress import counting
from ragstone.report.document.blocks import Offender
from ragstone.suites.declaration import Arm, Check, Costly, O, Work


def behind(
    duck: Duck, arm: str, listed: Sequence[str], limit: int | None, counted: Sequence[str] = ()
) -> tuple[list[tuple[str, ...]], tuple[int, ...]]:
    """The first qids of an arm's rows that meet each condition of `listed`, in order, each once.

    Beside them how many rows meet each of `listed`, and each of `counted`: all in one pass.
    """
    lists = [] if limit is None else [f"min(qid, {limit}) filter ({each})" for each in listed]
    wanted = [*map(duck.tally, (*listed, *counted)), *lists]
    of_arm = f"from rows where arm = {quoted(arm)}"
    if not wanted:
        return [], ()
    row = duck.one(f"select {', '.join(wanted)} {of_arm}")
    counts = tuple(map(whole, row[: len(listed) + len(counted)]))
    firsts = row[len(counts) :] or [None] * len(listed)
    most = "" if limit is None else f"limit {limit}"
    found: list[tuple[str, ...]] = []
    for where, count, first in zip(listed, counts, firsts, strict=False):
        qids = _texts(first)
        # Every qid is wanted, or a question has several rows: then each stands once.
        if count and len(set(qids)) < max(len(qids), 1):
            qids = duck.texts(f"select distinct qid {of_arm} and ({where}) order by qid {most}")
        found.append(qids)
    return found, counts


def count_rows(duck: Duck, arm: str, conditions: Sequence[str]) -> tuple[int, ...]:
    """How many of an arm's rows meet each of the conditions, in one pass over them."""
    if not conditions:
        return ()
    sums = ", ".join(map(duck.tally, conditions))
    return duck.counts(f"select {sums} from rows where arm = {quoted(arm)}")


def costly_metrics(
    metrics: Sequence[Metric], told: tuple[str, ...] | None, gates: Sequence[Judged]
) -> dict[str, str]:
    """The metrics that rows are charged with, each with its offenders as SQL.

    `told` are those that the suite always charges; None is every metric that has offenders, but for
    the extra ones. A metric over another table charges the rows that it names itself. A metric that
    could not be measured is charged to no row.
    """
    gated = {gate.metric for gate in gates}
    unknown = {gate.metric for gate in gates if gate.value is None and not gate.part}
    return {
        metric.name: f"coalesce({metric.costs or metric.offenders}, false)"
        for metric in metrics
        if isinstance(metric, Ratio | Count | Mean) and (metric.over == "rows" or metric.costs)
        if metric.name in gated or (not metric.extra if told is None else metric.name in told)
        if metric.name not in unknown
    }


def charged(work: Work[O], metrics: Sequence[Metric], judged: Sequence[Judged]) -> dict[str, str]:
    """The metrics that rows of the arm shown are charged with, each with its offenders as SQL."""
    own = [gate for gate in judged if gate.arm == work.shown]
    if work.suite.charges == "failed":
        own = [gate for gate in own if gate.status is Status.FAIL]
    return costly_metrics(metrics, work.suite.told, own)


def offending(
    work: Work[O], metrics: Sequence[Metric], judged: Sequence[Judged]
) -> dict[str, tuple[str, ...]]:
    """The first questions behind each gate that did not pass, where there is a number."""
    costly = charged(work, metrics, judged)
    found: dict[str, tuple[str, ...]] = {}
    for arm, own in groupby(judged, key=lambda gate: gate.arm):
        wanted = {
            gate.name: costly[gate.metric]
            for gate in own
            if gate.status is not Status.PASS
            and gate.value is not None
            and gate.metric in costly
            and not gate.part
        }
        lists, _ = behind(work.duck, arm, list(wanted.values()), work.options.limit)
        found.update(zip(wanted, lists, strict=True))
    return found


def offenders(
    work: Work[O], arm: Arm, costly: Mapping[str, str], gates: Sequence[Judged]
) -> Costly:
    """Rows that cost some metric something: those that cost most failed gates first, then by qid.

    `gates` are those that judge this arm.
    """
    limit = work.options.limit
    found = work.duck.dicts(offenders_sql(work, arm, costly, gates, limit))
    total = whole(found[0].get("total", len(found))) if found else 0
    listed = counting(found, "listing what is wrong", "rows")
    return Costly(tuple(offender_of(row, work.suite.checks) for row in listed), total)


def offenders_sql(
    work: Work[O],
    arm: Arm,
    costly: Mapping[str, str],
    gates: Sequence[Judged],
    limit: int | None,
) -> str:
    """The rows that cost something, with what a person sees of them, as SQL."""
    failed = {gate.metric for gate in gates if gate.status is Status.FAIL} & set(costly)
    weight = " + ".join(f"({costly[name]})::int" for name in sorted(failed)) or "0"
    wanted = " or ".join(costly.values()) or "false"
    of_arm = f"from rows where arm = {quoted(arm.name)} and ({wanted})"
    most = total = ""
    if limit is not None:
        most, total = f"limit {limit}", f"(select {work.duck.tally()} {of_arm}) as total,"
    checks = {name: check.failed for name, check in work.suite.checks.items()}
    return f"""
        with worst as (
            select *, {weight} as failed_gates, {_names(costly)} as costs,
                {_names(checks)} as failed_checks,
            {of_arm}
            order by failed_gates desc, {_order(work)} {most}
        )
        select worst.qid, worst.costs, worst.failed_checks, {total} {_details(work, arm)}
        order by worst.failed_gates desc, {_order(work, "worst.")}
    """


def _order(work: Work[O], at: str = "") -> str:
    """The suite's worst rows first, then by qid; repeats of a question in a fixed order."""
    columns = (*work.suite.worst_first, *work.suite.row_order)
    return ", ".join(f"{at}{column}" for column in columns)


# What the texts do not hold of an answer.
_UNFOUND = """(
    select list(unfound order by sentence, since, until, kind) from unfound
    where unfound.arm = worst.arm and unfound.trace_row = worst.trace_row
)"""


def _details(work: Work[O], arm: Arm) -> str:
    if not work.suite.offender:
        return "from worst"
    # Planning the look-up takes longer than all else here, and few runs have texts.
    unfound = _UNFOUND if work.sources.get("texts") or work.notes.get("texts") else "null"
    return work.sql(work.suite.offender, table=arm.table, unfound=unfound)


def _names(conditions: Mapping[str, str]) -> str:
    """A list of the names whose condition holds, as SQL over the rows."""
    cases = ", ".join(
        f"case when {where} then {quoted(name)} end" for name, where in conditions.items()
    )
    return f"list_filter([{cases}]::varchar[], lambda name: name is not null)"


_LISTS = (
    "costs",
    "failed_checks",
    "gold_claim_substr",
    "gold_citations",
    "citations",
    "retrieved_ids",
    "constraints",
    "constraints_echo",
)
_EXPECTED = ("gold_answer", "nuggets", "must_not", "decimal_mark")


def offender_of(row: Mapping[str, object], checks: Mapping[str, Check]) -> Offender:
    """A row of the engine as what the report shows; `checks` are those of its suite."""
    lists = {name: _texts(row.get(name)) for name in _LISTS}
    lists["problems"] = tuple(checks[name].says for name in lists["failed_checks"])
    # Sentences often rest on the same evidence, and a reader needs each id once.
    lists["citations"] = tuple(dict.fromkeys(lists["citations"]))
    taken = (*_LISTS, *_EXPECTED, "unfound", "written", "markers", "total")
    others: dict[str, object] = {name: value for name, value in row.items() if name not in taken}
    found = {**_expected(row), **_unsupported(row.get("unfound"))}
    made = Offender(**lists, **others, **found)  # type: ignore[arg-type]
    if row.get("written") is None:
        return made
    from ragstone.suites.answers.inline_markers import with_markers

    return with_markers(made, str(row["written"]), str(row["markers"]))


def _unsupported(unfound: object) -> dict[str, object]:
    """What the texts do not hold: in words, with the texts it was looked for in, and where."""
    parts = unfound if isinstance(unfound, list) else ()
    return {
        "unsupported": tuple(
            f"{part['part']} ({part['verdict']}{part['how'] and ' '}{part['how']}; "
            f"looked for in {', '.join(part['looked_in'])})"
            for part in parts
        ),
        "unsupported_at": tuple((part["since"], part["until"]) for part in parts),
    }


def _expected(row: Mapping[str, object]) -> dict[str, object]:
    """What gold expects beyond phrases, in words, and what of it the claim holds."""
    given = {name: row.get(name) for name in _EXPECTED}
    if all(given[name] is None for name in ("gold_answer", "nuggets", "must_not")):
        return {}
    from ragstone.suites.answers.typed_words import explained

    return explained(row.get("claim"), **given, question=row.get("question"))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
