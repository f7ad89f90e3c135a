"""Print the JSON Schema of an input, for editors and other validators."""

from __future__ import annotations

import argparse

from ragstone.cli.forms import add_forms, form_of, put
from ragstone.contracts.json_schema import schema
from ragstone.suites.registry import records

FORMS = ("json",)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record", choices=tuple(records()), help="the kind of file")
    add_forms(parser, FORMS)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.report.formats.json_text import dumps

    form = form_of(arguments, FORMS, "a schema")
    put(arguments, form, lambda _: dumps(schema(records()[arguments.record])) + "\n")
    return 0
