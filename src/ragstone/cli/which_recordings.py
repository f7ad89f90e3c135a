"""Which recordings of a ledger a command is about: those that fit its flags."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragstone.cli.flags import flag, within

if TYPE_CHECKING:
    from ragstone.ledger.recording import Recording

DECISIONS = ("PASS", "FAIL", "UNMEASURABLE", "NONE")


def add_filters(parser: argparse.ArgumentParser) -> None:
    flag(parser, "--suite NAME", "only runs of this suite")
    flag(parser, "--branch NAME", "only recordings made on this branch")
    flag(parser, "--label NAME=TEXT", "only recordings with this label", action="append")
    only = "only runs with this decision"
    parser.add_argument("--decision", choices=DECISIONS, help=only)
    flag(parser, "--limit N", "only the newest N", type=whole_count)


def whole_count(text: str) -> int:
    """A number of recordings."""
    return within(text, 1_000_000)


def fitting(recordings: Sequence[Recording], arguments: argparse.Namespace) -> list[Recording]:
    """Those that fit the flags, in the order given; `--limit` is left to the command."""
    from ragstone.ledger.record_run import labels_of

    labels = labels_of(arguments.label or ())
    return [
        each
        for each in recordings
        if (arguments.suite is None or arguments.suite in (each.suite, *each.suites))
        and (arguments.branch is None or each.branch == arguments.branch)
        and (arguments.decision is None or (each.decision or "NONE") == arguments.decision)
        and all(each.labels.get(name) == text for name, text in labels.items())
    ]


def warn(sentences: Sequence[str]) -> None:
    """Says on standard error what is damaged; the rest is shown all the same."""
    from ragstone.report.text import visible

    for each in sentences:
        print(visible(f"ragstone: warning: {each}"), file=sys.stderr)
