"""Which questions of two sets of rows are compared, and in which metrics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from ragstone.comparison.row_sets import RowSet, SavedMetric
from ragstone.engine.duck import Duck, identifier
from ragstone.errors import ConfigError, InputError
from ragstone.measure.paired import Pairs
from ragstone.suites.condense import TIMES
from ragstone.suites.declaration import AnySuite
from ragstone.suites.gathered import Gathered
from ragstone.suites.registry import find_suite
from ragstone.suites.saved_rows import FIRST_ASKED


@dataclass(frozen=True, slots=True)
class GoldPairs:
    """How many questions have equal gold items in both sets, and which do not.

    Added ones are only in B, removed ones only in A; of a changed one the gold item is another.
    Questions are listed as many as every list of the report shows, in order.
    """

    equal: int
    added: int
    removed: int
    changed: int
    added_qids: tuple[str, ...] = ()
    removed_qids: tuple[str, ...] = ()
    changed_qids: tuple[str, ...] = ()

    @property
    def larger(self) -> int:
        """The number of questions of the larger set."""
        return self.equal + self.changed + max(self.added, self.removed)


FATES = ("equal", "added", "removed", "changed")


def pair_gold(duck: Duck) -> None:
    """Fills `gold_pairs` with the fate of every question of `rows_a` and `rows_b`."""
    one, two = (
        f"(select qid, min(gold_item) as item, count(*) as times from {table} group by qid)"
        for table in ("rows_a", "rows_b")
    )
    duck.run(f"""
        create or replace temp table gold_pairs as
        select
            coalesce(one.qid, two.qid) as qid,
            case
                when one.qid is null then 'added'
                when two.qid is null then 'removed'
                when one.item is distinct from two.item then 'changed'
                else 'equal'
            end as fate,
            greatest(one.times, two.times) as times,
        from {one} as one full join {two} as two on one.qid = two.qid
    """)


def tell_fates(duck: Duck, told: Gathered, most: int) -> None:
    """How many questions of `gold_pairs` have each fate, and the first of those not compared."""
    counted = ", ".join(f"count(*) filter (fate = '{fate}')" for fate in FATES)
    found = dict(zip(FATES, duck.counts(f"select {counted} from gold_pairs"), strict=True))
    for fate, number in found.items():
        told.count(fate, number)
        if number and fate != "equal":
            some = f"select qid from gold_pairs where fate = '{fate}' order by qid limit {most}"
            told.keep_first(fate, duck.query(some), most)


def gold_pairs(told: Gathered, a: RowSet, b: RowSet) -> GoldPairs:
    """The fates of all questions; under half in common is an error."""
    equal, added, removed, changed = map(told.counted, FATES)
    lists = (tuple(qid for (qid,) in told.rows(fate)) for fate in FATES[1:])
    found = GoldPairs(equal, added, removed, changed, *lists)
    if 2 * found.equal < found.larger or not found.equal:
        raise InputError(
            f"{a.name} and {b.name} have {found.equal:,} of {found.larger:,} questions in common "
            f"({found.added:,} added, {found.removed:,} removed, {found.changed:,} with another "
            "gold item): too few to compare; score both with one gold set"
        )
    return found


def shared_metrics(a: RowSet, b: RowSet) -> tuple[dict[str, SavedMetric], dict[str, str]]:
    """The metrics that mean the same in both sets, and of each other one why it is dropped."""
    if a.suite != b.suite:
        raise ConfigError(
            f"{a.name} holds rows of {a.suite}, and {b.name} rows of {b.suite}: "
            "only rows of one suite can be compared"
        )
    differing = [
        name
        for name in {**a.settings, **b.settings}
        if a.settings.get(name) != b.settings.get(name)
    ]
    kept: dict[str, SavedMetric] = {}
    dropped: dict[str, str] = {}
    for name in {**b.metrics, **a.metrics}:
        reason = _why_dropped(a, b, name, differing)
        if reason:
            dropped[name] = reason
        else:
            kept[name] = b.metrics[name]
    if not kept:
        reasons = "; ".join(dict.fromkeys(dropped.values())) or "neither has a metric"
        raise InputError(f"{a.name} and {b.name} have no metric in common: {reasons}")
    return kept, dropped


def _why_dropped(a: RowSet, b: RowSet, name: str, differing: Sequence[str]) -> str:
    if name not in a.metrics or name not in b.metrics:
        return f"only {(a if name in a.metrics else b).name} has it"
    one, two = a.metrics[name], b.metrics[name]
    for setting in differing:
        if _settles(find_suite(a.suite), setting, one) or _settles(
            find_suite(b.suite), setting, two
        ):
            return (
                f"{setting} is {_said(a, setting)} in {a.name} and {_said(b, setting)} in {b.name}"
            )
    if (one.kind, one.declared) != (two.kind, two.declared):
        return "it is declared otherwise"
    return ""


def _said(rows: RowSet, setting: str) -> str:
    value = rows.settings.get(setting)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "empty"
    return "not set" if value is None else str(value)


def _settles(suite: AnySuite, setting: str, metric: SavedMetric) -> bool:
    """Whether a setting changes what a metric is: by the columns that its declaration reads."""
    if setting not in suite.settled_by:
        # A cut is part of a metric's name; of any other setting it is not known what it changes.
        return setting != "k" or metric.name.endswith("@k")
    said = " ".join(str(metric.declared.get(part, "")) for part in ("of", "hit", "value", "tested"))
    return bool(set(re.findall(r"\w+", said)) & set(suite.settled_by[setting]))


def paired(duck: Duck, a: RowSet, b: RowSet, metrics: Sequence[SavedMetric]) -> str:
    """A row per question in common, with both numbers of every metric, as SQL.

    Repeats of a question are averaged first: a question is one pair, however often it was asked.
    """
    repeated = duck.count("select coalesce(max(times), 0) from gold_pairs") > 1
    one, two = (_side(each, metrics, repeated) for each in (a, b))
    return f"""(
        select one.* exclude (slices, gold_item, {FIRST_ASKED}),
            two.* exclude (qid, slices, gold_item, {FIRST_ASKED}),
            one.slices as slices_a, two.slices as slices_b,
            coalesce(one.{FIRST_ASKED}, two.{FIRST_ASKED}) as {FIRST_ASKED},
        from {one} as one
        join {two} as two on two.qid = one.qid
        where one.gold_item is not distinct from two.gold_item
    )"""


def _side(rows: RowSet, metrics: Sequence[SavedMetric], repeated: bool) -> str:
    """The numbers of one set as columns `a:precision` or `b:precision`, a row per question."""
    side = rows.table[-1]
    named = {f"{side}:{metric.name}": rows.metrics[metric.name] for metric in metrics}
    columns = [f"{_value(each, repeated)} as {identifier(name)}" for name, each in named.items()]
    by, one = ("group by qid", "min") if repeated else ("", "")
    kept = ", ".join(f"{one}({name}) as {name}" for name in ("slices", "gold_item", FIRST_ASKED))
    return f"(select qid, {kept}, {', '.join(columns)} from {rows.table} {by})"


def _value(metric: SavedMetric, repeated: bool) -> str:
    column = identifier(metric.column)
    if not repeated:
        # One byte a question instead of eight.
        return f"{column}::tinyint" if metric.yes_no else f"{column}::double"
    if metric.yes_no:
        return f"sum({column}::int) / count({column})"
    return _average(column)


def _average(column: str) -> str:
    # Added up in order of size: a sum of doubles in the order of threads has other last digits.
    return f"list_sum(list_sort(list({column}::double))) / count({column})"


def counted_pairs(duck: Duck, metric: str, table: str = "pairs") -> Pairs:
    """How many questions have each pair of values of a metric, in order.

    Ids that ask the same are one question: they are averaged, as its repeats are.
    """
    one, two = (identifier(f"{side}:{metric}") for side in ("a", "b"))
    rows = duck.query(f"""
        select before, after, {duck.tally()} from (
            select {one} as before, {two} as after, {TIMES} from {table} where {FIRST_ASKED} is null
            union all
            select {_average(one)}, {_average(two)}, 1 from {table}
            where {FIRST_ASKED} is not null group by {FIRST_ASKED}
        )
        where before is not null or after is not null group by all order by all
    """)
    return cast("Pairs", rows)
