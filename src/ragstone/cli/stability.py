"""Ask the same questions again, under other seeds and with jitters, and judge how steady it is."""

from __future__ import annotations

import argparse

from ragstone.cli import run as asking
from ragstone.cli import suite_command
from ragstone.suites.registry import find_suite


def _configure_run(parser: argparse.ArgumentParser) -> None:
    jitters = "none,ws,punct,syn,order"
    asking.add_asking(parser, "runs/stability.jsonl", seeds="0-4", jitters=jitters)
    parser.set_defaults(format="run")


ACTIONS = {
    "score": suite_command.score_action(find_suite("stability"), "judge runs that are on file"),
    "run": ("ask every question under each seed and jitter", _configure_run, asking.run),
}
