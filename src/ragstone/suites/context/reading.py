"""From any of the suite's files to two tables: reference(qid, gold, ...) and retrieved(qid, ...).

TREC files are read by the engine; tables of questions by the contracts, which name every bad line.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragstone.contracts.context import REFERENCE, RESULTS
from ragstone.contracts.context_items import Item, items_of
from ragstone.contracts.record import Record
from ragstone.contracts.sources import Source
from ragstone.contracts.table_files import Shape, shape_of
from ragstone.engine.duck import Duck, identifier, quoted
from ragstone.engine.load import as_jsonl, lines_of
from ragstone.engine.places import Place
from ragstone.engine.trec import TrecFile, must_be_good, with_views
from ragstone.errors import ConfigError, ContractError, Diagnostic, InputError
from ragstone.gates.judge import suggestion
from ragstone.suites.context.options import Options

_EXPECTED = {
    "results": "a table with qid and doc_ids, a LiveRAG answer file or a TREC run",
    "reference": "a table with qid and document_ids, or TREC or BEIR qrels",
}


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One results file, read: its table is `retrieved_<number>`."""

    name: str
    source: str
    questions: int
    repeated: int


def opened(
    duck: Duck, source: Source, record: Record, options: Options
) -> tuple[Source, Shape, Iterator[bytes]]:
    """A source in a form that can be read, its shape, and its lines from the first one on."""
    plain = as_jsonl(duck, source)
    lines = (line if line.endswith(b"\n") else line + b"\n" for line in lines_of(duck, plain))
    head = []
    for line in lines:
        head.append(line)
        if line.strip():
            break
    key = options.mapping_for(record.name).get("qid", "qid")
    return plain, shape_of(head[-1] if head else b"", key), itertools.chain(head, lines)


def read_reference(duck: Duck, source: Source, options: Options) -> None:
    """The table `reference`: qid, question, gold [{doc, grade}] and the slices' columns."""
    plain, shape, lines = opened(duck, source, REFERENCE, options)
    if shape in ("qrels", "beir"):
        _reference_of_qrels(duck, TrecFile(plain, "beir" if shape == "beir" else "qrels", "qrels"))
    elif shape in ("tsv", "csv", "json", "jsonl"):
        mapping = options.mapping_for("reference")
        items, bad = items_of(REFERENCE, source.name, shape, lines, mapping)
        if bad:
            raise ContractError(sorted(bad))
        _known_slices(items, options)
        _insert_reference(duck, items, options)
    elif shape == "empty":
        raise ContractError([Diagnostic(source.name, 1, "qid", "the reference holds no question")])
    else:
        raise _unexpected(source, REFERENCE)
    if not duck.one("select count(*) from reference")[0]:
        raise ContractError([Diagnostic(source.name, 1, "qid", "the reference holds no question")])
    _normalise_gold(duck, options)


def read_results(duck: Duck, source: Source, options: Options, number: int) -> Retrieved:
    """The table `retrieved_<number>`: qid, chunks as written and docs, the document of each."""
    plain, shape, lines = opened(duck, source, RESULTS, options)
    table = f"retrieved_{number}"
    name = stem(source)
    if shape == "run":
        repeated = _results_of_run(duck, TrecFile(plain, "run", f"run_{number}"), table, options)
    elif shape in ("tsv", "csv", "json", "jsonl", "empty"):
        mapping = options.mapping_for("results")
        items, bad = items_of(RESULTS, source.name, shape, lines, mapping)
        if options.strict:
            bad += [_repeat(source, item) for item in items if item.repeated]
        if bad:
            raise ContractError(sorted(bad))
        _insert_results(duck, items, table)
        repeated = sum(item.repeated for item in items)
        name = _system_name(items) or name
    else:
        raise _unexpected(source, RESULTS)
    _normalise(duck, table, options)
    questions = int(str(duck.one(f"select count(*) from {table}")[0]))
    return Retrieved(name, source.name, questions, repeated)


def _reference_of_qrels(duck: Duck, file: TrecFile) -> None:
    def create() -> None:
        duck.run(f"""
            create or replace temp table reference as
            select qid, null::varchar as question, list({{'doc': doc, 'grade': grade}}) as gold,
                count(*) > count(distinct doc) as twice
            from {file.view} group by qid order by qid
        """)

    with_views(duck, (file,), create)
    if duck.one("select bool_or(twice) from reference")[0]:
        must_be_good(duck, (file,))


def _results_of_run(duck: Duck, file: TrecFile, table: str, options: Options) -> int:
    """A run as lists in rank order: score descending as float32, then document id descending."""

    def create() -> None:
        duck.run(f"""
            create or replace temp table {table} as
            select
                qid,
                list(doc order by score::float desc, doc desc) as ranked,
                bool_or(isnan(score)) as has_nan,
                null::varchar as question,
                null::varchar as answer,
            from {file.view} group by qid order by qid
        """)

    with_views(duck, (file,), create)
    if duck.one(f"select bool_or(has_nan) from {table}")[0]:
        must_be_good(duck, (file,))
    duck.run(f"""
        create or replace temp table {table} as
        select qid, question, answer, len(ranked) - list_unique(ranked) as repeated,
            case when repeated = 0 then ranked
                else list_filter(ranked, lambda d, i: list_position(ranked, d) = i) end as chunks
        from {table}
    """)
    repeated = int(str(duck.one(f"select coalesce(sum(repeated), 0)::bigint from {table}")[0]))
    if repeated and options.strict:
        must_be_good(duck, (file,), strict=True)
    return repeated


def _insert_reference(duck: Duck, items: Sequence[Item], options: Options) -> None:
    fields = options.slice_fields
    columns = "".join(f", slice_{n} varchar" for n in range(len(fields)))
    duck.run(f"""
        create or replace temp table reference (
            qid varchar, question varchar, ids varchar[]{columns}
        )
    """)
    rows = (
        {
            "qid": item.qid,
            "question": item.fields.get("question"),
            "ids": item.ids,
            **{f"slice_{n}": _slice(item.fields.get(f)) for n, f in enumerate(fields)},
        }
        for item in items
    )
    kinds = {"qid": "varchar", "question": "varchar", "ids": "varchar[]"}
    kinds |= {f"slice_{n}": "varchar" for n in range(len(fields))}
    _fill(duck, "reference", kinds, rows)
    duck.run("""
        create or replace temp table reference as
        select * exclude (ids),
            list_transform(ids, lambda d: {'doc': d, 'grade': 1::integer}) as gold
        from reference
    """)


def _insert_results(duck: Duck, items: Iterable[Item], table: str) -> None:
    duck.run(f"""
        create or replace temp table {table} (
            qid varchar, question varchar, answer varchar, repeated integer, chunks varchar[]
        )
    """)
    rows = (
        {
            "qid": item.qid,
            "question": item.fields.get("question"),
            "answer": item.fields.get("answer"),
            "repeated": item.repeated,
            "chunks": item.ids,
        }
        for item in items
    )
    kinds = dict.fromkeys(("qid", "question", "answer"), "varchar")
    _fill(duck, table, {**kinds, "repeated": "integer", "chunks": "varchar[]"}, rows)


def _fill(duck: Duck, table: str, kinds: dict[str, str], rows: Iterable[dict[str, object]]) -> None:
    """Rows into a table by way of the scratch folder: the engine reads faster than it binds."""
    path: Path = duck.scratch / f"{table}.rows.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if path.stat().st_size:
        columns = ", ".join(f"{quoted(n)}: {quoted(kind)}" for n, kind in kinds.items())
        duck.run(f"""
            insert into {table} select {", ".join(map(identifier, kinds))}
            from read_json({quoted(str(path))}, columns = {{{columns}}},
                format = 'newline_delimited', maximum_object_size = 1073741824)
        """)
    path.unlink()


def _normalise_gold(duck: Duck, options: Options) -> None:
    """The gold documents by their normal id; where two become one, the best grade stays."""
    doc = _document("g.doc", options)
    duck.run(f"""
        create or replace temp table reference as
        with named as (
            select *, list_transform(gold, lambda g: {{'doc': {doc}, 'grade': g.grade}}) as given
            from reference
        )
        select * exclude (gold, given), case
            when list_unique(list_transform(given, lambda g: g.doc)) = len(given) then given
            else list_transform(
                list_distinct(list_transform(given, lambda g: g.doc)),
                lambda d: {{'doc': d, 'grade': list_max(list_transform(
                    list_filter(given, lambda g: g.doc = d), lambda g: g.grade
                ))}}
            ) end as gold
        from named
    """)


def _normalise(duck: Duck, table: str, options: Options) -> None:
    doc = _document("c", options)
    duck.run(f"""
        create or replace temp table {table} as
        select *, list_transform(chunks, lambda c: {doc}) as docs from {table}
    """)


def _document(column: str, options: Options) -> str:
    pattern = quoted(options.id_pattern)
    return (
        f"coalesce(nullif(regexp_extract({column}, {pattern}, {options.id_group}), ''), {column})"
    )


def _slice(value: object) -> str | None:
    """A field's values as a JSON list of texts: a list has several, an absent field none."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    texts = [v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in values]
    return json.dumps(texts, ensure_ascii=False) if texts else None


def _known_slices(items: Sequence[Item], options: Options) -> None:
    known = list(dict.fromkeys(name for item in items for name in item.fields))
    for field in options.slice_fields:
        if field not in known:
            raise ConfigError(f"the reference has no field {field!r}{suggestion(field, known)}")


def _system_name(items: Sequence[Item]) -> str | None:
    names = {item.fields.get("system_name") for item in items}
    return str(names.pop()) if len(names) == 1 and None not in names else None


def stem(source: Source) -> str:
    """A file's name without its extensions."""
    if source.name.startswith("<"):
        return source.name
    name = Path(source.name).name
    for ending in (".gz", ".zst", ".tsv", ".csv", ".jsonl", ".json", ".parquet", ".txt", ".run"):
        name = name.removesuffix(ending)
    return name.removesuffix(".results") or Path(source.name).name


def _repeat(source: Source, item: Item) -> Diagnostic:
    reason = f"{item.repeated} of the ids stand in the list twice (qid {json.dumps(item.qid)})"
    return Diagnostic(source.name, item.line, "doc_ids", reason)


def _unexpected(source: Source, record: Record) -> InputError:
    return InputError(f"{source.name}: expected {_EXPECTED[record.name]}; its first line is none")


def places(
    duck: Duck, source: Source, record: str, options: Options, qids: Collection[str]
) -> dict[str, Place]:
    """The line on which each question of a table begins; a TREC file has many for one."""
    kind = REFERENCE if record == "reference" else RESULTS
    _, shape, lines = opened(duck, source, kind, options)
    if source.parquet or shape not in ("tsv", "csv", "json", "jsonl"):
        return {}
    items, _ = items_of(kind, source.name, shape, lines, options.mapping_for(record))
    return {item.qid: Place(source.name, item.line) for item in items if item.qid in qids}
