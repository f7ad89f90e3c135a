"""Judge one index by its log: recall, citations, ΔS and convergence. `calibrate` learns the ΔS
line of an embedder on your gold set and writes it to ragstone.toml."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from ragstone.cli.common import (
    add_everywhere,
    add_output,
    check_output,
    config_of,
    emit,
    must_not_replace,
    say,
    wants,
)
from ragstone.cli.retrieval_flags import (
    add_choices,
    add_inputs,
    common_inputs,
    listed,
    options_of,
)
from ragstone.errors import ConfigError
from ragstone.gates.config import Config

if TYPE_CHECKING:
    from ragstone.report.model import Report

EXAMPLE = """\
examples:
  ragstone retrieval --gold gold.jsonl --log runs/log.jsonl --manifest manifest.jsonl
  ragstone retrieval --gold gold.jsonl --log log.jsonl --index-only --by tags -o report.html
  ragstone retrieval --gold gold.jsonl --log log.jsonl --compact
  ragstone retrieval calibrate --gold gold.jsonl --manifest manifest.jsonl
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=("calibrate",), metavar="calibrate",
        help="learn the ΔS line of the embedder instead of judging",
    )  # fmt: skip
    inputs = parser.add_argument_group("inputs")
    add_inputs(inputs)
    inputs.add_argument(
        "--log", metavar="FILE", nargs="+", action="extend", help="logs: files, globs, or -"
    )
    add_choices(parser)
    parser.add_argument(
        "--compact", action="store_true", help="print one small JSON object and nothing else"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="calibrate: say the line, and write nothing"
    )
    add_output(parser)
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    config = config_of(arguments)
    if arguments.action == "calibrate":
        from ragstone.cli.calibrate import calibrate

        return calibrate(arguments, config)
    report = report_of(arguments, config)
    if arguments.compact:
        from ragstone.report.retrieval import compact_of

        say(compact_of(report))
    else:
        emit(report, arguments)
    return report.exit_code


def report_of(arguments: argparse.Namespace, config: Config) -> Report:
    """Reads, scores and decides."""
    from ragstone.api_retrieval import SHOWN, files_of, places_of, retrieval_in
    from ragstone.engine.duck import Duck
    from ragstone.suites.retrieval.suite import LOG

    options = options_of(arguments, config)
    gold, manifest, texts = common_inputs(arguments, config)
    log = listed(arguments, config, "log")
    if not log:
        raise ConfigError("no log: give --log FILE, or set log under [retrieval] in ragstone.toml")
    with Duck(arguments.threads) as duck:
        files = files_of(duck, gold, {LOG: log}, manifest, texts)
        must_not_replace(arguments, files.all)
        report = retrieval_in(duck, files, options, None if arguments.all else SHOWN)
        # Lines are looked for only when something points at them.
        if wants(arguments, "sarif", "github"):
            report = replace(report, places=places_of(duck, report, files, LOG, options))
        return report
