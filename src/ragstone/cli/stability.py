"""Ask the same questions again, with other seeds and small changes, and judge how steady the
answers are."""

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
    "score": suite_command.score_action(
        find_suite("stability"), "judge runs that have been written"
    ),
    "run": ("ask every question under each seed and jitter", _configure_run, asking.run),
}
