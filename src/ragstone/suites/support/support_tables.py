"""The tables of what was looked up: they are there, without a row, where nothing was.

They stand apart from what fills them, which few runs need, and which takes time to import.
"""

from __future__ import annotations

from ragstone.engine.duck import Duck

TABLES = {
    "sentences": {
        "arm": "varchar",
        "qid": "varchar",
        "trace_row": "bigint",
        "sentence": "integer",
        "state": "varchar",
        "number_state": "varchar",
        "quote_state": "varchar",
    },
    "unfound": {
        "arm": "varchar",
        "qid": "varchar",
        "trace_row": "bigint",
        "sentence": "integer",
        "kind": "varchar",
        "verdict": "varchar",
        "part": "varchar",
        "how": "varchar",
        "since": "integer",
        "until": "integer",
        "looked_in": "varchar[]",
    },
}
# What a list shows of a part that was not found, and no number counts.
UNFOUND_SHOWN = ("part", "how", "since", "until", "looked_in")


def make_tables(duck: Duck) -> None:
    """The tables of verdicts, without a row; metrics over sentences find nothing in them."""
    for table, columns in TABLES.items():
        listed = ", ".join(f"{name} {kind}" for name, kind in columns.items())
        duck.define(f"create or replace temp table {table} ({listed})")
