"""From any of the suite's files to the engine's tables: what is gold, and what was retrieved.

Tables of questions are read by the contracts, which name every bad line; TREC files, which are
long, by the engine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragstone.contracts.context_items import Item, items_of
from ragstone.contracts.record import Record
from ragstone.contracts.records.context_records import REFERENCE, RESULTS
from ragstone.contracts.sources import Source, lines_of
from ragstone.contracts.table_files import TABLES, Shape, shaped
from ragstone.engine.duck import quoted
from ragstone.engine.parquet_columns import wanted
from ragstone.engine.parquet_files import as_jsonl
from ragstone.errors import ConfigError, ContractError, Diagnostic, InputError
from ragstone.gates.judge import suggestion
from ragstone.progress import counting
from ragstone.scratch import drop, keep
from ragstone.suites.context.options import ContextOptions
from ragstone.suites.context.question_values import Documents, values_of
from ragstone.suites.context.trec_lists import judgments, rankings
from ragstone.suites.declaration import Input, Work
from ragstone.suites.ranking.ranked_arms import stem

_EXPECTED = {
    "results": "a table with qid and doc_ids, a LiveRAG answer file or a TREC run",
    "reference": "a table with qid and document_ids, or TREC or BEIR qrels",
}
_COLUMNS = {
    "reference": "{'qid': 'varchar', 'docs': 'varchar[]', 'grades': 'integer[]', "
    "'question': 'varchar', 'slices': 'json[]'}",
    "results": "{'qid': 'varchar', 'docs': 'varchar[]', 'chunks': 'varchar[]', "
    "'question': 'varchar', 'answer': 'varchar'}",
}
# What single lines tell that only all of them decide: it stands beside rows that are read in parts.
_TOLD = {
    "reference": "'fields': 'varchar[]'",
    "results": "'system_name': 'varchar', 'repeated': 'bigint'",
}
# DuckDB keeps two lines of this length in memory for each thread.
_LINE = 2**20

Rows = Iterable[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One results file, read: the system's name, and how many ids were repeated."""

    name: str
    repeated: int


def read_reference(work: Work[ContextOptions], source: Source) -> None:
    """Fills the table `reference`: the gold documents of each question."""
    items = reference_items(work, source)
    rows = (_question(work, item) for item in counting(items, f"loading {source.name}", "rows"))
    _fill(work, "reference", _COLUMNS["reference"], rows)
    if not work.lines["reference"]:
        raise no_question(source)
    known = list(dict.fromkeys(name for item in items for name in item.fields))
    for field in work.options.slice_fields:
        if field not in known:
            raise ConfigError(f"the reference has no field {field!r}{suggestion(field, known)}")


def no_question(source: Source) -> ContractError:
    """What is wrong with a reference without a line."""
    return ContractError([Diagnostic(source.name, 1, "qid", "the reference holds no question")])


def read_results(work: Work[ContextOptions], source: Source, table: str) -> Retrieved:
    """Fills the table of one system: what it retrieved for each question."""
    items = result_items(work, source)
    loaded = counting(items, f"loading {source.name}", "rows")
    rows = (_answer(item, work.options.documents) for item in loaded)
    _fill(work, table, _COLUMNS["results"], rows)
    return Retrieved(_system_name(items) or stem(source), sum(item.repeated for item in items))


def read_some(
    work: Work[ContextOptions], given: Input, table: str, source: Source, *, divided: bool
) -> None:
    """Fills a table with lines of a file, each with what only all lines of the file decide.

    Of a file that is `divided` these are lines of JSON.
    """
    shape: Shape | None = "jsonl" if divided else None
    columns = f"{_COLUMNS[given.name].removesuffix('}')}, {_TOLD[given.name]}}}"
    if given.name == "reference":
        sliced = bool(work.options.slice_fields)
        rows = (
            {**_question(work, item), "fields": list(item.fields) if sliced else []}
            for item in reference_items(work, source, shape)
        )
    else:
        rows = (
            {
                **_answer(item, work.options.documents),
                "system_name": item.fields.get("system_name"),
                "repeated": item.repeated,
            }
            for item in result_items(work, source, shape)
        )
    _fill(work, table, columns, rows)


def is_divisible(work: Work[ContextOptions], given: Input, source: Source) -> bool:
    """Whether each line of a file stands for itself."""
    shape, _ = shaped(lines_of(source), work.mapping(given.record))
    return shape == "jsonl"


def reference_items(
    work: Work[ContextOptions], source: Source, shape: Shape | None = None
) -> list[Item]:
    """The questions of a reference; a document below grade 0 was not judged."""
    plain, seen, lines = _opened(work, source, REFERENCE)
    shape = shape or seen
    if shape in ("qrels", "beir"):
        judged = judgments(work.duck, plain, "beir" if shape == "beir" else "qrels")
        return [Item(0, qid, tuple(docs), grades=tuple(grades)) for qid, docs, grades in judged]
    if shape not in (*TABLES, "empty"):
        raise _unexpected(source, REFERENCE)
    return _items(work, REFERENCE, source, shape, lines)


def result_items(
    work: Work[ContextOptions], source: Source, shape: Shape | None = None
) -> list[Item]:
    """What was retrieved for each question."""
    plain, seen, lines = _opened(work, source, RESULTS)
    shape = shape or seen
    if shape == "run":
        found = rankings(work.duck, plain, work.options.refuses_repeats)
        return [Item(0, qid, tuple(ids), repeated) for qid, ids, repeated in found]
    if shape not in (*TABLES, "empty"):
        raise _unexpected(source, RESULTS)
    return _items(work, RESULTS, source, shape, lines)


def _fill(work: Work[ContextOptions], table: str, columns: str, rows: Rows) -> None:
    """A table of the engine from rows in memory, through a file that it reads faster."""
    longest, count = _LINE, 0

    def lines() -> Iterator[bytes]:
        nonlocal longest, count
        for row in rows:
            line = json.dumps(row, separators=(",", ":")).encode()
            longest = max(longest, len(line) + 1)
            count += 1
            yield line + b"\n"

    path = keep(work.duck.scratch, lines())
    work.duck.run(f"""
        create or replace temp table {table} as
        from read_json({quoted(str(path))}, format = 'newline_delimited',
            columns = {columns}, maximum_object_size = {longest})
    """)
    drop(work.duck.scratch, path)
    work.lines[table] = count


def _opened(
    work: Work[ContextOptions], source: Source, record: Record
) -> tuple[Source, Shape, Iterator[bytes]]:
    """A source in a form that can be read, its shape, and its lines from the first one on."""
    mapping, sliced = work.mapping(record), work.options.slice_fields
    plain = as_jsonl(work.duck, source, wanted(record, mapping, sliced, whole=True))
    return plain, *shaped(lines_of(plain), mapping)


def _items(
    work: Work[ContextOptions],
    record: Record,
    source: Source,
    shape: Shape,
    lines: Iterator[bytes],
) -> list[Item]:
    strict = record is RESULTS and work.options.refuses_repeats
    return items_of(record, source.name, shape, lines, work.mapping(record), strict=strict)


def _question(work: Work[ContextOptions], item: Item) -> dict[str, object]:
    """A row of the table `reference`; a document below grade 0 was not judged."""
    documents, fields = work.options.documents, item.fields
    grades = item.grades or (1,) * len(item.ids)
    gold: dict[str, int] = {}
    for written, grade in zip(item.ids, grades, strict=True):
        doc = documents.of(written)
        # Where two ids are one document, the best grade stays.
        gold[doc] = max(grade, gold.get(doc, grade))
    kept = {doc: grade for doc, grade in sorted(gold.items()) if grade >= 0}
    return {
        "qid": item.qid,
        "docs": list(kept),
        "grades": list(kept.values()),
        "question": _text(fields.get("question")),
        "slices": [values_of(fields.get(name)) for name in work.options.slice_fields],
    }


def _answer(item: Item, documents: Documents) -> dict[str, object]:
    """A row of a table of results: each document once, and that of each chunk where they differ."""
    chunks = [documents.of(written) for written in item.ids]
    docs = list(dict.fromkeys(chunks))
    return {
        "qid": item.qid,
        "docs": docs,
        "chunks": chunks if len(docs) < len(chunks) else None,
        "question": _text(item.fields.get("question")),
        "answer": _text(item.fields.get("answer")),
    }


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _system_name(items: Sequence[Item]) -> str | None:
    names = {item.fields.get("system_name") for item in items}
    return str(names.pop()) if len(names) == 1 and None not in names else None


def _unexpected(source: Source, record: Record) -> InputError:
    return InputError(f"{source.name}: expected {_EXPECTED[record.name]}; its first line is none")
