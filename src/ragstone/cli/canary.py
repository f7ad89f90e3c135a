"""Say whether a shadow index may replace the live one: from two logs of the gold questions, or with
--live-dir from live questions that a mirror asked twice. The second may be watched: its decision
holds however often it is looked at."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.cli import suite_command
from ragstone.cli.common import (
    check_output,
    colored,
    config_of,
    emit,
    must_want_no_rows,
    say,
    width,
)
from ragstone.cli.flags import flag, whole
from ragstone.errors import ConfigError
from ragstone.progress import doing
from ragstone.suites.registry import find_suite

if TYPE_CHECKING:
    from ragstone.report.model import Report
    from ragstone.serve.canary_page import CanaryPage

SUITE = find_suite("canary")
# Of the options of two logs, those that a watched canary has too.
_SHARED = ("gates", "confidence", "report_texts")
_WATCHED = {
    "shadow_run": "--shadow-run",
    "shadow_gold": "--shadow-gold",
    "max_questions": "--max-questions",
    "at_least": "--at-least",
    "exit_code": "--exit-code",
}


def configure(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("live questions")
    flag(group, "--live-dir DIR", "decide by the pairs that a mirror keeps in this folder")
    says = "the run of the shadow (default: the one written to last)"
    flag(group, "--shadow-run NAME", says)
    says = "the gold set with the ids of the shadow, as `migrate` writes it after re-chunking"
    flag(group, "--shadow-gold FILE", says)
    says = "the planned end: says what so many questions can prove, and stops there"
    flag(group, "--max-questions N", says, type=whole)
    says = "no PROMOTE before the questions span this time, such as 7d"
    flag(group, "--at-least TIME", says)
    says = "exit 1 if anything is refuted (ROLL BACK), 3 on HOLD, and 0 on PROMOTE alone"
    flag(group, "--exit-code", says)
    suite_command.configure(parser, SUITE)


def run(arguments: argparse.Namespace) -> int:
    if arguments.live_dir is None:
        for name, word in _WATCHED.items():
            if getattr(arguments, name):
                raise ConfigError(f"{word} goes with --live-dir DIR")
        return suite_command.run(arguments, SUITE)
    _must_be_alone(arguments)
    check_output(arguments)
    must_want_no_rows(
        arguments, "a watched canary has no verdict rows; its pairs are in the folder"
    )
    with doing("canary", steps={"reading": 90, "writing": 10}):
        report, page = _watched(arguments)
        if arguments.json or arguments.format or arguments.verbose:
            emit(report, arguments)
        else:
            _say(report, page, arguments)
    return report.exit_code if arguments.exit_code else 0


def _must_be_alone(arguments: argparse.Namespace) -> None:
    """Refuses what belongs to two logs."""
    inputs = [each.name for each in SUITE.inputs if each.name != "gold"]
    given: Mapping[str, Any] = {name: getattr(arguments, name, None) for name in inputs}
    options = suite_command.options_given(arguments, SUITE)
    found = [*(name for name, value in given.items() if value), *(options.keys() - {*_SHARED})]
    if found:
        name = min(found).replace("_", "-")
        raise ConfigError(
            f"--live-dir decides by the pairs of a mirror, and --{name} is for logs of the gold "
            "questions (--live and --shadow): give one or the other"
        )
    most = arguments.max_questions
    if most is not None and most < 1:
        raise ConfigError(f"--max-questions: expected a whole number from 1 on, found {most}")


def _watched(arguments: argparse.Namespace) -> tuple[Report, CanaryPage]:
    """Reads all pairs of the run, and decides."""
    from ragstone.serve.canary_command import canary_setup, changed, chosen_run, hash_of, watching
    from ragstone.serve.canary_page import canary_page
    from ragstone.serve.canary_report import canary_report
    from ragstone.serve.moments import seconds_in
    from ragstone.serve.serve_settings import CanarySettings, serve_settings
    from ragstone.shadow.pair_files import runs_in
    from ragstone.suites.config_file import options_of

    config = config_of(arguments)
    words = suite_command.options_given(arguments, SUITE)
    # The options' own checks of their values; gates have names of their own here.
    options: Any = options_of(SUITE, config, {k: v for k, v in words.items() if k != "gates"})
    given: Any = words.get("gates", ())
    level, most = options.confidence, arguments.max_questions
    span = None if arguments.at_least is None else seconds_in(arguments.at_least, "--at-least")
    beside = arguments.shadow_gold
    said = {"level": level, "most": most, "shadow_gold": beside, "at_least": span}
    names = [name for name, value in said.items() if value is not None]
    wanted = CanarySettings(level or 0.95, most or 0, tuple(given), beside or "", span or 0)
    settings = changed(serve_settings(config), wanted, names)
    data = Path(arguments.live_dir)
    name = chosen_run(data, arguments.shadow_run)
    gold = [arguments.gold] if arguments.gold else config.shared("gold")
    with (
        canary_setup(config, settings, gold) as setup,
        watching(data, name, setup) as watch,
    ):
        left = watch.read_all()
        page = canary_page(watch, runs_in(data), left)
        report = canary_report(watch, page, hash_of(setup), options.report_texts)
        return report, canary_page(watch, runs_in(data), left, options.report_texts)


def _say(report: Report, page: CanaryPage, arguments: argparse.Namespace) -> None:
    """The screen of a watched canary, whose last line is the verdict."""
    from ragstone.serve import canary_screen

    report.save_all(arguments.output)
    drawn: dict[str, Any] = {"color": colored(), "width": width(), "quiet": arguments.quiet}
    say(canary_screen.render(page, report.digest, files=tuple(arguments.output), **drawn))
