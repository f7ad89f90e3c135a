"""Say what a gold set can show. How often does the verdict of `score` depend on which questions
were drawn? How small a regression would a comparison find? Which gates are proven? Everything is
judged on your own gold set, traces and gates; no gate decides the exit code."""

from __future__ import annotations

import argparse

from ragstone.cli.common import check_output, config_of, emit
from ragstone.cli.flags import add_errors, add_option, add_output, flag, share
from ragstone.cli.suite_command import JUDGED, add_input, judging
from ragstone.progress import doing
from ragstone.suites.option_fields import declared
from ragstone.suites.registry import find_suite

SUITE = find_suite("answers")
# What a comparison is told; there is none here.
_COMPARING = ("baseline", "max_regression", "margin", "protect", "labels_share")


def configure(parser: argparse.ArgumentParser) -> None:
    inputs = parser.add_argument_group("inputs")
    for given in SUITE.inputs:
        add_input(inputs, given, several=True)
    groups = {"inputs": inputs}
    for name in ("scoring", "deciding"):
        groups[name] = parser.add_argument_group(name)
    for each in declared(SUITE.options):
        if each.flags and each.option.group in groups and each.name not in _COMPARING:
            add_option(groups[each.option.group], each)
    add_errors(inputs)
    flag(parser, "--plan", "also say how many questions of each kind would prove each gate")
    says = "the share of questions that change anyway from one run to the next (0.05 is assumed)"
    flag(parser, "--churn SHARE", says, type=share)
    add_output(parser, whole=True)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.suites.waived_questions import taken_out
    from ragstone.tools.gold_power import power
    from ragstone.tools.power_report import report_of

    check_output(arguments)
    with (
        doing("power", steps={**JUDGED, "judging": 80.0, "drawing": 15.0}),
        judging(arguments, SUITE, config_of(arguments), needs_rows="power") as (_, outcome, duck),
        taken_out(duck, ("rows",), outcome.options.waived),
    ):
        rows = duck.count("select count(*) from rows") or 1
        with doing("drawing", rows, "rows", duck.share, step="drawing"):
            found = power(duck, outcome, arguments.churn)
        report = report_of(found, outcome, plan=arguments.plan, churn=arguments.churn)
        emit(report, arguments, whole=True)
    return report.exit_code
