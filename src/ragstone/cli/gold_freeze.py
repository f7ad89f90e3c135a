"""`ragstone gold freeze` and `verify`: who signed off the gold set as it is, and whether it still
is so."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.check import check
from ragstone.cli.common import as_json, config_of, one_gold_file, say
from ragstone.cli.flags import add_errors, add_json, add_map, flag, utf8
from ragstone.contracts.record import FieldMap, Given, Record, look_up, mapping_of
from ragstone.errors import ConfigError, InputError
from ragstone.progress import counting, doing
from ragstone.suites.config_file import mapping_in
from ragstone.suites.registry import suites

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.engine.duck import Duck
    from ragstone.suites.gold_lock import Difference, Lock


@dataclass(frozen=True, slots=True)
class GoldFile:
    """One gold file that keeps its contract, and how its fields are called."""

    duck: Duck
    source: Source
    mapping: FieldMap

    @property
    def name(self) -> str:
        return self.source.name


def configure_freeze(parser: argparse.ArgumentParser) -> None:
    flag(parser, "GOLD", "the gold set (paths.gold)", nargs="?")
    flag(parser, "--who WHO", "who signs it off", type=utf8)
    flag(parser, "--why WHY", "why it is right as it is", type=utf8)
    flag(parser, "--as-of DATE", "the date of the sign-off, as in 2026-01-31 (default: today, UTC)")
    _add_rest(parser)


def configure_verify(parser: argparse.ArgumentParser) -> None:
    flag(parser, "GOLD", "the gold set (paths.gold)", nargs="?")
    _add_rest(parser)


def _add_rest(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    add_map(parser)
    add_errors(parser)


def freeze(arguments: argparse.Namespace) -> int:
    from ragstone.files import sha256_of, write_lines
    from ragstone.suites.frozen_gold import name_in_lock
    from ragstone.suites.gold_items import item_hashes
    from ragstone.suites.gold_lock import difference, frozen, written
    from ragstone.suites.lock_place import lock_path

    who, why = (_told(arguments, name) for name in ("who", "why"))
    at = _day(arguments.as_of)
    steps = {"checking": 10, "hashing": 70, "writing": 20}
    with doing("gold freeze", steps=steps), one_gold(arguments, "freeze") as gold:
        path = lock_path(gold.name)
        old = _lock_of(gold, path) if path.exists() else None
        with doing("hashing", step="hashing"):
            items = item_hashes(gold.duck, gold.source, gold.mapping)
        found = difference(old.items if old else {}, items)
        if found or old is None:
            digest = sha256_of(gold.source.path)
            lock = frozen(name_in_lock(gold.name), digest, items, old, (who, why, at))
            lines = counting(written(lock), f"writing {path}", "lines", len(items), step="writing")
            write_lines(path, lines)
    _tell_frozen(arguments, path, found, len(items), wrote=bool(found or old is None))
    return 0


def _told(arguments: argparse.Namespace, name: str) -> str:
    given = (getattr(arguments, name) or "").strip()
    if not given:
        raise ConfigError(
            f"--{name} is needed: a freeze says who signs the gold set off, and why it is right"
        )
    return str(given)


def _day(given: str | None) -> str:
    if given is None:
        return datetime.now(UTC).date().isoformat()
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError:
        raise ConfigError(f"--as-of {given!r}: expected a date, as in 2026-01-31") from None


def _tell_frozen(
    arguments: argparse.Namespace, path: Path, found: Difference, items: int, *, wrote: bool
) -> None:
    from ragstone.report.text import counted, visible

    if arguments.json:
        changed = {name: len(qids) for name, qids in asdict(found).items()}
        say(as_json({"lock": str(path), "items": items, "written": wrote, **changed}))
    elif not wrote:
        say("nothing changed since the last freeze, and nothing was written")
    elif not arguments.quiet:
        say(f"froze {counted(items, 'item')}: {found.counts}")
        say(visible(f"wrote {path}"))


def verify(arguments: argparse.Namespace) -> int:
    from ragstone.suites.frozen_gold import unlike
    from ragstone.suites.lock_place import lock_path

    with (
        doing("gold verify", steps={"reading": 1.0}),
        one_gold(arguments, "verify", checked=False) as gold,
    ):
        path = lock_path(gold.name)
        if not path.exists():
            raise InputError(
                f"{gold.name} is not frozen: there is no {path}; `ragstone gold freeze` writes it"
            )
        lock = _lock_of(gold, path)
        gold.source.must_be_readable()
        with doing("reading", step="reading"):
            found = unlike(gold.duck, gold.source, gold.mapping, lock)
    _tell_verified(arguments, gold.name, lock, found)
    return 1 if found else 0


def _tell_verified(arguments: argparse.Namespace, name: str, lock: Lock, found: Difference) -> None:
    from ragstone.report.text import counted, visible
    from ragstone.suites.frozen_gold import NAMED, named
    from ragstone.suites.gold_lock import hash_of

    last = lock.freezes[-1]
    if arguments.json:
        made = {
            "file": name,
            "frozen": not found,
            "items": len(lock.items),
            "hash": hash_of(lock.items),
            "last": {"who": last.who, "why": last.why, "at": last.at},
            **{
                kind: {"count": len(qids), "first": list(qids[:NAMED])}
                for kind, qids in asdict(found).items()
            },
            "pass": not found,
        }
        say(as_json(made))
        return
    signed = f"frozen by {last.who} on {last.at}: {last.why}"
    if found:
        say(visible(f"{name} is not as it was frozen: {named(found)}"))
    elif not arguments.quiet:
        say(visible(f"{name} is as it was frozen: {counted(len(lock.items), 'item')}"))
    if not arguments.quiet:
        say(visible(signed))


def _lock_of(gold: GoldFile, path: Path) -> Lock:
    """The lock beside a gold file, which must be its own."""
    from ragstone.suites.frozen_gold import is_of
    from ragstone.suites.gold_lock import read_lock

    lock = read_lock(path)
    if not is_of(lock, path, gold.name):
        raise InputError(
            f"{path} is the lock of {lock.name}, which is beside {gold.name} too; "
            "give one of the two another name"
        )
    return lock


@contextmanager
def one_gold(
    arguments: argparse.Namespace, doing: str, *, checked: bool = True
) -> Iterator[GoldFile]:
    """The one gold file of the command line or of ragstone.toml; `checked` by its contract."""
    from ragstone.engine.duck import Duck

    config = config_of(arguments)
    given = mapping_in(config, arguments)
    with Duck(arguments.threads) as duck:
        (source,) = one_gold_file(arguments, config, duck.scratch, doing)
        if source.name.startswith("<"):
            raise InputError(f"{doing}: standard input has no lock; give the gold set as a file")
        yield gold_file(duck, source, given, checked=checked)


def gold_file(duck: Duck, source: Source, given: Given, *, checked: bool = True) -> GoldFile:
    """A gold file of any suite, by the fields of its first line."""
    from ragstone.contracts.sources import size_of

    record = _record(duck, source, given)
    mapping = {} if record is None else mapping_of(record, given)
    if checked and record is not None:
        with doing("checking", size_of((source,)), "B", duck.share, step="checking"):
            check(duck, source, record, mapping, "checked")
    return GoldFile(duck, source, mapping)


def _record(duck: Duck, source: Source, given: Given) -> Record | None:
    """What the gold file is a file of; None for judgments, whose lines have no fields."""
    from ragstone.contracts.sources import lines_of
    from ragstone.contracts.table_files import TABLES, shaped, table_rows
    from ragstone.engine.parquet_files import as_jsonl

    plain = as_jsonl(duck, source)
    mappings = {record: mapping_of(record, given) for record in _gold_records()}
    tables: list[Record] = []
    for record, mapping in mappings.items():
        shape, _ = shaped(lines_of(plain), mapping)
        if shape in ("qrels", "beir"):
            return None
        if shape in TABLES and shape != "jsonl" and record.tables:
            tables.append(record)
    if tables and source.form == "lines":
        return tables[0]
    # A file without a line that can be read is refused by the contract of any.
    first = next(table_rows(source.name, lines_of(plain), {}), None)
    if first is None:
        return next(iter(mappings))
    fits = {record: _fit(record, mapping, first) for record, mapping in mappings.items()}
    best = max(fits, key=lambda record: fits[record])
    if fits[best] < 1 and tables:
        return tables[0]
    if fits[best] < 1:
        raise InputError(f"{source.name} is no gold set: its first line is no item of one")
    return best


def _gold_records() -> list[Record]:
    """The records of gold: those of the inputs that can be frozen."""
    every = (given for suite in suites() for given in suite.inputs if given.frozen)
    return list(
        {given.record.name: given.record for given in every if given.record.fields}.values()
    )


def _fit(record: Record, mapping: FieldMap, item: dict[str, object]) -> int:
    """How many fields of the record an item has, less the required ones that it lacks."""
    there = {f.name for f in record.fields if look_up(f, item, mapping)[1] is not None}
    needed = {field.name for field in record.fields if field.required}
    return len(there - {"qid"}) - len(needed - there)
