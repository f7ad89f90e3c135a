"""The items of a gold file of any kind, each under its qid, as they were written."""

from __future__ import annotations

from collections.abc import Iterator

from ragstone.contracts.ids import id_text
from ragstone.contracts.json_paths import parse_path
from ragstone.contracts.record import FieldMap, shown, value_at
from ragstone.contracts.sources import Source, lines_of
from ragstone.contracts.table_files import TABLES, rows_of, shaped
from ragstone.engine.duck import Duck
from ragstone.engine.parquet_files import as_jsonl
from ragstone.errors import ContractError, Diagnostic, InputError
from ragstone.suites.context.trec_lists import judgments
from ragstone.suites.gold_lock import item_hash

GoldItem = dict[str, object]


def gold_items_of(duck: Duck, source: Source, mapping: FieldMap) -> Iterator[tuple[str, GoldItem]]:
    """Lines of JSON, rows of a table, or the judgments of each question of a qrels file.

    What is no item, or has the qid of another, is an error that names its line.
    """
    plain = as_jsonl(duck, source)
    shape, lines = shaped(lines_of(plain), mapping)
    if shape in ("qrels", "beir"):
        for qid, docs, grades in judgments(duck, plain, "beir" if shape == "beir" else "qrels"):
            yield qid, {"qid": qid, "judged": dict(zip(docs, grades, strict=True))}
        return
    if shape not in (*TABLES, "empty"):
        raise InputError(f"{source.name} is no gold set: its first line has no qid")
    seen: set[str] = set()
    for row in rows_of(source.name, shape, lines):
        if isinstance(row, Diagnostic):
            raise ContractError([row])
        line, item, _ = row
        qid = _qid(item, mapping)
        if not qid or qid in seen:
            says = f"{shown(qid)} was already given" if qid else "the item names none"
            raise ContractError([Diagnostic(source.name, line, "qid", says)])
        seen.add(qid)
        yield qid, item


def item_hashes(duck: Duck, source: Source, mapping: FieldMap) -> dict[str, str]:
    """The hash of each item by its qid."""
    return {qid: item_hash(item) for qid, item in gold_items_of(duck, source, mapping)}


def _qid(item: GoldItem, mapping: FieldMap) -> str:
    for name in (mapping.get("qid", "qid"), "qid"):
        found = value_at(item, parse_path(name))
        if isinstance(found, str) and found:
            return found
        if isinstance(found, int | float) and not isinstance(found, bool):
            return id_text(found)
    return ""
