"""Print the JSON Schema of an input, for editors and other validators."""

from __future__ import annotations

import argparse

from ragstone.cli.common import say
from ragstone.cli.flags import flag
from ragstone.contracts.json_schema import schema
from ragstone.suites.registry import records


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record", choices=tuple(records()), help="which input")
    flag(parser, "--json", "accepted: a schema is JSON already")


def run(arguments: argparse.Namespace) -> int:
    from ragstone.report.formats.json_text import dumps

    say(dumps(schema(records()[arguments.record])))
    return 0
