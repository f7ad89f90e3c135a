"""Verdict rows as they are saved: what a later comparison needs of them, and what it must know.

Beside checks and metrics a saved row has the hash of its gold item, what the pipeline said, what
gold wanted, and the steps that it did not pass. The file says of itself which suite made
it, how, and what its metrics mean: two files are compared without the inputs they came from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Protocol

from ragstone._version import __version__
from ragstone.engine.content_hash import json_of, row_text
from ragstone.engine.duck import identifier, quoted
from ragstone.measure.measure import first_asked
from ragstone.measure.metric import Count, Mean, Metric, Quantile, Ratio, value_sql
from ragstone.suites.declaration import Arm, Check, O, Outcome, Work
from ragstone.suites.judged_scores.score_metrics import label_columns
from ragstone.suites.option_fields import declared
from ragstone.suites.options import Texts

# Raised when an older reader could misread a newer file.
FORMAT = 1
# The key of the Parquet file's metadata.
KEY = "ragstone"

# What a comparison reads beyond arm, qid, checks and metrics; null where a suite has no such thing.
TEXTS: Mapping[str, str] = {
    "question": "varchar",
    "claim": "varchar",
    "citations": "varchar[]",
    "retrieved": "varchar[]",
    "wanted_phrases": "varchar[]",
    "wanted_ids": "varchar[]",
}
# The first id with the question of a row, null where no other id has it. Rows that were saved
# before there was such a column know of no other id.
FIRST_ASKED = "first_asked"
EXTRA = ("gold_item", "slices", *TEXTS, "is_right", "not_passed")
# Those of them that people or models wrote.
_WRITTEN = ("question", "claim")
_CLIPPED = 80

# What says how a metric is computed: the same here is the same number.
_DECLARED = (
    *("of", "hit", "value", "tested", "over", "better", "empty", "best", "bounds", "share"),
    *("repeats", "q", "unit"),
)

PerRow = Ratio | Count | Mean | Quantile


def per_row(metrics: tuple[Metric, ...]) -> tuple[PerRow, ...]:
    """The metrics that every verdict row has a number of its own for."""
    kinds = (Ratio, Count, Mean, Quantile)
    return tuple(each for each in metrics if isinstance(each, kinds) and each.over == "rows")


def value_columns(
    checks: Mapping[str, Check], metrics: tuple[Metric, ...]
) -> tuple[dict[str, str], dict[str, str]]:
    """Every column of checks and metrics with its SQL, and the column of each metric.

    A check and a metric of one name (`missing`) are one column where they say the same; else the
    check has the name, and the metric `NAME (metric)`.
    """
    columns = {name: f"({check.holds})::boolean" for name, check in checks.items()}
    found: dict[str, str] = {}
    for metric in per_row(metrics):
        name = metric.name
        check = checks.get(name)
        if check and not (isinstance(metric, Ratio) and _says_the_same(metric, check)):
            name = f"{name} (metric)"
        columns.setdefault(name, value_sql(metric))
        found[metric.name] = name
    return columns, found


def _says_the_same(metric: Ratio, check: Check) -> bool:
    return metric.of == "true" and metric.hit == check.holds


class TakesRows(Protocol):
    """Whoever takes the rows of a run while they are in the engine."""

    def take(self, work: Work[Any], outcome: Outcome[Any]) -> None: ...


class RowsStay:
    """Takes nothing: all rows have to be in the engine for whoever asks it after the run."""

    def take(self, work: Work[Any], outcome: Outcome[Any]) -> None:
        pass


def saved_sql(
    work: Work[O],
    metrics: tuple[Metric, ...],
    *,
    ordered: bool = True,
    texts: Texts | None = None,
) -> str:
    """Every verdict row of every arm with all that a comparison reads, in order for people.

    `texts` says how much of them is there, where that is not what the options say.
    """
    parts = "\nunion all by name\n".join(
        _of_arm(work, metrics, arm, texts=texts) for arm in work.arms
    )
    order = [f"order_{number}" for number, _ in enumerate(work.suite.row_order)]
    by = f"order by arm, {', '.join(order)}" if ordered else ""
    return f"select * exclude ({', '.join(order)}) from ({parts}) {by}"


def fill_saved(work: Work[O], outcome: Outcome[O], arm: str, table: str) -> None:
    """A table with the rows of one arm as they would be saved, for a comparison in this engine.

    Both of its sides have one gold set, so no hash is needed to tell that their items are equal.
    """
    of_arm = _of_arm(work, outcome.metrics, work.arm(arm), hashed=False)
    order = ", ".join(f"order_{number}" for number, _ in enumerate(work.suite.row_order))
    with work.duck.ordering(False):
        work.duck.run(f"create temp table {table} as select * exclude ({order}) from {of_arm}")


def _of_arm(
    work: Work[O],
    metrics: tuple[Metric, ...],
    arm: Arm,
    *,
    hashed: bool = True,
    texts: Texts | None = None,
) -> str:
    suite = work.suite
    columns, _ = value_columns(suite.checks, metrics)
    right = f"({suite.right(work.options)})::boolean" if suite.right else "null::boolean"
    steps = {"is_right": right, "not_passed": _not_passed(suite.steps)}
    own = {"arm": "arm", "qid": "qid", **columns, **label_columns(metrics), **steps}
    own[FIRST_ASKED] = first_asked(work.duck)
    if suite.rare_columns:
        own |= {name: name for name in suite.rare_columns(work)}
    own |= {f"order_{number}": name for number, name in enumerate(suite.row_order)}
    judged = ", ".join(f"{sql} as {identifier(f'own:{name}')}" for name, sql in own.items())
    listed = ", ".join(f"{identifier(f'own:{name}')} as {identifier(name)}" for name in own)
    written = ", ".join(
        f"{_private(name, kind, texts or work.options.report_texts)} as {name}"
        for name, kind in TEXTS.items()
    )
    # By its own name, because `union by name` puts what the first arm has first.
    return f"""(
        with worst as (select *, {judged} from rows where arm = {quoted(arm.name)}),
        items as ({_items(work, hashed)}),
        seen as (
            select worst.*, items.gold_item, items.slices, {_texts(work, arm)}
            left join items on items.key = worst.{suite.slice_key}
        )
        select {listed}, gold_item, slices, {written} from seen
    )"""


def _not_passed(steps: Mapping[str, str]) -> str:
    """The steps that a row did not pass, in order; a row may be right all the same."""
    cases = [f"case when not ({holds}) then {quoted(name)} end" for name, holds in steps.items()]
    return f"list_filter([{', '.join(cases)}]::varchar[], lambda step: step is not null)"


def _texts(work: Work[O], arm: Arm) -> str:
    """What the suite shows of a row, as columns with a prefix of their own, and from where."""
    if not work.suite.row_texts:
        nothing = ", ".join(f"null::{kind} as {_seen(name)}" for name, kind in TEXTS.items())
        return f"{nothing} from worst"
    return work.sql(work.suite.row_texts, table=arm.table)


def _seen(name: str) -> str:
    return f"seen_{name}"


def _private(name: str, kind: str, texts: str) -> str:
    """A text as the user lets it leave: whole, clipped, or not at all; ids are no texts."""
    column = _seen(name)
    if texts == "all" or name not in (*_WRITTEN, "wanted_phrases"):
        return f"{column}::{kind}"
    if texts == "none":
        return f"null::{kind}"
    if kind == "varchar":
        return f"left({column}, {_CLIPPED})"
    return f"list_transform({column}, lambda each: left(each, {_CLIPPED}))"


def _items(work: Work[O], hashed: bool) -> str:
    """The gold items by their key: the hash of what the suite reads of each, and its slices."""
    suite = work.suite
    given = next((each for each in suite.inputs if each.name == suite.slices_of), None)
    unused = not hashed and not work.options.slice_fields
    if given is None or given.arms or unused or not work.sources.get(given.name):
        return "select null::varchar as key, null::varchar as gold_item, []::json[] as slices"
    names = work.duck.columns(given.name)
    read = [name for name in names if name not in ("source", "slices")]
    usual = [identifier(name) for name in read if name not in given.added]
    added = [identifier(name) for name in read if name in given.added]
    slices = "slices" if "slices" in names else "[]::json[] as slices"
    item = f"md5({row_text(json_of(usual), added=added)})" if hashed else "null::varchar"
    return f"select {suite.slice_key} as key, {item} as gold_item, {slices} from {given.name}"


def about(work: Work[O], outcome: Outcome[O]) -> dict[str, Any]:
    """What the file says of itself."""
    _, columns = value_columns(work.suite.checks, outcome.metrics)
    untested = {
        arm: [name for name, each in numbers.items() if each.denominator and not each.tested]
        for arm, numbers in outcome.measured.items()
    }
    return {
        "format": FORMAT,
        "suite": work.suite.name,
        "version": __version__,
        "digest": outcome.digest,
        "settings": scoring_settings(work.options),
        "slice_fields": list(work.options.slice_fields),
        "arms": [arm.name for arm in work.arms],
        "metrics": {
            metric.name: declaration(metric, columns[metric.name])
            for metric in per_row(outcome.metrics)
            if _known(outcome, metric.name)
        },
        "gated": list(dict.fromkeys(gate.metric for gate in outcome.gates)),
        **({"untested": untested} if any(untested.values()) else {}),
        **({"unfrozen": True} if outcome.unfrozen else {}),
    }


def _known(outcome: Outcome[O], name: str) -> bool:
    """Whether some arm has this number: without scope, say, what was retrieved tells nothing."""
    found = (numbers.get(name) for numbers in outcome.measured.values())
    return any(each is not None and each.value is not None for each in found)


def scoring_settings(options: O) -> dict[str, object]:
    """The settings that change what a number is; who is compared or shown does not."""
    shown = options.settings()
    names = [
        each.called
        for each in declared(type(options))
        if each.option.group == "scoring" and each.name != "baseline"
    ]
    found = {name: shown[name] for name in names if name in shown}
    # What a suite adds to its settings beyond the options: the versions of language packs.
    known = {each.called for each in declared(type(options))}
    return {**found, **{name: value for name, value in shown.items() if name not in known}}


def declaration(metric: PerRow, column: str) -> dict[str, object]:
    """How a metric is computed, as plain data, and the column of its rows."""
    names = {field.name for field in fields(metric)}
    declared_as = {name: getattr(metric, name) for name in _DECLARED if name in names}
    barred = {"barred": metric.barred} if metric.barred else {}
    return {"kind": type(metric).__name__.lower(), "column": column, **declared_as, **barred}
