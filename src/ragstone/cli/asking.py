"""The flags of the commands that ask a pipeline: whom, how, and where the answers go."""

from __future__ import annotations

import argparse

from ragstone.cli import run as runner
from ragstone.cli.common import add_errors, add_everywhere, add_map


def add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target", metavar="TARGET", required=True,
        help="py:module:function, http://host/path, cmd:PROGRAM ARGS, index:PATH, openai:URL#model",
    )  # fmt: skip
    parser.add_argument("--gold", metavar="FILE", help="the gold set (paths.gold)")
    add_map(parser)
    parser.add_argument(
        "--evidence", metavar="TARGET", help="where openai: gets its evidence, as index:PATH"
    )


def add_journal(parser: argparse.ArgumentParser, output: str) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", metavar="FILE", help=f"the finished file ({output})")
    group.add_argument(
        "--timings", metavar="FILE", help="move ts, latency_ms and stage_ms to this file"
    )
    group.add_argument("--journal", metavar="FILE", help="the journal (the output, with .journal)")
    group.add_argument(
        "--fresh", action="store_true", help="forget what was recorded, and ask everything again"
    )


def add_shared(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    add_errors(parser)
    add_everywhere(parser)


add_policy = runner.add_policy
run = runner.run
