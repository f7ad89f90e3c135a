"""The Python calls, one per suite: the same inputs and options as on the command line.

Each takes the suite's inputs by position or name (a path, a glob, a list of paths, a list of
dictionaries, or a pandas, polars or pyarrow table) and its options by name, and returns a report.
No file is looked for beyond those given: what is not in the call has its default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.contracts.plain_numbers import clipped
from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError
from ragstone.formats.known_formats import own_formats_from_table
from ragstone.ledger.record_run import labels_of, must_be_recordable, record, recorded_texts
from ragstone.ledger.run_place import PLACE
from ragstone.report.build import build
from ragstone.report.model import Report
from ragstone.spark.chosen import elsewhere
from ragstone.suites.arms_apart import sources_of
from ragstone.suites.checked_maps import checked_mapping
from ragstone.suites.declaration import AnySuite
from ragstone.suites.evaluate import run as evaluate
from ragstone.suites.judged_scores.judge_settings import judges_from_table
from ragstone.suites.made_of import made_of
from ragstone.suites.option_fields import MOST_THREADS, Declared
from ragstone.suites.options import Options, has_baseline, must_have_baseline
from ragstone.suites.registry import find_suite
from ragstone.suites.settings_tables import (
    SliceGates,
    gates_from_table,
    mapped_words,
    mapping_from_table,
    margins_from_table,
    rules_from_table,
    slices_from_table,
)
from ragstone.suites.verdict_files import KeptRows
from ragstone.suites.waivers import waivers_from_table

if TYPE_CHECKING:
    from ragstone.suites.gate_plan import Planned
    from ragstone.targets.session import Summary


def call(suite: AnySuite) -> Callable[..., Report]:
    """The function that judges with a suite: its parameters are the suite's inputs and options."""
    kind = Parameter.POSITIONAL_OR_KEYWORD
    required = [Parameter(e.name, kind, annotation="Input") for e in suite.inputs if e.required]
    optional = [
        Parameter(e.name, kind, default=None, annotation="Input")
        for e in suite.inputs
        if not e.required
    ]
    options = [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default)
        for each in suite.own_options
    ]
    threads = Parameter("threads", Parameter.KEYWORD_ONLY, default=None, annotation="int | None")
    signature = Signature([*required, *optional, *options, threads])

    def judge(*positional: Any, **named: Any) -> Report:
        given = signature.bind(*positional, **named).arguments
        inputs = {e.name: given[e.name] for e in suite.inputs if given.get(e.name) is not None}
        if suite.choose:
            inputs = dict(suite.choose((inputs,)))
        session = _session_in(given)
        options = options_given(suite, given)
        must_have_baseline(given, inputs, options)
        return judged(suite, inputs, options, given.get("threads"), session=session)

    judge.__name__ = judge.__qualname__ = suite.name
    judge.__doc__ = _explained(suite)
    judge.__signature__ = signature  # type: ignore[attr-defined]
    return judge


def _explained(suite: AnySuite) -> str:
    lines = [f"{each.name}: {each.says}" for each in suite.inputs]
    lines += [f"{each.name}: {each.option.says}" for each in suite.own_options]
    return "\n".join((f"Judges with the suite {suite.name}.\n", *lines))


def judged(
    suite: AnySuite,
    inputs: Mapping[str, Any],
    options: Options,
    threads: int | None = None,
    *,
    part: bool = False,
    session: Any = None,
) -> Report:
    """Reads, scores and decides; the report keeps its verdict rows, for `rows()`.

    It is recorded where the options say so, unless it is only a `part` of one that will be. Where
    the engine is Spark, `session` is the one to use; such a report has no rows.
    """
    if threads is not None and (type(threads) is not int or not 1 <= threads <= MOST_THREADS):
        wanted = f"expected a whole number from 1 to {MOST_THREADS}"
        raise ConfigError(f"threads: {wanted}, found {clipped(threads)}")
    must_be_recordable(options)
    found = None
    given, asked = inputs, options
    if has_baseline(inputs, options):
        from ragstone.comparison.baseline import against

        found = against(suite, inputs, options)
        inputs, options = found.inputs, found.options
    rows_for = "record" if asked.record else "baseline" if found and found.side else ""
    there = elsewhere(suite, options, session, rows_for=rows_for)
    with there as scored_there, Duck(threads) as duck:
        sources, arms = sources_of(suite, inputs, duck)
        keep = None if scored_there else KeptRows(recorded=recorded_texts(asked))
        outcome = evaluate(suite, duck, sources, options, arms, keep, scored_there, lists=True)
        labels = tuple(labels_of(asked.label).items())
        report = replace(build(outcome), kept=keep, labels=labels)
        if asked.record:
            before = found.before if found else None
            report = replace(report, made_of=made_of(given, sources, asked, before))
    if found is not None and keep is not None:
        from ragstone.report.compared_report import with_baseline

        report = with_baseline(report, found, outcome, keep, threads)
    if asked.record and not part:
        record(report, asked)
    return report


def _session_in(given: dict[str, Any]) -> Any:
    """The session of Spark that a call gives as its engine, which then says only that it is one."""
    engine = given.get("engine")
    if engine is None or isinstance(engine, str) or not hasattr(engine, "table"):
        return None
    given["engine"] = "spark"
    return engine


def options_given(suite: AnySuite, given: Mapping[str, Any]) -> Options:
    """The options of a call; gates and slices may be plain dictionaries there."""
    chosen = {
        each.name: value_given(each, given[each.name])
        for each in suite.own_options
        if each.name in given
    }
    checked_mapping(chosen.get("map", {}))
    here = frozenset(name for name, value in chosen.items() if value is not None)
    made: Options = suite.options(**chosen, of_this_call=here)
    return made


def value_given(each: Declared, value: Any) -> Any:
    """An option's value as a call may give it: dictionaries and lists for tables and tuples."""
    try:
        return _tabled(each.option.table, value)
    except (TypeError, ValueError, AttributeError):
        raise ConfigError(f"{each.called}: cannot be made of {clipped(value)}") from None


def _tabled(table: object, value: Any) -> Any:
    if table in (gates_from_table, margins_from_table):
        return _pairs(value.items() if isinstance(value, Mapping) else value or ())
    if table is mapping_from_table:
        given = _pairs(dict(value or {}).items())
        return {name: mapped_words(path, f"map {name}") for name, path in given}
    if table is slices_from_table:
        return tuple(
            part
            if isinstance(part, SliceGates)
            else SliceGates(*(_pairs(given.items()) for given in part))
            for part in value
        )
    if table is own_formats_from_table:
        return own_formats_from_table(dict(value or {}), "formats")
    if table is waivers_from_table:
        return waivers_from_table(list(value or ()), "waive")
    if table is judges_from_table:
        return judges_from_table(dict(value or {}), "judges")
    if table is rules_from_table:
        return tuple((str(locked), str(contradicts)) for locked, contradicts in value)
    return value


def _pairs(items: Iterable[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    """The names of metrics or fields, each with its value; TypeError if a name is no text."""
    made = tuple((name, value) for name, value in items)
    for name, _ in made:
        if not isinstance(name, str):
            raise TypeError(name)
    return made


def gate(
    config: str | Path = "ragstone.toml",
    *,
    fail_fast: bool = False,
    threads: int | None = None,
    **options: Any,
) -> Report:
    """Judges with every suite that a ragstone.toml names, and gives one decision.

    config: the file, with paths relative to its folder
    fail_fast: stop at the first suite that fails
    options: those of any suite, over the file's, each for the suites that have it
    """
    from ragstone.report.build import combine
    from ragstone.suites.gate_plan import each_judged

    plan = {part.suite.name: part for part in planned(config, options)}

    def judge(suite: AnySuite) -> Report:
        part = plan[suite.name]
        return judged(suite, part.inputs, part.options, threads, part=True)

    suites = [part.suite for part in plan.values()]
    report = combine(each_judged(suites, judge), fail_fast=fail_fast)
    first = plan[suites[0].name].options
    if first.record:
        record(report, first)
    return report


def planned(config: str | Path, options: Mapping[str, Any]) -> list[Planned]:
    """What `gate` judges, in order: the suites that the file names, with a call's own options."""
    from ragstone.suites.config_file import options_of, read
    from ragstone.suites.gate_plan import Planned, on_one_day, options_for, suites_of

    file = read(Path(config))
    suites = suites_of(file)
    known = {each.name for suite in suites for each in suite.own_options}
    for name in options:
        if name not in known:
            raise ConfigError(f"{name}: no suite that {config} names has this option")
    values = {
        suite.name: {
            each.name: value_given(each, options[each.name])
            for each in suite.own_options
            if each.name in options
        }
        for suite in suites
    }
    given = on_one_day(file, options_for(suites, values))
    first = options_of(suites[0], file, given[suites[0].name], "map ")
    if "baseline" in options:
        from ragstone.comparison.baseline import for_suites

        given = for_suites(suites, given, first.ledger)

    plan = [
        Planned(each, file.files(each), options_of(each, file, given[each.name], "map "))
        for each in suites
    ]
    for part in plan:
        must_have_baseline(given[part.suite.name], part.inputs, part.options)
    return plan


def compare(
    a: Any,
    b: Any,
    *,
    suite: str = "answers",
    threads: int | None = None,
    **given: Any,
) -> Report:
    """Says whether a run is worse than another, question by question.

    a, b: each a report that a call made, a file of rows (.parquet), a report's JSON with its rows
        beside it, or what is scored first: traces, for the suite `answers`
    suite: the suite that scores them
    given: the suite's other inputs (gold=...) and its options (max_regression={"precision": 0.02})
    """
    from ragstone.comparison.sides import compare_given, named, side_of
    from ragstone.report.compared_report import compared_report
    from ragstone.suites.gate_plan import suite_called

    place = str(given.get("ledger", PLACE))
    sides = named([side_of(each, name, place, suite) for each, name in ((a, "A"), (b, "B"))])
    chosen = suite_called(next((side.suite for side in sides if side.suite), suite))
    inputs = {each.name: given.pop(each.name) for each in chosen.inputs if each.name in given}
    known = {each.name for each in chosen.own_options}
    for name in given:
        if name not in known:
            raise ConfigError(f"{name}: {chosen.name} has no such input or option")
    options = options_given(chosen, given)
    found = compare_given(sides, chosen, inputs, options, threads)
    return compared_report(found, options.report_texts)


def run(target: str, gold: str | Path, output: str | Path | None = None, **more: Any) -> Summary:
    """Asks a pipeline every question of a gold set, and writes its traces.

    The options are those of `ragstone.targets.session.plan`, which explains each of them.
    """
    from ragstone.targets.session import carry_out, plan

    return carry_out(plan(target, gold, output, **more), None)


def __getattr__(name: str) -> Callable[..., Report]:
    """`answers`, `retrieval` and so on are made when they are asked for."""
    from ragstone.suites.registry import entries

    wanted = "answers" if name == "score" else name
    if wanted in {entry.name for entry in entries()}:
        return call(find_suite(wanted))
    raise AttributeError(f"module 'ragstone.api' has no attribute {name!r}")
