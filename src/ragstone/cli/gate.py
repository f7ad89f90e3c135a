"""Run every suite that ragstone.toml names, in order, and give one decision."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from ragstone.cli import agreement, canary, context, latency, score, stability
from ragstone.cli.common import (
    add_everywhere,
    add_output,
    check_output,
    config_of,
    emit,
    number,
)
from ragstone.errors import ConfigError
from ragstone.gates.config import SUITES, Config
from ragstone.gates.gate import Status

if TYPE_CHECKING:
    from ragstone.report.model import Report

EXAMPLE = """\
example:
  ragstone gate --fail-fast -o report.html -o report.xml
"""

RUNNERS: dict[str, Callable[[argparse.Namespace, Config], Report]] = {
    "answers": score.report_of,
    "latency": latency.report_of,
    "agreement": agreement.report_of,
    "stability": stability.report_of,
    "context": context.report_of,
    "retrieval": canary.report_for_gate,
}


def configure(parser: argparse.ArgumentParser) -> None:
    score.add_inputs(parser)
    parser.add_argument("--fail-fast", action="store_true", help="stop at the first failing suite")
    parser.add_argument("--strict", action="store_true", help="a vacuous gate is unmeasurable")
    parser.add_argument(
        "--confidence", type=number, metavar="LEVEL",
        help="gate on the worse end of the interval at this level, as in 0.95",
    )  # fmt: skip
    parser.add_argument("--all", action="store_true", help="list every row, not just the first 10")
    # A suite's other options are the file's to set: here they are absent.
    parser.set_defaults(
        k=None, missing=None, keep=None, scu_enforced=False, gates=[], by=[],
    )  # fmt: skip
    parser.set_defaults(**context.ABSENT)
    add_output(parser)
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.report.combined import combine

    check_output(arguments)
    config = config_of(arguments)
    reports = []
    for name in suites_of(config):
        reports.append(RUNNERS[name](arguments, config))
        if arguments.fail_fast and reports[-1].decision is Status.FAIL:
            break
    report = combine(reports)
    emit(report, arguments)
    return report.exit_code


def suites_of(config: Config) -> list[str]:
    """The suites the file names, in the order they run."""
    if config.path is None:
        raise ConfigError("no ragstone.toml, and so no gates; `ragstone init` writes one")
    named = [name for name in SUITES if config.suite(name).named]
    if not named and config.gold is not None:
        named = ["answers"]
    if not named:
        raise ConfigError(f"{config.path} names no suite; add a table such as [answers]")
    for name in named:
        if name not in RUNNERS:
            raise ConfigError(f"{config.path}: the suite {name} is not in this version")
    return named
