"""Finds the lines of a qid again by reading the files: only where a message has to name them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from ragstone.contracts.diagnose import key_of, numbered
from ragstone.contracts.record import FieldMap, Record
from ragstone.contracts.record_lines import record_lines
from ragstone.contracts.sources import Source
from ragstone.contracts.strict_json import parse


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, as the user named the file."""

    file: str
    line: int


def places(
    sources: Collection[Source],
    mapping: FieldMap,
    qids: Collection[str],
    asked: Mapping[str, str] | None = None,
    table: Record | None = None,
) -> dict[str, list[Place]]:
    """Every line of each qid, in order; `asked` has the qid of each question, for older traces.

    `table` is the record of files that may be tables: of these, the line on which a question
    begins. Rows of a Parquet file have no line, so those are passed over.
    """
    found: dict[str, list[Place]] = {qid: [] for qid in qids}
    for source in sources:
        if source.parquet:
            continue
        lines = record_lines(source, table)
        begun = (
            _begun(table, source.name, lines, mapping)
            if table
            else (
                (number, key_of(parse(line), mapping, "qid", asked))
                for number, line in numbered(lines)
            )
        )
        for number, qid in begun:
            if qid in found:
                found[qid].append(Place(source.name, number))
    return found


def _begun(
    record: Record, name: str, lines: Iterator[bytes], mapping: FieldMap
) -> Iterator[tuple[int, str]]:
    """The line on which each question begins; a TREC file has many for one, and names none."""
    from ragstone.contracts.context_items import items_of
    from ragstone.contracts.table_files import TABLES, shaped

    shape, all_lines = shaped(lines, mapping)
    if shape in TABLES:
        for item in items_of(record, name, shape, all_lines, mapping):
            yield item.line, item.qid
