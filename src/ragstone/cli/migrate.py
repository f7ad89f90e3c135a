"""Carry ids over after re-chunking: map old chunks to new ones, and rewrite a gold set with them.
Nothing is overwritten: the new gold set is a new file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.check import items, record_by_fields
from ragstone.cli.common import check_output, emit
from ragstone.cli.flags import add_errors, add_output, also_writes, flag
from ragstone.contracts.record import Given
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.retrieval_records import MANIFEST, RETRIEVAL_GOLD
from ragstone.contracts.sources import find
from ragstone.errors import ConfigError, InputError
from ragstone.progress import counting, doing

if TYPE_CHECKING:
    from ragstone.engine.duck import Duck


# With about how long each takes beside the others.
_STEPS = {
    "old": 15,
    "new": 15,
    "gold": 10,
    "indexing": 20,
    "mapping": 20,
    "judging": 5,
    "rewriting": 10,
    "hashing": 10,
    "writing": 2,
}


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "OLD_MANIFEST", "the manifest of the index that the gold set was written for")
    flag(parser, "NEW_MANIFEST", "the manifest of the new index")
    flag(parser, "--gold FILE", "answers or retrieval gold to rewrite")
    flag(parser, "--all", "list every row, not just the first 10")
    add_output(parser, whole=True)
    also_writes(parser, "a .jsonl is the new gold set (GOLD.migrated.jsonl) and must not exist")
    add_errors(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.engine.duck import Duck
    from ragstone.files import write
    from ragstone.tools.migration import mapped, report_of, rewritten

    named = [name for name in arguments.output if name.lower().endswith(".jsonl")]
    arguments.output = [name for name in arguments.output if name not in named]
    check_output(arguments)
    target = _target(arguments.gold, named)
    with doing("migrate", steps=_STEPS):
        with Duck(arguments.threads) as duck:
            with doing("reading", step="old"):
                old = _chunks(duck, arguments.old_manifest, "old")
            with doing("reading", step="new"):
                new = _chunks(duck, arguments.new_manifest, "new")
            with doing("reading", step="gold"):
                gold = _gold(duck, arguments.gold) if arguments.gold else []
        found = mapped(old, new)
        new_gold, changes = rewritten(gold, found, new)
        if target is not None:
            items = counting(new_gold, f"writing {target}", "items", step="rewriting")
            write(target, "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items))
        report = report_of(found, changes, (old, new, gold), None if arguments.all else 10)
        emit(report, arguments, whole=True)
    return report.exit_code


def _target(gold: str | None, named: list[str]) -> Path | None:
    """Where the new gold set goes: what -o names, or a name beside the old one."""
    if gold is None:
        if named:
            raise InputError(f"-o {named[0]} needs --gold: there is no gold set to rewrite")
        return None
    if len(named) > 1:
        raise ConfigError(f"-o: there is one new gold set, and not {len(named)}")
    given = Path(gold)
    usual = given.with_name(f"{given.name.split('.')[0]}.migrated.jsonl")
    target = Path(named[0]) if named else usual
    if target.exists():
        raise InputError(f"{target} exists and is not overwritten; name another with -o")
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
