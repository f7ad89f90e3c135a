"""Carry ids over after re-chunking: map old chunks to new ones, and rewrite a gold set with them.
Nothing is overwritten: the new gold set is a new file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.check import items, record_by_fields
from ragstone.cli.common import check_output, emit
from ragstone.cli.flags import add_errors, add_output, flag
from ragstone.contracts.record import Given
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.retrieval_records import MANIFEST, RETRIEVAL_GOLD
from ragstone.contracts.sources import find
from ragstone.errors import InputError

if TYPE_CHECKING:
    from ragstone.engine.duck import Duck


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "OLD_MANIFEST", "the manifest the gold set speaks of")
    flag(parser, "NEW_MANIFEST", "the manifest of the new index")
    flag(parser, "--gold FILE", "answers or retrieval gold to rewrite")
    flag(parser, "--write FILE", "the new gold set (GOLD.migrated.jsonl); must not exist")
    flag(parser, "--all", "list every row, not just the first 10")
    add_output(parser)
    add_errors(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.engine.duck import Duck
    from ragstone.files import write
    from ragstone.tools.migration import mapped, report_of, rewritten

    check_output(arguments)
    target = _target(arguments)
    with Duck(arguments.threads) as duck:
        old = _chunks(duck, arguments.old_manifest, "old")
        new = _chunks(duck, arguments.new_manifest, "new")
        gold = _gold(duck, arguments.gold) if arguments.gold else []
    found = mapped(old, new)
    new_gold, changes = rewritten(gold, found, new)
    if target is not None:
        lines = (json.dumps(item, ensure_ascii=False) + "\n" for item in new_gold)
        write(target, "".join(lines))
    report = report_of(found, changes, (old, new, gold), None if arguments.all else 10)
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
    found = items(duck, find(given, what, duck.scratch), MANIFEST, Given(), filled=True)
    return sorted(found, key=lambda line: str(line["id"]))


def _gold(duck: Duck, given: str) -> list[dict[str, object]]:
    """Answers gold or retrieval gold; a file that is neither is refused as retrieval gold."""
    made: list[dict[str, object]] = []
    for source in find(given, "gold", duck.scratch):
        record = GOLD if record_by_fields(duck, source) is GOLD else RETRIEVAL_GOLD
        made += items(duck, [source], record, Given(), filled=True)
    return made
