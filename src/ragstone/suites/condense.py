"""Puts questions together that came out alike, so that a few of them stand for all.

Every number of a report is a sum over questions, and every list shows the first of those that meet
a condition, by qid. So of the questions that all tables say the same of, only the first few are
kept, as many as a list shows; the first of these has a column `times` that counts for all that are
gone. The tables then hold no more questions than there are ways to come out.

Tables of two parts of the questions are put together by adding up their rows and condensing again.
The result depends on how many questions there are of each kind and on the first of them, and on
nothing else: not on the parts, and not on their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragstone.engine.duck import Duck, identifier, listed, quoted
from ragstone.measure.measure import ASKED_AGAIN
from ragstone.suites.declaration import O, Work

TIMES = "times"
# What tells questions apart but is no number: a place in another table is given anew.
_PLACES = ("gold_row", "trace_row")
_KEPT = "kept_questions"
# Of these, those that a list may show, where that is fewer.
_SHOWN = "shown_questions"


def condensed_tables(work: Work[O]) -> tuple[str, ...]:
    """The tables that are measured or counted: one row or more of each question."""
    over = (metric.over for metric in work.suite.metrics(work.options))
    return tuple(dict.fromkeys(("rows", *over, *work.suite.also_counted)))


def evidence_tables(work: Work[O]) -> tuple[str, ...]:
    """The tables that lists show texts of: the items, and what each arm did with them."""
    items = [
        each.name
        for each in work.suite.inputs
        if each.name == work.suite.slices_of and not each.arms
    ]
    return (*items, *(arm.table for arm in work.arms))


def condense(work: Work[O]) -> None:
    """Keeps of the questions that came out alike the first few, with what is shown of them."""
    duck, tables = work.duck, condensed_tables(work)
    _choose(work, tables)
    for table in tables:
        others = f"t.* exclude ({TIMES})" if TIMES in duck.columns(table) else "t.*"
        kept = f"{table} as t join {_KEPT} as kept using (qid)"
        _replace(duck, table, f"select {others}, kept.{TIMES} from {kept}")
    for evidence in evidence_tables(work):
        _move(work, evidence, tables)
    for table in tables:
        # In one order, whichever parts they were put together from.
        _replace(duck, table, f"select * from {table} order by all")
    duck.run(f"drop table {_KEPT}")
    duck.run(f"drop table if exists {_SHOWN}")
    duck.condensed = True


def _replace(duck: Duck, table: str, select: str) -> None:
    duck.run(f"create temp table condensing as {select}")
    duck.run(f"drop table {table}")
    duck.run(f"alter table condensing rename to {table}")


def _choose(work: Work[O], tables: Sequence[str]) -> None:
    """The table of the questions that are kept, and how many each stands for."""
    duck, limit = work.duck, work.options.limit
    if limit is None or work.suite.lists_all or _repeats(work):
        # All are shown, or intervals count every question with its repeats.
        each = f"select distinct qid, 1::bigint as {TIMES} from rows"
        duck.run(f"create temp table {_KEPT} as {each}")
        return
    duck.run(f"""
        create temp table {_KEPT} as
        with alike as ({_alike(work, tables, limit)}),
        first as (
            select total, firsts, unnest(firsts) as qid, unnest(range(len(firsts))) as nth
            from alike
        )
        select qid, (case when nth = 0 then total - len(firsts) + 1 else 1 end)::bigint as {TIMES}
        from first
    """)
    if work.suite.only_measured:
        # Values that hardly two rows share make as many kinds: no list tells these apart.
        alike = _alike(work, tables, limit, shown=True)
        duck.run(f"create temp table {_SHOWN} as select unnest(firsts) as qid from ({alike})")


def _repeats(work: Work[O]) -> bool:
    cluster = work.suite.cluster
    return cluster is not None and cluster(work.options) is not None


def _alike(work: Work[O], tables: Sequence[str], limit: int, *, shown: bool = False) -> str:
    """The kinds of questions: how many there are of each, and the first of them.

    With `shown` they are the kinds that lists tell apart, and no numbers.
    """
    duck, first = work.duck, f"min(rows.qid, {limit}) as firsts"
    filled = [table for table in tables if table == "rows" or duck.query(f"from {table} limit 1")]
    others = f"{'null' if shown else _slices(work)} as slices, {_own(work)} as own"
    if filled == ["rows"] and len(work.arms) == 1 and _is_unique(duck):
        columns = ", ".join(_columns(work, "rows", shown=shown))
        return f"""
            select {columns}, {others}, {duck.tally()} as total, {first}
            from rows {_items(work)} group by all
        """
    said = " ".join(
        f"left join ({_said(work, table, shown)}) as t{n} on t{n}.qid = rows.qid"
        for n, table in enumerate(filled)
    )
    patterns = ", ".join(f"t{n}.said as p{n}" for n, _ in enumerate(filled))
    times = f"max({TIMES})" if duck.condensed else "1"
    items = _items(work)
    if work.suite.slice_key != "qid":
        # Each row of a question has an item of its own.
        items, others = "", f"{_own(work)} as own"
    return f"""
        select {patterns}, {others}, sum({TIMES}) as total, {first}
        from (select qid, {times} as {TIMES} from rows group by qid) as rows
        {said} {items} group by all
    """


def _said(work: Work[O], table: str, shown: bool) -> str:
    """What a table says of each question, in an order that does not depend on that of its rows."""
    columns, items = _columns(work, table, shown=shown), ""
    if work.suite.slice_key != "qid" and not shown:
        columns, items = [*columns, _slices(work)], _items(work, table)
    said = f"list_sort(list(row({', '.join(columns)}))) as said"
    return f"select {table}.qid, {said} from {table} {items} group by {table}.qid"


def _is_unique(duck: Duck) -> bool:
    rows, qids = duck.counts("select count(*), count(distinct qid) from rows")
    return rows == qids


def _columns(work: Work[O], table: str, *, shown: bool = False) -> list[str]:
    """What a table says of a question, less what is only shown, or what is only measured."""
    aside = ("qid", TIMES, *_PLACES, *work.suite.only_shown)
    if shown:
        aside = (*aside, *work.suite.only_measured)
    return [f"{table}.{identifier(name)}" for name in work.duck.columns(table) if name not in aside]


def _items(work: Work[O], table: str = "rows") -> str:
    if not work.options.slice_fields:
        return ""
    items, key = work.suite.slices_of, work.suite.slice_key
    return f"left join {items} on {items}.{key} = {table}.{key}"


def _slices(work: Work[O]) -> str:
    return f"{work.suite.slices_of}.slices" if work.options.slice_fields else "null"


def _own(work: Work[O]) -> str:
    """Questions that are spoken of by name stand for themselves alone."""
    named = {*(waiver.qid for waiver in work.options.waive), *work.options.protect}
    alone = [f"list_contains({listed(sorted(named))}, rows.qid)"] if named else []
    if work.duck.has(ASKED_AGAIN):
        # Its text has other ids too, and these may have come out otherwise.
        alone.append(f"rows.qid in (select again from {ASKED_AGAIN})")
    return f"case when {' or '.join(alone)} then rows.qid end" if alone else "null"


def _move(work: Work[O], evidence: str, tables: Iterable[str]) -> None:
    """Keeps the items or lines of the questions that are kept, and mends the places of rows."""
    duck = work.duck
    place, whose = "gold_row", "true"
    if evidence != work.suite.slices_of:
        arm = next(arm for arm in work.arms if arm.table == evidence)
        place, whose = "trace_row", f"t.arm = {quoted(arm.name)}"
    kept = f"qid in (select qid from {_KEPT})"
    if work.suite.slice_key == place:
        # Lines may share a qid, or have none, and each is an item of its own.
        kept = f"old_place in (select t.{place} from rows as t where {whose})"
    duck.run(f"""
        create temp table moved as from ({_of_shown(work, evidence)}) where {kept}
        order by qid, old_place
    """)
    for table in tables:
        if place in duck.columns(table):
            now = f"case when {whose} then moved.rowid else t.{place} end as {place}"
            joined = f"{table} as t left join moved on moved.old_place = t.{place} and {whose}"
            _replace(duck, table, f"select t.* replace ({now}) from {joined}")
    _replace(duck, evidence, "select * exclude (old_place) from moved order by rowid")
    duck.run("drop table moved")


def _of_shown(work: Work[O], evidence: str) -> str:
    """The rows of a table, with their places; those that no list can show have only their slices.

    These are many where hardly two questions came out alike, and texts are most of what they hold.
    """
    every = f"select *, rowid as old_place from {evidence}"
    if not work.suite.only_measured or work.options.limit is None:
        return every
    names = [name for name in work.duck.columns(evidence) if name not in ("slices", "source")]
    listed = ", ".join(
        f"case when shown then {name} end as {name}" for name in map(identifier, names)
    )
    return f"""
        select * exclude (shown) replace ({listed}) from (
            select every.*, shown.trace_row is not null as shown from ({every}) as every
            left join (
                select distinct trace_row from rows where qid in (select qid from {_SHOWN})
            ) as shown on shown.trace_row = every.old_place
        )
    """
