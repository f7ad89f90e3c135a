"""Finds the lines of a qid again by reading the files: only where a message has to name them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ragstone.contracts.diagnose import numbered
from ragstone.contracts.record import FieldMap, shown
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
) -> dict[str, list[Place]]:
    """Every line of each qid, in order; `asked` has the qid of each question, for older traces.

    Rows of a Parquet file have no line, so those are passed over.
    """
    # Imported here, because reports use `Place` and need no reader.
    from ragstone.engine.read_lines import lines_of

    found: dict[str, list[Place]] = {qid: [] for qid in qids}
    for source in sources:
        if source.parquet:
            continue
        for number, line in numbered(lines_of(duck, source)):
            qid = _qid(parse(line), mapping, asked or {}, key)
            if qid in found:
                found[qid].append(Place(source.name, number))
    return found


def _qid(value: object, mapping: FieldMap, asked: Mapping[str, str], key: str) -> str:
    if not isinstance(value, dict):
        return ""
    for name in (mapping.get(key, key), key, "q_id"):
        found: object = value
        for part in name.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        if isinstance(found, str) and found:
            return found
    question = value.get("q")
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
