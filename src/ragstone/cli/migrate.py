"""Carry ids over after re-chunking: map old chunks to new ones, and rewrite a gold set with them.
Nothing is overwritten: the new gold set is a new file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import add_errors, add_everywhere, add_output, check_output, emit
from ragstone.errors import InputError

if TYPE_CHECKING:
    from ragstone.contracts.record import Record
    from ragstone.contracts.sources import Source
    from ragstone.engine.duck import Duck

EXAMPLE = """\
examples:
  ragstone migrate old.manifest.jsonl new.manifest.jsonl -o migration.html
  ragstone migrate old.jsonl new.jsonl --gold gold.jsonl --write gold.new.jsonl
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD_MANIFEST", help="the manifest the gold set speaks of")
    parser.add_argument("new", metavar="NEW_MANIFEST", help="the manifest of the new index")
    parser.add_argument("--gold", metavar="FILE", help="answers or retrieval gold to rewrite")
    parser.add_argument(
        "--write", metavar="FILE", help="the new gold set (GOLD.migrated.jsonl); must not exist"
    )
    parser.add_argument("--all", action="store_true", help="list every row, not just the first 10")
    add_output(parser)
    add_errors(parser)
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.engine.duck import Duck
    from ragstone.report.formats import write
    from ragstone.report.migration import build
    from ragstone.suites.retrieval.migrate import mapped, rewritten

    check_output(arguments)
    target = _target(arguments)
    with Duck(arguments.threads) as duck:
        old = _chunks(duck, arguments.old, "old")
        new = _chunks(duck, arguments.new, "new")
        gold = _lines(duck, arguments.gold, "gold", _gold_record) if arguments.gold else []
    found = mapped(old, new)
    items, changes = rewritten(gold, found, new)
    if target is not None:
        lines = (json.dumps(item, ensure_ascii=False) + "\n" for item in items)
        write(target, "".join(lines))
    limit = None if arguments.all else 10
    report = build(found, changes, (old, new, gold), limit)
    emit(report, arguments)
    return report.exit_code


def _target(arguments: argparse.Namespace) -> Path | None:
    if arguments.gold is None:
        if arguments.write is not None:
            raise InputError("--write needs --gold: there is no gold set to rewrite")
        return None
    given = Path(arguments.gold)
    target = Path(arguments.write or given.with_name(f"{given.name.split('.')[0]}.migrated.jsonl"))
    if target.exists():
        raise InputError(f"{target} exists and is not overwritten; name another with --write")
    if not target.parent.is_dir():
        raise InputError(f"{target}: the folder {target.parent} does not exist")
    return target


def _chunks(duck: Duck, given: str, what: str) -> list[dict[str, object]]:
    """The chunks of a manifest, in the order of their ids."""
    from ragstone.contracts.records.retrieval_records import MANIFEST

    found = _lines(duck, given, what, lambda duck, source: MANIFEST)
    return sorted(found, key=lambda line: str(line["id"]))


def _gold_record(duck: Duck, source: Source) -> Record:
    """Answers gold or retrieval gold; a file that is neither is refused as retrieval gold."""
    from ragstone.cli.check import record_by_fields
    from ragstone.contracts.records.gold_record import GOLD
    from ragstone.contracts.records.retrieval_records import RETRIEVAL_GOLD

    return GOLD if record_by_fields(duck, source) is GOLD else RETRIEVAL_GOLD


def _lines(
    duck: Duck, given: str, what: str, record_of: Callable[[Duck, Source], Record]
) -> list[dict[str, object]]:
    """The lines of the files, each file checked against its record."""
    from ragstone.cli.check import check
    from ragstone.contracts.diagnose import numbered
    from ragstone.contracts.sources import find
    from ragstone.contracts.strict_json import parse
    from ragstone.engine.read_lines import as_jsonl, lines_of

    made: list[dict[str, object]] = []
    for number, source in enumerate(find(given, what, duck.scratch)):
        plain = as_jsonl(duck, source)
        check(duck, plain, record_of(duck, plain), {}, f"{what}_{number}")
        for _, line in numbered(lines_of(duck, plain)):
            value = parse(line)
            if isinstance(value, dict):
                made.append(value)
    return made
