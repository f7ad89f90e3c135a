"""Decide whether a shadow index may replace the live one: two logs of the same gold set."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from ragstone.cli import retrieval
from ragstone.cli.common import (
    add_everywhere,
    add_output,
    check_output,
    config_of,
    emit,
    must_not_replace,
    wants,
)
from ragstone.cli.retrieval_flags import add_choices, add_inputs, common_inputs, listed, options_of
from ragstone.errors import ConfigError
from ragstone.gates.config import Config

if TYPE_CHECKING:
    from ragstone.report.model import Report

EXAMPLE = """\
examples:
  ragstone canary --gold gold.jsonl --live live.jsonl --shadow shadow.jsonl -o canary.html
  ragstone canary --gold gold.jsonl --live l.jsonl --shadow s.jsonl --index-only --confidence 0.95
"""


def configure(parser: argparse.ArgumentParser) -> None:
    inputs = parser.add_argument_group("inputs")
    add_inputs(inputs)
    for name, says in (("live", "the index in use"), ("shadow", "the index that may replace it")):
        inputs.add_argument(
            f"--{name}", metavar="FILE", nargs="+", action="extend", help=f"the log of {says}"
        )
    add_choices(parser)
    parser.add_argument(
        "--allow-mismatch", action="store_true",
        help="compare logs of different normalisers or rerankers",
    )  # fmt: skip
    add_output(parser)
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    report = report_of(arguments, config_of(arguments))
    emit(report, arguments)
    return report.exit_code


def report_of(arguments: argparse.Namespace, config: Config) -> Report:
    """Reads, scores and decides."""
    from ragstone.api_retrieval import SHOWN, canary_in, files_of, places_of
    from ragstone.engine.duck import Duck
    from ragstone.suites.retrieval.canary import SHADOW

    options = options_of(arguments, config)
    gold, manifest, texts = common_inputs(arguments, config)
    logs = {name: listed(arguments, config, name) for name in ("live", "shadow")}
    for name, files in logs.items():
        if not files:
            raise ConfigError(
                f"no {name} log: give --{name} FILE, or set {name} under [retrieval] in "
                "ragstone.toml"
            )
    with Duck(arguments.threads) as duck:
        found = files_of(duck, gold, logs, manifest, texts)
        must_not_replace(arguments, found.all)
        report = canary_in(duck, found, options, None if arguments.all else SHOWN)
        # Lines are looked for only when something points at them.
        if wants(arguments, "sarif", "github"):
            report = replace(report, places=places_of(duck, report, found, SHADOW, options))
        return report


def report_for_gate(arguments: argparse.Namespace, config: Config) -> Report:
    """What `ragstone gate` runs: the canary where the file names both logs, else one index."""
    options = config.suite("retrieval").options
    defaults = {
        "log": None, "live": None, "shadow": None, "manifest": None, "texts": None, "unit": None,
        "embedder": None, "allow_download": False, "index_only": False, "allow_mismatch": False,
    }  # fmt: skip
    given = argparse.Namespace(**{**defaults, **vars(arguments)})
    if "answers" in config.suites:
        # The flag is the other suite's: two suites cannot share a gold set.
        given.gold = None
    if "live" in options and "shadow" in options:
        return report_of(given, config)
    return retrieval.report_of(given, config)
