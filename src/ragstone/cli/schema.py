"""Print the JSON Schema of an input, for editors and other validators."""

from __future__ import annotations

import argparse

from ragstone.cli.common import add_everywhere, as_json, say
from ragstone.contracts.json_schema import schema
from ragstone.contracts.records.context_records import REFERENCE, RESULTS
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.label_records import LABEL, PAIRS
from ragstone.contracts.records.retrieval_records import (
    MANIFEST,
    RETRIEVAL_GOLD,
    RETRIEVAL_LOG,
    TEXTS,
)
from ragstone.contracts.records.trace_records import RUN, SAMPLE, TRACE

EXAMPLE = """\
example:
  ragstone schema gold > gold.schema.json
"""

RECORDS = {
    record.name: record
    for record in (
        *(GOLD, TRACE, RETRIEVAL_GOLD, RETRIEVAL_LOG, MANIFEST, TEXTS),
        *(RESULTS, REFERENCE, PAIRS, LABEL, RUN, SAMPLE),
    )
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record", choices=tuple(RECORDS), help="which input")
    parser.add_argument("--json", action="store_true", help="accepted: a schema is JSON already")
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    say(as_json(schema(RECORDS[arguments.record])))
    return 0
