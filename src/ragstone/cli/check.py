"""Check files against their contracts, and score nothing."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import (
    add_errors,
    add_everywhere,
    add_map,
    as_json,
    config_of,
    mapping_in,
    say,
)
from ragstone.contracts.record import mapping_of
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
from ragstone.errors import ContractError, Diagnostic, InputError

if TYPE_CHECKING:
    from ragstone.contracts.record import Record
    from ragstone.contracts.sources import Source
    from ragstone.engine.duck import Duck

EXAMPLE = """\
examples:
  ragstone check eval/gold.jsonl runs/*.jsonl
  ragstone check --as trace export.jsonl --all-errors
"""

RECORDS = {
    record.name: record
    for record in (
        *(GOLD, TRACE, RETRIEVAL_GOLD, RETRIEVAL_LOG, MANIFEST, TEXTS),
        *(PAIRS, LABEL, RUN, SAMPLE, RESULTS, REFERENCE),
    )
}
# The field that names a line; no two lines of a file may have the same.
_KEYS = {"gold": "qid", "retrieval_gold": "qid", "manifest": "id", "texts": "id"}
# Fields that tell what a line is; the first entry that fits decides. Answers gold may carry
# paraphrases too (the demonstration's does), so they are looked for after its own fields.
_TELLTALE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("retrieval_gold", ("relevant",)),
    ("retrieval_log", ("topk",)),
    ("manifest", ("section_id",)),
    ("gold", ("answerable", "gold_claim_substr", "gold_citations")),
    ("retrieval_gold", ("paraphrases",)),
    ("pairs", ("scholar", "auditor")),
    ("labels", ("label",)),
    ("sample", ("config", "rps")),
    ("run", ("run_id", "jitter")),
    ("trace", ("answer_json", "retrieved_ids", "chunks", "q_id")),
    ("results", ("doc_ids", "passages")),
    ("reference", ("document_ids",)),
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="files, globs, or - for stdin")
    parser.add_argument(
        "--as",
        dest="record",
        choices=tuple(RECORDS),
        help="what the files are (default: seen from their first line)",
    )
    add_map(parser)
    add_errors(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck
    from ragstone.report.text import visible

    mapping = mapping_in(config_of(arguments), arguments.map)
    found: list[dict[str, object]] = []
    bad: list[Diagnostic] = []
    with Duck(arguments.threads) as duck:
        for number, source in enumerate(find(arguments.files, "input", duck.scratch)):
            record = RECORDS[arguments.record] if arguments.record else guess(duck, source)
            try:
                lines = check(
                    duck, source, record, mapping_of(record, mapping), f"checked_{number}"
                )
                found.append({"file": source.name, "record": record.name, "lines": lines})
            except ContractError as error:
                bad.extend(error.diagnostics)
    if bad:
        raise ContractError(bad)
    if arguments.json:
        say(as_json({"files": found, "pass": True}))
    elif not arguments.quiet:
        for item in found:
            many = "1 line" if item["lines"] == 1 else f"{item['lines']:,} lines"
            say(visible(f"{item['file']}: {item['record']}, {many}, ok"))
    return 0


def check(duck: Duck, source: Source, record: Record, mapping: dict[str, str], table: str) -> int:
    """The number of lines of a good file; ContractError for a bad one."""
    from ragstone.engine.line_places import must_be_unique
    from ragstone.engine.read_lines import Loading, load

    if record in (RESULTS, REFERENCE):
        return _questions(duck, source, record, mapping)
    # The projection is all that is kept: the join key, for the one rule that spans lines.
    key = _KEYS.get(record.name, "qid")
    select = f"{key},"
    lines = load(duck, Loading(record, (source,), table, select, mapping))
    if record.name in _KEYS:
        if lines == 0 and key == "qid":
            raise ContractError([Diagnostic(source.name, 1, "qid", "the gold file holds no item")])
        must_be_unique(duck, table, (source,), mapping, "was already given", key=key)
    return lines


def _questions(duck: Duck, source: Source, record: Record, mapping: dict[str, str]) -> int:
    """The number of questions of a good results or reference file."""
    from ragstone.contracts.context_items import items_of
    from ragstone.contracts.table_files import shape_of
    from ragstone.engine.read_lines import as_jsonl, lines_of

    plain = as_jsonl(duck, source)
    lines = [line.rstrip(b"\n") + b"\n" for line in lines_of(duck, plain)]
    shape = shape_of(next((line for line in lines if line.strip()), b""), mapping.get("qid", "qid"))
    if shape not in ("tsv", "csv", "json", "jsonl", "empty"):
        raise InputError(f"{source.name}: expected a table of questions; its first line is none")
    items, bad = items_of(record, source.name, shape, lines, mapping)
    if bad:
        raise ContractError(sorted(bad))
    return len(items)


def guess(duck: Duck, source: Source) -> Record:
    """What a file is, by the fields of its first line, else by its name."""
    told = record_by_fields(duck, source)
    if told is not None:
        return told
    for name, record in RECORDS.items():
        if name in Path(source.name).name.lower():
            return record
    raise InputError(
        f"{source.name}: cannot tell what this is; say it with --as {' or --as '.join(RECORDS)}"
    )


def record_by_fields(duck: Duck, source: Source) -> Record | None:
    """What the first line that can be read is, by its fields; None where they tell nothing."""
    from ragstone.contracts.diagnose import numbered
    from ragstone.contracts.strict_json import NotJson, parse
    from ragstone.engine.read_lines import as_jsonl, lines_of

    for _, line in numbered(lines_of(duck, as_jsonl(duck, source))):
        try:
            value = parse(line)
        except NotJson:
            # The header of a table names its fields; other lines may be the bad ones.
            columns = line.decode("utf-8", "replace").replace("\t", ",").split(",")
            for name, fields in _TELLTALE:
                if RECORDS[name] in (RESULTS, REFERENCE) and any(f in columns for f in fields):
                    return RECORDS[name]
            continue
        for name, fields in _TELLTALE:
            if isinstance(value, dict) and any(field in value for field in fields):
                return RECORDS[name]
        break
    return None
