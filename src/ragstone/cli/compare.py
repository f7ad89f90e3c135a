"""Compare two runs of one suite, question by question: is B worse than A? Each is a file of rows
(-o rows.parquet), a report with its rows beside it (.json), or traces that are scored with --gold.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

from ragstone.cli.common import check_output, config_of, emit, must_want_no_rows
from ragstone.cli.flags import add_errors, add_option, add_output, flag
from ragstone.cli.suite_command import GROUPS, JUDGED, add_input, options_given, systems_given
from ragstone.comparison.baseline import NAME
from ragstone.comparison.sides import Side, done_in
from ragstone.errors import ConfigError
from ragstone.progress import doing
from ragstone.suites.config_file import Config, options_of
from ragstone.suites.declaration import AnySuite, Input
from ragstone.suites.gate_plan import suite_called
from ragstone.suites.registry import find_suite, suites

# What traces are scored with; of other suites' options ragstone.toml says more.
_SCORING = "answers"
# What a run is asked, and a comparison of two is not.
_NOT_COMPARED = ("baseline", "judge", "gates", "explain_refusals", "record", "label")


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "A", "the earlier run: rows, a report, traces, or the name of a --system")
    flag(parser, "B", "the later run, given in the same way")
    inputs = parser.add_argument_group("inputs, where traces are scored")
    flag(inputs, "--suite NAME", "the suite that scores them", default=_SCORING)
    flag(inputs, "--system NAME=FILE", "a name for files", nargs="+", action="append", default=[])
    for given in _shared_inputs():
        add_input(inputs, given, several=False)
    add_errors(inputs)
    groups = {name: parser.add_argument_group(name) for name in GROUPS}
    for each in find_suite(_SCORING).own_options:
        if each.flags and each.name not in _NOT_COMPARED:
            add_option(groups[each.option.group], each)
    add_output(parser)


def _shared_inputs() -> list[Input]:
    """What the suites read beside the traces, logs or results that two runs differ in."""
    found: dict[str, Input] = {}
    for suite in suites():
        done = done_in(suite)
        if done is not None and suite.name != "people":
            for given in suite.inputs:
                if given is not done and not given.positional and given.name != NAME:
                    found.setdefault(given.name, given)
    return list(found.values())


def run(arguments: argparse.Namespace) -> int:
    from ragstone.comparison.sides import compare_given, look_up, named
    from ragstone.report.compared_report import compared_report

    check_output(arguments)
    must_want_no_rows(arguments, "a comparison has no rows of its own")
    config = config_of(arguments)
    systems = systems_given(arguments)
    place = arguments.ledger or config.ledger
    words = (arguments.a, arguments.b)
    sides = named([look_up(word, systems, place, arguments.suite) for word in words])
    suite = _suite(arguments, sides)
    options = options_of(suite, config, options_given(arguments, suite))
    inputs: dict[str, Any] = {}
    if any(side.rows is None for side in sides):
        inputs = _inputs(arguments, suite, config)
    _must_stay(arguments, sides)
    with doing("compare", steps=JUDGED):
        with doing("comparing", step="judging"):
            found = compare_given(sides, suite, inputs, options, arguments.threads)
            report = compared_report(found, options.report_texts)
        emit(report, arguments)
    return report.exit_code


def _must_stay(arguments: argparse.Namespace, sides: tuple[Side, ...]) -> None:
    """No output may take the place of what is compared."""
    read = [each for side in sides for each in (side.word, side.rows, *(side.given or ()))]
    inputs = {os.path.realpath(each) for each in read if each is not None}
    for name in arguments.output:
        if os.path.realpath(name) in inputs:
            raise ConfigError(f"-o {name} would replace an input")


def _suite(arguments: argparse.Namespace, sides: tuple[Side, ...]) -> AnySuite:
    """The suite of the rows that there are; else the one that --suite names."""
    for side in sides:
        if side.suite is not None:
            return find_suite(side.suite)
    return suite_called(arguments.suite)


def _inputs(arguments: argparse.Namespace, suite: AnySuite, config: Config) -> dict[str, Any]:
    """The files that both sides are scored with, as the flags or ragstone.toml name them."""
    done = done_in(suite)
    flags = {
        given.name: [words] if isinstance(words, str) else words
        for given in suite.inputs
        if (words := getattr(arguments, given.name, None))
    }
    files = config.files(suite, flags)
    for given in suite.inputs:
        if given.required and given is not done and given.name not in files:
            what = given.noun or given.name
            raise ConfigError(f"traces are scored first: no {what}: give --{given.name} FILE")
    return {name: words for name, words in files.items() if done is None or name != done.name}
