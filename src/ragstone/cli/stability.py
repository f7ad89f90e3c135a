"""Ask the same questions again, under other seeds and with jitters, and judge how steady it is."""

from __future__ import annotations

import argparse
from pathlib import Path

from ragstone.cli import run as asking
from ragstone.cli import suite_command
from ragstone.suites.registry import find_suite

OUTPUT = "runs/stability.jsonl"


def _configure_run(parser: argparse.ArgumentParser) -> None:
    asking.add_asking(parser, OUTPUT, seeds="0-4", jitters="none,ws,punct,syn,order")
    parser.set_defaults(format="run")


def _run(arguments: argparse.Namespace) -> int:
    if arguments.output is None:
        Path(OUTPUT).parent.mkdir(exist_ok=True)
        arguments.output = OUTPUT
    return asking.run(arguments)


ACTIONS = {
    "score": suite_command.score_action(find_suite("stability"), "judge runs that are on file"),
    "run": ("ask every question under each seed and jitter", _configure_run, _run),
}
