"""Finds the lines of a qid again by reading the files: only where a message has to name them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from ragstone.contracts.diagnose import numbered
from ragstone.contracts.record import FieldMap, Record, shown, value_at
from ragstone.contracts.sources import Source
from ragstone.contracts.strict_json import parse
from ragstone.engine.duck import Duck
from ragstone.errors import ContractError, Diagnostic


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, as the user named the file."""

    file: str
    line: int


def places(
    duck: Duck,
    sources: Collection[Source],
    mapping: FieldMap,
    qids: Collection[str],
    asked: Mapping[str, str] | None = None,
    key: str = "qid",
    table: Record | None = None,
) -> dict[str, list[Place]]:
    """Every line of each qid, in order; `asked` has the qid of each question, for older traces.

    `table` is the record of files that may be tables: of these, the line on which a question
    begins. Rows of a Parquet file have no line, so those are passed over.
    """
    # Imported here, because reports use `Place` and need no reader.
    from ragstone.engine.read_lines import lines_of

    found: dict[str, list[Place]] = {qid: [] for qid in qids}
    for source in sources:
        if source.parquet:
            continue
        lines = lines_of(duck, source)
        begun = (
            _begun(table, source.name, lines, mapping)
            if table
            else (
                (number, _qid(parse(line), mapping, asked or {}, key))
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
        for item in items_of(record, name, shape, all_lines, mapping)[0]:
            yield item.line, item.qid


def _qid(value: object, mapping: FieldMap, asked: Mapping[str, str], key: str) -> str:
    for name in (mapping.get(key, key), key, "q_id"):
        found = value_at(value, tuple(name.split(".")))
        if isinstance(found, str) and found:
            return found
    question = value_at(value, ("q",))
    return asked.get(question, "") if isinstance(question, str) else ""


def must_be_unique(
    duck: Duck,
    table: str,
    sources: Collection[Source],
    mapping: FieldMap,
    says: str,
    asked: Mapping[str, str] | None = None,
    key: str = "qid",
) -> None:
    """Raises a ContractError for every key that is on more than one line, naming both lines."""
    repeated = duck.query(
        f"select {key} from {table} where {key} is not null group by {key} having count(*) > 1"
    )
    if not repeated:
        return
    from ragstone.engine.read_lines import as_jsonl

    bad = []
    # Written out as JSONL, a row of a Parquet file is a line.
    plain = [as_jsonl(duck, source) for source in sources]
    names = [str(name) for (name,) in repeated]
    for qid, at in places(duck, plain, mapping, names, asked, key).items():
        if not at:
            # Two gold items ask the same question, and the lines were counted for the other one.
            continue
        first = at[0]
        where = f"line {first.line}" if len(sources) == 1 else f"{first.file}:{first.line}"
        bad += [
            Diagnostic(place.file, place.line, key, f"{shown(qid)} {says} on {where}")
            for place in at[1:]
        ]
    raise ContractError(sorted(bad))
