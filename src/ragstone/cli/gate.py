"""Run every suite that ragstone.toml names, in order, and give one decision."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from ragstone.cli.common import check_output, config_of, emit
from ragstone.cli.flags import add_errors, add_option, add_output, flag
from ragstone.cli.suite_command import add_input, options_given, report_of
from ragstone.errors import ConfigError
from ragstone.progress import doing
from ragstone.suites.config_file import Config, options_of
from ragstone.suites.declaration import AnySuite
from ragstone.suites.gate_plan import each_judged, on_one_day, options_for, suites_of
from ragstone.suites.option_fields import declared
from ragstone.suites.options import Options
from ragstone.suites.registry import command_of, find_suite

if TYPE_CHECKING:
    from ragstone.report.model import Report


def configure(parser: argparse.ArgumentParser) -> None:
    inputs = parser.add_argument_group("inputs")
    for given in find_suite("answers").inputs:
        add_input(inputs, given, several=False)
    add_errors(inputs)
    flag(parser, "--fail-fast", "stop at the first failing suite")
    everywhere = {"k", "keep", *(shared.name for shared in declared(Options))}
    for each in declared(find_suite("answers").options):
        if each.flags and each.name in everywhere:
            add_option(parser, each)
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.report.build import combine
    from ragstone.report.formats import wants_rows

    check_output(arguments)
    config = config_of(arguments)
    suites = suites_of(config)
    rows = [name for name in arguments.output if wants_rows(name)]
    if rows and len(suites) > 1:
        raise ConfigError(
            f"-o {rows[0]}: rows are of one suite, and {config.path} names {len(suites)}; "
            f"give it to the command of one, such as ragstone {command_of(suites[0].name)}"
        )
    given = options_for(suites, {s.name: options_given(arguments, s) for s in suites})
    given = on_one_day(config, given)
    first = options_of(suites[0], config, given[suites[0].name])
    if arguments.baseline is not None:
        from ragstone.comparison.baseline import for_suites

        given = for_suites(suites, given, first.ledger)

    def judge(suite: AnySuite) -> Report:
        with doing(suite.name, step=suite.name):
            return report_of(_for(arguments, suite, config), suite, config, given[suite.name])

    # About as long for each of them; a report is written in a tenth of it.
    steps = {**{suite.name: 1.0 for suite in suites}, "making": 0.05, "writing": 0.1}
    with doing("gate", steps=steps):
        report = combine(each_judged(suites, judge), fail_fast=arguments.fail_fast)
        emit(replace(report, made_of=report.parts[0].made_of), arguments)
    return report.exit_code


def _for(arguments: argparse.Namespace, suite: AnySuite, config: Config) -> argparse.Namespace:
    """The flags with the inputs that are meant for this suite: another record is another file."""
    ours = {given.name: given.record for given in find_suite("answers").inputs}
    own = {given.name: given.record for given in suite.inputs}
    changed = {
        name: None
        for name, record in ours.items()
        if name in own and own[name] is not record and config.names("answers")
    }
    return argparse.Namespace(**{**vars(arguments), **changed})
