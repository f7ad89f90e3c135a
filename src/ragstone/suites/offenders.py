"""The rows behind the numbers: which cost a metric something, and what a person sees of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragstone.engine.duck import Duck, quoted
from ragstone.gates.gate import Judged, Status
from ragstone.measure.metric import Count, Mean, Metric, Ratio
from ragstone.progress import counting
from ragstone.report.document.blocks import Offender
from ragstone.suites.declaration import Arm, Check, Costly, O, Work


def first_qids(duck: Duck, arm: str, where: str, limit: int | None) -> tuple[str, ...]:
    """The qids of an arm's rows that meet a condition, in order, each once."""
    wanted = f"from rows where arm = {quoted(arm)} and ({where})"
    if limit is not None:
        # The first few are found at once; only where a question has several rows can one repeat.
        found = duck.texts(f"select qid {wanted} order by qid limit {limit}")
        if len(set(found)) == len(found):
            return found
    most = "" if limit is None else f"limit {limit}"
    return duck.texts(f"select distinct qid {wanted} order by qid {most}")


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
    the extra ones. A metric over another table charges the rows that it names itself.
    """
    gated = {gate.metric for gate in gates}
    return {
        metric.name: f"coalesce({metric.costs or metric.offenders}, false)"
        for metric in metrics
        if isinstance(metric, Ratio | Count | Mean) and (metric.over == "rows" or metric.costs)
        if metric.name in gated or (not metric.extra if told is None else metric.name in told)
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
    """The first questions behind each gate that did not pass."""
    costly = charged(work, metrics, judged)
    return {
        gate.name: first_qids(work.duck, gate.arm, costly[gate.metric], work.options.limit)
        for gate in judged
        if gate.status is not Status.PASS and gate.metric in costly and not gate.part
    }


def offenders(
    work: Work[O], arm: Arm, costly: Mapping[str, str], gates: Sequence[Judged]
) -> Costly:
    """Rows that cost some metric something: those that cost most failed gates first, then by qid.

    `gates` are those that judge this arm.
    """
    limit = work.options.limit
    found = work.duck.dicts(offenders_sql(work, arm, costly, gates, limit))
    total = len(found)
    if limit is not None and total == limit:
        wanted = " or ".join(costly.values())
        (total,) = count_rows(work.duck, arm.name, [wanted])
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
    most = "" if limit is None else f"limit {limit}"
    checks = {name: check.failed for name, check in work.suite.checks.items()}
    return f"""
        with worst as (
            select *, {weight} as failed_gates, {_names(costly)} as costs,
                {_names(checks)} as failed_checks,
            from rows where arm = {quoted(arm.name)} and ({wanted})
            order by failed_gates desc, {_order(work)} {most}
        )
        select worst.qid, worst.costs, worst.failed_checks, {_details(work, arm)}
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
    taken = (*_LISTS, *_EXPECTED, "unfound", "written", "markers")
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

    return explained(row.get("claim"), **given)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
