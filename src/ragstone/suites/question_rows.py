"""Gathers the list of all questions while every row is there: before any are put together.

The list of all questions is the first of those of its parts: those that fail before the others,
then by qid. So parts of the questions, on any engine, add up to the list of the whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ragstone.engine.duck import identifier, quoted, whole
from ragstone.measure.metric import Metric
from ragstone.report.document.question_list import CHARACTERS, MOST, QuestionList
from ragstone.suites import slices
from ragstone.suites.declaration import O, Outcome, Work
from ragstone.suites.gathered import Listing, Told
from ragstone.suites.offenders import charged, costly_metrics

_ROWS, _COUNT = "questions of the list", "questions in all"


def listing_of(work: Work[O], metrics: Sequence[Metric], gated: Collection[str]) -> Listing:
    """The metrics that a row may be charged with under these gates, however these come out.

    A metric over several questions at once is not listed: a part does not know of the others.
    """
    metrics = [each for each in metrics if each.over not in work.suite.made_of_rows]
    told = () if work.suite.charges == "failed" else work.suite.told
    every = costly_metrics(metrics, tuple(each.name for each in metrics), ())
    usual = costly_metrics(metrics, told, ())
    return Listing(every, tuple(name for name in every if name in gated or name in usual))


def gather_questions(work: Work[O]) -> None:
    """Adds the questions that are in the tables to those that were gathered."""
    assert work.listing is not None
    duck, told = work.duck, work.gathered
    arm = work.shown or next(each.name for each in work.arms if not each.reference)
    of_arm = f"from rows where arm = {quoted(arm)}"
    rank = f"(case when {_fails(work, work.listing)} then 0 else 1 end)"
    total = duck.count(f"select count(*) {of_arm}")
    told.count(_COUNT, total)
    wanted = "true"
    if total > MOST:
        # Rows of one question are not told apart by their place: all that share the last are kept.
        last, qid = duck.one(
            f"select {rank} as rank, qid {of_arm} order by rank, qid limit 1 offset {MOST - 1}"
        )
        wanted = f"({rank}, qid) <= ({last}, {quoted(str(qid))})"
    found = duck.query(_sql(work, arm, rank, wanted, work.listing))
    told.keep_first(_ROWS, map(_told, found), MOST)


def _fails(work: Work[O], listing: Listing) -> str:
    failed = [f"coalesce({check.failed}, false)" for check in work.suite.checks.values()]
    return " or ".join((*failed, *(listing.metrics[name] for name in listing.fails_by))) or "false"


def _sql(work: Work[O], arm: str, rank: str, wanted: str, listing: Listing) -> str:
    suite, table = work.suite, work.arm(arm).table
    checks = [check.failed for check in suite.checks.values()]
    details = "from worst"
    if suite.row_texts:
        details = work.sql(suite.row_texts, table=table)
    elif suite.offender:
        details = work.sql(suite.offender, table=table, unfound="null")
    items, values = "", "[]"
    if work.options.by:
        numbers = [work.options.slice_fields.index(name) for name in work.options.by]
        values = f"[{', '.join(slices.texts_of('items', each) for each in numbers)}]"
        items = f"left join {suite.slices_of} as items on items.{suite.slice_key} = worst.own_key"
    key = f"{suite.slice_key}" if work.options.by else "null"
    listed = f"""
        with worst as (
            select *, {rank} as own_rank, {_numbers(checks)} as own_failed,
                {_numbers(listing.metrics.values())} as own_costs, {key} as own_key,
            from rows where arm = {quoted(arm)} and {wanted}
        )
        select worst.own_rank, worst.qid as own_qid, worst.own_failed, worst.own_costs,
            {values} as own_values, {details} {items}
    """
    names = work.duck.columns(f"({listed})")
    texts = (_text(names, kind) for kind in ("question", "claim"))
    own = ", ".join(f"own_{name}" for name in ("rank", "qid", "failed", "costs", "values"))
    return f"select {own}, {', '.join(texts)} from ({listed})"


def _text(names: Collection[str], kind: str) -> str:
    """The first characters of the question or the claim, as SQL; nothing where a row has none."""
    found = next((name for name in (f"seen_{kind}", kind) if name in names), None)
    if found is None:
        return "''"
    text = f"coalesce({identifier(found)}::varchar, '')"
    cut = f"left({text}, {CHARACTERS}) || '…'"
    return f"case when length({text}) > {CHARACTERS} then {cut} else {text} end"


def _numbers(conditions: Iterable[str]) -> str:
    """The numbers of the conditions that hold, as SQL over the rows."""
    cases = ", ".join(
        f"case when {where} then {number} end" for number, where in enumerate(conditions)
    )
    return f"list_filter([{cases}]::integer[], lambda number: number is not null)"


def _told(row: Sequence[Any]) -> Told:
    rank, qid, failed, costs, values, asked, said = row
    return (rank, str(qid), tuple(failed), tuple(costs), tuple(map(tuple, values)), asked, said)


def question_list(work: Work[O], outcome: Outcome[O]) -> QuestionList:
    """The list of all questions that were gathered, with the metrics that rows are charged with."""
    assert work.listing is not None
    costly = charged(work, outcome.metrics, outcome.gates_on_all)
    names = [name for name in work.listing.metrics if name in costly]
    numbers = {
        place: names.index(name) for place, name in enumerate(work.listing.metrics) if name in names
    }
    titles = {metric.name: metric.title for metric in outcome.metrics}
    rows = work.gathered.rows(_ROWS)
    _, qids, failed, costs, values, asked, said = zip(*rows, strict=True) if rows else ((),) * 7
    return QuestionList(
        suite=work.suite.name,
        checks=tuple(work.suite.checks),
        problems=tuple(check.says for check in work.suite.checks.values()),
        metrics=tuple(names),
        titles=tuple(titles.get(name, "") for name in names),
        fields=work.options.by,
        total=whole(work.gathered.counted(_COUNT)),
        qids=qids,
        failed=failed,
        costs=tuple(tuple(numbers[place] for place in each if place in numbers) for each in costs),
        values=values,
        asked=asked,
        said=said,
    )
