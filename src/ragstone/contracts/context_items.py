"""Turns the rows of a results or reference file into questions, and checks each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ragstone.contracts.ids import NotIds, id_text, ids_in
from ragstone.contracts.json_paths import spelled
from ragstone.contracts.placed_lines import in_element
from ragstone.contracts.plain_numbers import real_number
from ragstone.contracts.record import (
    FieldMap,
    Record,
    column_of,
    look_up,
    paths_of,
    problems,
    shown,
    value_at,
)
from ragstone.contracts.records.context_records import LIVE_ANSWER, REFERENCE, RESULTS
from ragstone.contracts.table_files import Row, Shape, rows_of
from ragstone.errors import Diagnostic, Diagnostics

_LISTS = {"results": "doc_ids", "reference": "document_ids"}


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a results or a reference file; `ids` are as written, each once.

    `grades` are those of the ids, where some are better than others.
    """

    line: int
    qid: str
    ids: tuple[str, ...]
    repeated: int = 0
    fields: Mapping[str, object] = field(default_factory=dict)
    grades: tuple[int, ...] = ()


def items_of(
    record: Record,
    name: str,
    shape: Shape,
    lines: Iterable[bytes],
    mapping: FieldMap,
    *,
    strict: bool = False,
) -> list[Item]:
    """Every question of a file; ContractError lists what is wrong, if `strict` repeated ids too."""
    items: list[Item] = []
    bad = Diagnostics()
    seen: dict[str, str] = {}
    delimited = shape in ("tsv", "csv")
    for found in rows_of(name, shape, lines):
        if isinstance(found, Diagnostic):
            bad.add(found)
            continue
        wrong: list[Diagnostic] = []
        item = _item(record, name, found, mapping, delimited, wrong)
        if item is not None:
            # Not by comparing lines: two objects of a JSON array may be on the same one.
            if item.qid in seen:
                reason = f"{shown(item.qid)} was already given {seen[item.qid]}"
                wrong.append(Diagnostic(name, item.line, "qid", reason))
            place = f"in element {found.element:,}" if found.element else f"on line {item.line}"
            seen.setdefault(item.qid, place)
            if strict and item.repeated:
                wrong.append(_repeat(name, item))
        for problem in sorted(wrong):
            bad.add(replace(problem, reason=in_element(problem.reason, found.element)))
        if item is not None and not bad:
            items.append(item)
    bad.must_be_none()
    return items


def _repeat(name: str, item: Item) -> Diagnostic:
    reason = f"{item.repeated} of the ids stand in the list twice (qid {shown(item.qid)})"
    return Diagnostic(name, item.line, "doc_ids", reason)


def _item(
    record: Record,
    name: str,
    row: Row,
    mapping: FieldMap,
    delimited: bool,
    bad: list[Diagnostic],
) -> Item | None:
    line, value, _ = row
    if delimited:
        value = _typed(record, value, mapping)
    elif record is RESULTS and "passages" in value and "doc_ids" not in value:
        value, wrong = _from_live(value)
        bad += [Diagnostic(name, line, *pair) for pair in wrong]
    elif record is REFERENCE:
        value = {**value, **_categories(value)}
    wrong = list(problems(record, value, mapping))
    ids: list[str] = []
    listed = record.field(_LISTS[record.name])
    # The first of the names that the line has; it may be null there.
    paths = paths_of(listed, mapping)
    path = next((path for path in paths if path[0] in value), paths[0])
    field_name = spelled(path)
    if path[0] not in value:
        wrong.append((field_name, f"expected {listed.values.expected}, found nothing"))
    elif not any(name == field_name for name, _ in wrong):
        try:
            ids = ids_in(value_at(value, path))
        except NotIds as error:
            wrong.append((field_name, str(error)))
    bad += [Diagnostic(name, line, *pair) for pair in wrong]
    qid = look_up(record.field("qid"), value, mapping)[1]
    if isinstance(qid, bool) or not isinstance(qid, str | int | float) or qid == "":
        return None
    kept = tuple(dict.fromkeys(ids))
    return Item(line, id_text(qid), kept, len(ids) - len(kept), value)


def _typed(record: Record, value: dict[str, object], mapping: FieldMap) -> dict[str, object]:
    """A row of text cells with its numbers as numbers; text that is none stays, and is refused."""
    typed = dict(value)
    for field_ in record.fields:
        key = column_of(field_.name, mapping)
        cell = typed.get(key)
        if not isinstance(cell, str):
            continue
        if field_.kind == "number":
            number = real_number(cell.strip())
            typed[key] = cell if number is None else number
        elif field_.kind == "id":
            typed[key] = cell.strip()
    return typed


def _from_live(value: dict[str, object]) -> tuple[dict[str, object], list[tuple[str, str]]]:
    """A line of the LiveRAG answer file as a results row: its passages' documents in order."""
    wrong = [pair for pair in problems(LIVE_ANSWER, value, {}) if pair[0] != "id"]
    ids: list[object] = []
    passages = value["passages"]
    if not isinstance(passages, list):
        wrong.append(("passages", f"expected a list of passages, found {shown(passages)}"))
        passages = []
    for position, passage in enumerate(passages):
        documents = passage.get("doc_IDs") if isinstance(passage, dict) else None
        if not isinstance(documents, list):
            wrong.append(("passages", f'expected a list "doc_IDs" at position {position}'))
            continue
        ids += documents
    made: dict[str, object] = {"qid": value.get("id", value.get("qid")), "doc_ids": ids}
    for name in ("question", "answer", "system_name"):
        if isinstance(value.get(name), str):
            made[name] = value[name]
    return made, wrong


def _categories(value: dict[str, object]) -> dict[str, object]:
    """DataMorgana's lists of categories as the columns its TSV has."""
    found: dict[str, object] = {}
    for prefix in ("question", "user"):
        listed = value.get(f"{prefix}_categories")
        for entry in listed if isinstance(listed, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("categorization_name"), str):
                found[f"{prefix}_{entry['categorization_name']}"] = entry.get("category_name")
    return found
