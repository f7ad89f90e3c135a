"""The command of a suite: flags from its declaration, then read, judge, print."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ragstone.cli.common import (
    check_output,
    config_of,
    emit,
    must_be_no_folder,
    must_not_replace,
    wants,
)
from ragstone.cli.flags import add_errors, add_option, add_output, flag
from ragstone.cli.keep_run import recording
from ragstone.errors import ConfigError
from ragstone.progress import doing
from ragstone.suites.config_file import Config, options_of, own_paths
from ragstone.suites.declaration import AnySuite, Input
from ragstone.suites.options import Options, has_baseline, must_have_baseline

if TYPE_CHECKING:
    from ragstone.engine.duck import Duck
    from ragstone.report.model import Report
    from ragstone.spark.rows_out import RowsFolder
    from ragstone.suites.declaration import Outcome

# What the help says of an action, what adds its flags, and what carries it out.
Action = tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int]]
# What a command that judges consists of, with about how long each takes beside the others.
JUDGED = {"judging": 95.0, "writing": 5.0}
GROUPS = ("inputs", "scoring", "deciding", "showing", "recording", "engine")


def configure(
    parser: argparse.ArgumentParser, suite: AnySuite, options: Container[str] | None = None
) -> None:
    """Every flag of the suite's command; with `options`, of a command that takes only these.

    Such a command prints no decision, and so no summary of one.
    """
    groups = {name: parser.add_argument_group(name) for name in GROUPS}
    for given in suite.inputs:
        add_input(groups["inputs"], given, several=suite.compared is not None)
    for each in suite.own_options:
        taken = options is None or each.name in options
        if taken and each.flags and (each.name != "by" or suite.slices_of):
            add_option(groups[each.option.group], each)
    add_errors(groups["inputs"])
    add_output(parser, whole=options is not None)


def add_input(group: argparse._ArgumentGroup, given: Input, *, several: bool) -> None:
    """The flag of an input; `several` says that systems can be put side by side."""
    if given.positional:
        # One that is not given may be named by ragstone.toml.
        flag(group, given.name.upper(), given.says, nargs="*" if given.many else "?")
        return
    more: dict[str, Any] = {"nargs": "+", "action": "extend"} if given.many else {}
    flag(group, f"--{given.name.replace('_', '-')} FILE", given.says, **more)
    if given.arms and given.many and several:
        says = "several systems side by side, each with its own files"
        flag(group, "--system NAME=FILE", says, nargs="+", action="append", default=[])


def options_given(arguments: argparse.Namespace, suite: AnySuite) -> dict[str, object]:
    """The options that the command line gives, by name."""
    found: dict[str, object] = {}
    for each in suite.own_options:
        value = getattr(arguments, each.name, None)
        if value is None or not each.flags:
            continue
        if each.option.words is not None:
            value = each.option.words(value)
        elif each.option.commas:
            value = tuple(word for item in value for word in item.split(",") if word)
        elif each.listed:
            value = tuple(value)
        found[each.name] = value
    return found


def inputs_given(arguments: argparse.Namespace, suite: AnySuite, config: Config) -> dict[str, Any]:
    """The files of each input, or of each system by name: flags win over ragstone.toml."""
    flags: dict[str, Sequence[str]] = {}
    for given in suite.inputs:
        words = getattr(arguments, given.name, None)
        if words is not None and words != []:
            flags[given.name] = [words] if isinstance(words, str) else words
    files = config.files(suite, flags)
    found: dict[str, Any] = {}
    for given in suite.inputs:
        if given.arms and getattr(arguments, "system", None):
            found[given.name] = systems_given(arguments)
        elif given.name in files:
            found[given.name] = files[given.name]
        elif given.required:
            raise ConfigError(_absent(given, suite))
    return found


def _absent(given: Input, suite: AnySuite) -> str:
    what = given.noun or given.name
    said = f"no {what}: give {given.name.upper() if given.positional else f'--{given.name} FILE'}"
    key = f"paths.{given.name}" if own_paths(given) else f"{suite.file_table}.{given.file_key}"
    return said if suite.file_table is None else f"{said}, or set {key} in ragstone.toml"


def systems_given(arguments: argparse.Namespace) -> dict[str, list[str]]:
    """`--system NAME=FILE ...`: the files of each system, by name."""
    found: dict[str, list[str]] = {}
    for words in arguments.system:
        name, equals, first = words[0].partition("=")
        if not equals or not name.strip() or not first:
            raise ConfigError(f"--system {words[0]!r}: expected NAME=FILE, such as new=v2.jsonl")
        if name in found:
            raise ConfigError(f"--system {name}: this name is given twice")
        found[name] = [first, *words[1:]]
    return found


def score_action(suite: AnySuite, says: str) -> Action:
    """The action `score` of a command that has others too."""
    return says, partial(configure, suite=suite), partial(run, suite=suite)


def run(arguments: argparse.Namespace, suite: AnySuite) -> int:
    """The whole command: judge, write the files, print, and end with the decision's code."""
    check_output(arguments)
    with one_bar(arguments):
        report = report_of(arguments, suite, config_of(arguments))
        emit(report, arguments)
    return report.exit_code


@contextmanager
def one_bar(arguments: argparse.Namespace) -> Iterator[None]:
    """Inside, judging, writing and recording are told of as one piece of work."""
    steps = {**JUDGED}
    if getattr(arguments, "all", None):
        # Every row that costs something is written into every file.
        steps["writing"] += 60.0 * len(arguments.output)
    if getattr(arguments, "record", None):
        steps["recording"] = 5.0
    with doing(arguments.command, steps=steps):
        yield


def report_of(
    arguments: argparse.Namespace,
    suite: AnySuite,
    config: Config,
    given: Mapping[str, object] | None = None,
) -> Report:
    """Reads, scores and decides; `given` are options instead of those of the command line."""
    with judging(arguments, suite, config, given) as (report, _, _):
        return report


@contextmanager
def judging(
    arguments: argparse.Namespace,
    suite: AnySuite,
    config: Config,
    given: Mapping[str, object] | None = None,
    *,
    needs_rows: str = "",
) -> Iterator[tuple[Report, Outcome[Any], Duck]]:
    """The report, the outcome behind it, and the engine while it still holds the rows.

    `needs_rows` is who needs all of these: with --memory they may be a few that stand for all, and
    from Spark only those come that a report shows.
    """
    from ragstone.engine.duck import Duck
    from ragstone.report.build import build
    from ragstone.report.formats import wants_rows
    from ragstone.spark.chosen import elsewhere
    from ragstone.suites.arms_apart import sources_of
    from ragstone.suites.evaluate import run as carry_out
    from ragstone.suites.saved_rows import RowsStay

    words = options_given(arguments, suite) if given is None else given
    options = options_of(suite, config, words)
    paths = inputs_given(arguments, suite, config)
    must_have_baseline(words, paths, options)
    page = wants(arguments, "html")
    recorded = recording(options, page=page)
    asked, inputs, found = options, paths, None
    if has_baseline(paths, options):
        from ragstone.comparison.baseline import against

        found = against(suite, paths, options)
        paths, options = dict(found.inputs), found.options
    folder = _folder_of_rows(arguments, options)
    wanted = (found and found.side) or (any(map(wants_rows, arguments.output)) and not folder)
    rows_for = _rows_for(arguments, options, "--baseline" if found and found.side else needs_rows)
    with (
        elsewhere(suite, options, rows_for=rows_for, rows=folder) as scored_there,
        Duck(arguments.threads) as duck,
        ExitStack() as telling,
    ):
        telling.enter_context(doing(suite.name, step="judging", steps={"judging": 95, "making": 5}))
        sources, arms = sources_of(suite, paths, duck)
        for each in suite.inputs:
            files = len(sources.get(each.name, ()))
            if each.single and files > 1:
                named = " ".join(paths[each.name])
                raise ConfigError(f"{named} matches {files} files; {each.noun or each.name} is one")
        must_not_replace(arguments, [each for some in sources.values() for each in some])
        keep = None
        if wanted or recorded:
            from ragstone.suites.verdict_files import KeptRows

            keep = KeptRows(costs=False, recorded=recorded, recorded_only=not wanted)
        rows = keep or folder or (RowsStay() if needs_rows else None)
        # Nobody who only reads the terminal waits for the table of a page.
        lists = bool(recorded) or page
        outcome = carry_out(suite, duck, sources, options, arms, rows, scored_there, lists=lists)
        report = replace(build(outcome), kept=keep, labels=_labels(options))
        # It is put in its place with the other files.
        arguments.folder_of_rows = folder
        if recorded:
            from ragstone.suites.made_of import made_of

            before = found.before if found else None
            report = replace(report, made_of=made_of(inputs, sources, asked, before))
        if found and keep:
            from ragstone.report.compared_report import with_baseline

            report = with_baseline(report, found, outcome, keep, arguments.threads)
        # Lines are looked for only when something points at them.
        if wants(arguments, "sarif", "github"):
            from ragstone.suites.row_places import row_places

            files_read = {**sources, suite.answered_in: outcome.files[outcome.shown]}
            places = row_places(suite, options, files_read, report.shown_offenders())
            report = replace(report, places=places)
        # What comes now may print.
        telling.close()
        yield report, outcome, duck


def _labels(options: Options) -> tuple[tuple[str, str], ...]:
    if not options.label:
        return ()
    from ragstone.ledger.record_run import labels_of

    return tuple(labels_of(options.label).items())


def _rows_for(arguments: argparse.Namespace, options: Options, needs_rows: str) -> str:
    """What needs every row, as messages call it; "" if nothing does."""
    from ragstone.report.formats import wants_rows

    if options.record:
        return "--record"
    files = [name for name in arguments.output if wants_rows(name)]
    if options.engine == "spark":
        # One folder of Parquet files is what executors can write.
        files = [name for name in files if not _is_parquet(name)] or files[1:]
    return f"-o {files[0]}" if files else needs_rows


def _is_parquet(name: str) -> bool:
    return name.lower().endswith(".parquet")


def _folder_of_rows(arguments: argparse.Namespace, options: Options) -> RowsFolder | None:
    """Where the executors of Spark write the rows, if that is asked for."""
    names = [name for name in arguments.output if _is_parquet(name)]
    if options.engine != "spark":
        for name in names:
            must_be_no_folder(name)
    if options.engine != "spark" or not names:
        return None
    from ragstone.spark.rows_out import RowsFolder

    return RowsFolder(names[0])
