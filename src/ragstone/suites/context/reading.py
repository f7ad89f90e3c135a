"""From any of the suite's files to questions in memory: what is gold, and what was retrieved.

Tables of questions are read by the contracts, which name every bad line; TREC files, which are
long, by the engine.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragstone.contracts.context_items import Item, items_of
from ragstone.contracts.record import Record
from ragstone.contracts.records.context_records import REFERENCE, RESULTS
from ragstone.contracts.sources import Source
from ragstone.contracts.table_files import Shape, shape_of
from ragstone.engine.lazy import LazyDuck
from ragstone.errors import ConfigError, ContractError, Diagnostic, InputError
from ragstone.suites.context.options import Options

_EXPECTED = {
    "results": "a table with qid and doc_ids, a LiveRAG answer file or a TREC run",
    "reference": "a table with qid and document_ids, or TREC or BEIR qrels",
}
_TABLES = ("tsv", "csv", "json", "jsonl")
_ENDINGS = (".gz", ".zst", ".tsv", ".csv", ".jsonl", ".json", ".parquet", ".txt", ".run")


@dataclass(frozen=True, slots=True)
class Question:
    """What a question should bring: its gold documents by their normal id, with their grades."""

    qid: str
    gold: Mapping[str, int]
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system retrieved for a question: ids as written, each once, and their documents."""

    qid: str
    chunks: Sequence[str]
    docs: Sequence[str]
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One results file, read."""

    name: str
    source: str
    answers: Mapping[str, Answer]
    repeated: int


class Documents:
    """Ids and their documents: `doc-<urn:uuid:a>::chunk-0` → `<urn:uuid:a>`."""

    def __init__(self, options: Options) -> None:
        self._pattern = re.compile(options.id_pattern)
        self._group = self._pattern.groups
        self._plain = options.is_default_pattern

    def of(self, written: str) -> str:
        # Nearly no id of other schemes holds the one character that the default must find.
        if self._plain and "<" not in written:
            return written
        found = self._pattern.search(written)
        return (found[self._group] or written) if found else written


def read_reference(engine: LazyDuck, source: Source, options: Options) -> list[Question]:
    """The questions in order of qid."""
    plain, shape, lines = opened(engine, source, REFERENCE, options)
    documents = Documents(options)
    if shape in ("qrels", "beir"):
        from ragstone.suites.context.trec_lists import judgments

        found = judgments(engine.duck, plain, "beir" if shape == "beir" else "qrels")
        questions = [_question(qid, judged, {}, documents) for qid, judged in found]
    elif shape in _TABLES:
        items, bad = items_of(
            REFERENCE, source.name, shape, lines, options.mapping_for("reference")
        )
        if bad:
            raise ContractError(sorted(bad))
        questions = [
            _question(item.qid, [(d, 1) for d in item.ids], item.fields, documents)
            for item in items
        ]
    elif shape == "empty":
        questions = []
    else:
        raise _unexpected(source, REFERENCE)
    if not questions:
        raise ContractError([Diagnostic(source.name, 1, "qid", "the reference holds no question")])
    _known_slices(questions, options)
    return sorted(questions, key=lambda question: question.qid)


def read_results(engine: LazyDuck, source: Source, options: Options) -> Retrieved:
    """What one system retrieved, by qid."""
    plain, shape, lines = opened(engine, source, RESULTS, options)
    documents = Documents(options)
    if shape == "run":
        from ragstone.suites.context.trec_lists import rankings

        found, repeated = rankings(engine.duck, plain, options.strict)
        answers = [_answer(qid, docs, {}, documents) for qid, docs in found]
        return Retrieved(stem(source), source.name, {a.qid: a for a in answers}, repeated)
    if shape not in (*_TABLES, "empty"):
        raise _unexpected(source, RESULTS)
    items, bad = items_of(RESULTS, source.name, shape, lines, options.mapping_for("results"))
    if options.strict:
        bad += [_repeat(source, item) for item in items if item.repeated]
    if bad:
        raise ContractError(sorted(bad))
    answers = [_answer(item.qid, item.ids, item.fields, documents) for item in items]
    repeated = sum(item.repeated for item in items)
    name = _system_name(items) or stem(source)
    return Retrieved(name, source.name, {a.qid: a for a in answers}, repeated)


def opened(
    engine: LazyDuck, source: Source, record: Record, options: Options
) -> tuple[Source, Shape, Iterator[bytes]]:
    """A source in a form that can be read, its shape, and its lines from the first one on."""
    plain = engine.plain(source)
    lines = engine.lines(plain)
    head = []
    for line in lines:
        head.append(line)
        if line.strip():
            break
    key = options.mapping_for(record.name).get("qid", "qid")
    return plain, shape_of(head[-1] if head else b"", key), itertools.chain(head, lines)


def places(
    engine: LazyDuck, source: Source, record: Record, options: Options, qids: Collection[str]
) -> dict[str, int]:
    """The line on which each question of a table begins; a TREC file has many for one."""
    _, shape, lines = opened(engine, source, record, options)
    if source.parquet or shape not in _TABLES:
        return {}
    items, _ = items_of(record, source.name, shape, lines, options.mapping_for(record.name))
    return {item.qid: item.line for item in items if item.qid in qids}


def stem(source: Source) -> str:
    """A file's name without its extensions."""
    if source.name.startswith("<"):
        return source.name
    name = Path(source.name).name
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name.removesuffix(".results") or Path(source.name).name


def _question(
    qid: str,
    judged: Sequence[tuple[str, int]],
    fields: Mapping[str, object],
    documents: Documents,
) -> Question:
    gold: dict[str, int] = {}
    for written, grade in judged:
        doc = documents.of(written)
        # Where two ids are one document, the best grade stays.
        gold[doc] = max(grade, gold.get(doc, grade))
    return Question(qid, gold, fields)


def _answer(
    qid: str, chunks: Sequence[str], fields: Mapping[str, object], documents: Documents
) -> Answer:
    return Answer(qid, chunks, [documents.of(chunk) for chunk in chunks], fields)


def _known_slices(questions: Sequence[Question], options: Options) -> None:
    wanted = options.slice_fields
    if not wanted:
        return
    from ragstone.gates.judge import suggestion

    known = list(dict.fromkeys(name for question in questions for name in question.fields))
    for field in wanted:
        if field not in known:
            raise ConfigError(f"the reference has no field {field!r}{suggestion(field, known)}")


def _system_name(items: Sequence[Item]) -> str | None:
    names = {item.fields.get("system_name") for item in items}
    return str(names.pop()) if len(names) == 1 and None not in names else None


def _repeat(source: Source, item: Item) -> Diagnostic:
    reason = f"{item.repeated} of the ids stand in the list twice (qid {json.dumps(item.qid)})"
    return Diagnostic(source.name, item.line, "doc_ids", reason)


def _unexpected(source: Source, record: Record) -> InputError:
    return InputError(f"{source.name}: expected {_EXPECTED[record.name]}; its first line is none")
