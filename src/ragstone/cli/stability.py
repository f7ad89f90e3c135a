"""Ask the same questions again, under other seeds and with jitters, and judge how steady it is."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli import run as asking
from ragstone.cli.common import (
    add_errors,
    add_everywhere,
    add_output,
    check_output,
    config_of,
    emit,
    must_not_replace,
)
from ragstone.cli.deciding import (
    add_deciding,
    answers_options,
    deciding_of,
    file_of,
    gold_of,
    shown_of,
)
from ragstone.errors import ConfigError
from ragstone.gates.config import Config

if TYPE_CHECKING:
    from ragstone.report.model import Report

    Actions = argparse._SubParsersAction[argparse.ArgumentParser]

OUTPUT = "runs/stability.jsonl"
SEEDS = "0-4"
JITTERS = "none,ws,punct,syn,order"

EXAMPLE = """\
examples:
  ragstone stability run --target py:pipeline:answer --seeds 0-4 --jitters none,ws,punct,syn,order
  ragstone stability score --gold eval/gold.jsonl --runs runs/stability.jsonl -o report.html
"""


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    score = actions.add_parser(
        "score",
        help="judge runs that are on file",
        epilog=EXAMPLE,
    )
    inputs = score.add_argument_group("inputs")
    inputs.add_argument("--gold", metavar="FILE", help="the gold set")
    inputs.add_argument("--runs", metavar="FILE", help="the runs: a file, a glob, or -")
    _configure_run(actions)
    add_deciding(score)
    add_output(score)
    add_errors(score)
    add_everywhere(score)


def _configure_run(actions: Actions) -> None:
    ask = actions.add_parser(
        "run",
        help="ask every question under each seed and jitter",
        epilog=EXAMPLE,
    )
    asking.add_target(ask)
    what = ask.add_argument_group("what is varied")
    what.add_argument("--seeds", metavar="SEEDS", default=SEEDS, help=f"as 0-4 or 1,7 ({SEEDS})")
    what.add_argument("--jitters", metavar="NAMES", default=JITTERS, help=f"({JITTERS})")
    what.add_argument("--paraphrases", action="store_true", help="ask every paraphrase too")
    asking.add_policy(ask)
    asking.add_journal(ask, OUTPUT)
    asking.add_shared(ask)
    ask.set_defaults(format="run", knobs=None)


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "run":
        if arguments.output is None:
            Path(OUTPUT).parent.mkdir(exist_ok=True)
            arguments.output = OUTPUT
        return asking.run(arguments)
    check_output(arguments)
    report = report_of(arguments, config_of(arguments))
    emit(report, arguments)
    return report.exit_code


def report_of(arguments: argparse.Namespace, config: Config) -> Report:
    """Reads the runs, scores them and decides."""
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck
    from ragstone.ledger.digest import digest
    from ragstone.report import stability
    from ragstone.suites.stability.metrics import METRICS
    from ragstone.suites.stability.suite import evaluate

    gold, runs = gold_of(arguments, config), file_of(arguments, config, "stability", "runs")
    if runs is None:
        raise ConfigError("no runs: give --runs FILE, or set stability.runs in ragstone.toml")
    deciding, limit = deciding_of(arguments, config, "stability"), shown_of(arguments)
    with Duck(arguments.threads) as duck:
        golds, sources = find(gold, "gold", duck.scratch), find(runs, "run", duck.scratch)
        must_not_replace(arguments, (*golds, *sources))
        found = evaluate(duck, golds, sources, answers_options(config), deciding)
    shown = {**stability.settings(found), "limit": limit}
    mark = digest("stability", stability.inputs(found), shown, found.gates, METRICS)
    return stability.build(found, mark, limit)
