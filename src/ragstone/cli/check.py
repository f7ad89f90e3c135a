"""Check files against their contracts, and score nothing."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ragstone.cli.common import as_json, config_of, must_not_replace
from ragstone.cli.flags import add_errors, add_map, flag
from ragstone.cli.forms import add_forms, form_of, put
from ragstone.contracts.record import FieldMap, Given, Record, look_up, mapping_of
from ragstone.contracts.records.gold_record import GOLD
from ragstone.errors import ContractError, Diagnostic, Diagnostics, InputError
from ragstone.progress import doing
from ragstone.suites.config_file import mapping_in
from ragstone.suites.registry import records, suites

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.engine.duck import Duck


FORMS = ("terminal", "markdown", "json")
# No warning is longer: what it quotes is clipped already.
LONGEST = 2000


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "FILE", "files, globs, or - for standard input", nargs="+")
    what = "what the files are, if their first line does not show it"
    flag(parser, "--as KIND", what, dest="kind", choices=tuple(records()))
    add_map(parser)
    add_errors(parser)
    add_forms(parser.add_argument_group("output"), FORMS)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.contracts.sources import find, size_of
    from ragstone.engine.duck import Duck
    from ragstone.report.text import visible

    form = form_of(arguments, FORMS, "a check")
    given = mapping_in(config_of(arguments), arguments)
    found: list[dict[str, object]] = []
    bad = Diagnostics()
    weak: list[tuple[str, str]] = []
    with Duck(arguments.threads) as duck, ExitStack() as telling:
        sources = find(arguments.file, "input", duck.scratch)
        must_not_replace(arguments, sources)
        task = telling.enter_context(doing("checking", size_of(sources), "B", duck.share))
        for number, source in enumerate(sources):
            try:
                with task.piece(size_of((source,))):
                    record = records()[arguments.kind] if arguments.kind else guess(duck, source)
                    mapping, table = mapping_of(record, given), f"checked_{number}"
                    lines = check(duck, source, record, mapping, table)
                found.append({"file": source.name, "record": record.name, "lines": lines})
                if record is GOLD:
                    weak += [(source.name, each) for each in _weak(duck, table)]
            except InputError as error:
                bad.take(error)
    bad.must_be_none()
    warnings = [f"{name}: {each}" for name, each in weak]

    def made(form: str) -> str:
        if form == "json":
            return as_json({"files": found, "warnings": warnings, "pass": True}) + "\n"
        return "".join(visible(line) + "\n" for line in _lines(found, warnings, form))

    put(arguments, form, made, silent=form == "terminal" and arguments.quiet)
    return 0


def _lines(found: Sequence[Mapping[str, object]], warnings: Sequence[str], form: str) -> list[str]:
    """What was checked, and what can never be right, for a person."""
    if form == "markdown":
        from ragstone.report.formats.markdown_text import prose

        rows = [
            f"| {prose(str(item['file']))} | {item['record']} | {item['lines']:,} |"
            for item in found
        ]
        said = ["", *(f"- {prose(each, LONGEST)}" for each in warnings)] if warnings else []
        return ["| file | record | lines |", "|---|---|---|", *rows, *said]
    checked = [
        f"{item['file']}: {item['record']}, "
        f"{'1 line' if item['lines'] == 1 else format(item['lines'], ',') + ' lines'}, ok"
        for item in found
    ]
    return [*checked, *warnings]


def check(duck: Duck, source: Source, record: Record, mapping: FieldMap, table: str) -> int:
    """The number of lines of a good file; ContractError for a bad one."""
    if record.tables:
        return _questions(duck, source, record, mapping)
    return check_lines(duck, (source,), record, mapping, table)


def check_lines(
    duck: Duck,
    sources: tuple[Source, ...],
    record: Record,
    mapping: FieldMap,
    table: str,
) -> int:
    """The number of lines of good files of one input; ContractError for bad ones."""
    from ragstone.contracts.diagnose import Rules
    from ragstone.engine.read_lines import Loading, list_problems, load
    from ragstone.suites.inputs import is_repeated

    # Only the key is kept, and of gold its phrases: no rule but that it is given once spans several
    # lines.
    key, filled = _rules(record)
    column = f"{key or record.fields[0].path[0]},"
    if record is GOLD:
        column += (
            "question, answerable, coalesce(gold_claim_substr, []) as substrings, "
            "gold_answer::varchar as gold_answer, must_not,"
        )
    loading = Loading(record, sources, table, column, mapping, rules=lambda: Rules(key))
    lines = load(duck, loading)
    if lines == 0 and filled:
        _must_hold_items(sources[0], record, key)
    if key and is_repeated(duck, table, key):
        list_problems(duck, loading)
    return lines


def _weak(duck: Duck, table: str) -> list[str]:
    """What is good by the contract, and yet can never be right."""
    from ragstone.suites.answers.floor import (
        floor_warnings,
        gather_short_phrases,
        type_short_phrases,
    )
    from ragstone.suites.gathered import Gathered

    found = Gathered()
    type_short_phrases(duck, table)
    gather_short_phrases(duck, table, found)
    return floor_warnings(found)


def _rules(record: Record) -> tuple[str, bool]:
    """The key that no two lines of the record may share, and whether a file must hold a line."""
    for suite in suites():
        for given in suite.inputs:
            if given.record is record:
                return given.unique, given.filled
    return "", False


def _must_hold_items(source: Source, record: Record, key: str) -> NoReturn:
    says = f"the {record.name.replace('_', ' ')} file holds no item"
    raise ContractError([Diagnostic(source.name, 1, key, says)])


def items(
    duck: Duck,
    sources: Sequence[Source],
    record: Record,
    given: Given,
    *,
    filled: bool = False,
) -> list[dict[str, object]]:
    """The lines of files that keep their contract, each field under the record's own name."""
    from ragstone.contracts.diagnose import Rules, good_lines
    from ragstone.engine.parquet_columns import wanted
    from ragstone.engine.parquet_files import as_jsonl

    names, bad = mapping_of(record, given), Diagnostics()
    key = _rules(record)[0]
    # With all columns of a file: what is written back has them too.
    asked = wanted(record, names, whole=True)
    files = [(source.name, asked.lines_of(as_jsonl(duck, source, asked))) for source in sources]
    found = good_lines(record, files, names, bad, Rules(key))
    made = [_named(record, value, names) for _, _, value in found]
    bad.must_be_none()
    if filled and not made:
        _must_hold_items(sources[0], record, key)
    return made


def gold_items(given: str) -> list[dict[str, object]]:
    """The items of one gold set of the answers suite."""
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck

    with Duck() as duck:
        return items(duck, find(given, "gold", duck.scratch), GOLD, Given())


def _named(record: Record, value: dict[str, object], names: FieldMap) -> dict[str, object]:
    """The line as if its fields had never had other names."""
    made = dict(value)
    for field in record.fields:
        found = look_up(field, value, names)[1]
        if field.name not in names or found is None:
            continue
        inside: dict[str, object] = made
        for key in field.path[:-1]:
            below = inside.get(key)
            inside[key] = inside = dict(below) if isinstance(below, dict) else {}
        inside[field.leaf] = found
    return made


def _questions(duck: Duck, source: Source, record: Record, mapping: FieldMap) -> int:
    """The number of questions of a good results or reference file."""
    from ragstone.contracts.context_items import items_of
    from ragstone.contracts.sources import lines_of
    from ragstone.contracts.table_files import TABLES, shaped
    from ragstone.engine.parquet_columns import wanted
    from ragstone.engine.parquet_files import as_jsonl

    asked = wanted(record, mapping, whole=True)
    shape, lines = shaped(lines_of(as_jsonl(duck, source, asked)), mapping)
    if shape not in (*TABLES, "empty"):
        raise InputError(f"{source.name}: expected a table of questions; its first line is none")
    return len(items_of(record, source.name, shape, lines, mapping))


def guess(duck: Duck, source: Source) -> Record:
    """What a file is, by the fields of its first line, else by its name."""
    told = record_by_fields(duck, source)
    if told is not None:
        return told
    known = records()
    for name, record in known.items():
        if name in Path(source.name).name.lower():
            return record
    raise InputError(
        f"{source.name}: cannot tell what this is; say it with --as {' or --as '.join(known)}"
    )


def record_by_fields(duck: Duck, source: Source) -> Record | None:
    """What the first line that can be read is, by its fields; None where they tell nothing."""
    from ragstone.contracts.diagnose import numbered
    from ragstone.contracts.strict_json import NotJson, parse
    from ragstone.engine.parquet_files import lines_or_rows

    for _, line in numbered(lines_or_rows(duck, source)):
        try:
            value = parse(line, explain=False)
        except NotJson:
            # The header of a table names its fields; other lines may be the bad ones.
            columns = line.decode("utf-8", "replace").strip().replace("\t", ",").split(",")
            told = _likest(columns, [record for record in records().values() if record.tables])
            if told is not None:
                return told
            continue
        return _likest(list(value), list(records().values())) if isinstance(value, dict) else None
    return None


def _likest(keys: Sequence[str], known: Sequence[Record]) -> Record | None:
    """The record that knows most of these keys and misses fewest of its own required fields.

    A key that many records have, such as qid, tells nothing by itself. Of two that fit equally the
    one with fewer fields is meant: a run is a trace that says more.
    """

    def fit(record: Record) -> tuple[int, int]:
        own = {field.path[0] for field in record.fields}
        needed = {field.path[0] for field in record.fields if field.required}
        return len(own & set(keys)) - len(needed - set(keys)), -len(record.fields)

    best = max(known, key=fit, default=None)
    if best is None or fit(best)[0] < 1:
        return None
    telling = {field.path[0] for field in best.fields} & set(keys) - {"qid", "id"}
    return best if telling else None
