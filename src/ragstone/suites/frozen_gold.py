"""Gold that was frozen is scored as it was frozen, or not at all.

Every suite passes here once its inputs are read, if a lock lies beside any of its gold files.
"""

from __future__ import annotations

from pathlib import Path

from ragstone.contracts.record import FieldMap
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.files import sha256_of
from ragstone.gates.gate import NOT_FROZEN
from ragstone.progress import counting
from ragstone.report.text import listed
from ragstone.suites.declaration import O, Work
from ragstone.suites.gold_lock import Difference, Lock, difference, read_lock
from ragstone.suites.lock_place import lock_beside

# So many qids are named in a message; of a lock that does not fit at all, a few are enough.
NAMED = 20


def must_be_frozen(work: Work[O]) -> None:
    """Refuses gold that its lock does not agree with; under --unfrozen the run is a look only."""
    changed = [
        (source, found)
        for given in work.suite.inputs
        if given.frozen
        for source in counting(work.sources.get(given.name, ()), "checking the lock", "files")
        if (found := since_frozen(work.duck, source, work.mapping(given.record)))
    ]
    if not changed:
        return
    if not work.options.unfrozen:
        raise InputError(_refusal(*changed[0], more=len(changed) - 1))
    work.unfrozen = True
    counts = "; ".join(found.counts for _, found in changed)
    work.warnings.append(f"{NOT_FROZEN}: gold has changed since it was frozen: {counts}")


def since_frozen(duck: Duck, source: Source, mapping: FieldMap) -> Difference:
    """What changed in a gold file since its lock was written; nothing where it has no lock."""
    path = lock_beside(source.name)
    if path is None:
        return Difference()
    lock = read_lock(path)
    if not is_of(lock, path, source.name):
        return Difference()
    return unlike(duck, source, mapping, lock)


def unlike(duck: Duck, source: Source, mapping: FieldMap, lock: Lock) -> Difference:
    """What changed in a gold file since the lock; one whose bytes are the same is not parsed."""
    if sha256_of(source.path) == lock.bytes:
        return Difference()
    from ragstone.suites.gold_items import item_hashes

    return difference(lock.items, item_hashes(duck, source, mapping))


def is_of(lock: Lock, path: Path, name: str) -> bool:
    """Whether a lock is that of the file: `gold.jsonl` and `gold.parquet` would have the same one.

    One whose own file is gone was written before the file was renamed or packed, and counts.
    """
    return lock.name == name_in_lock(name) or not path.with_name(lock.name).is_file()


def name_in_lock(name: str) -> str:
    """The name of a gold file as its lock has it: bytes that are no text are written out."""
    return Path(name).name.encode("utf-8", "backslashreplace").decode()


def named(found: Difference) -> str:
    """What changed, with the first qids of each kind.

    >>> named(Difference(added=("A7", "A8"), changed=("A1",)))
    '2 added (A7, A8), 1 changed (A1)'
    """
    kinds = (("added", found.added), ("removed", found.removed), ("changed", found.changed))
    return ", ".join(
        f"{len(qids):,} {word} ({listed(qids, limit=NAMED, length=80)})"
        for word, qids in kinds
        if qids
    )


def _refusal(source: Source, found: Difference, more: int) -> str:
    others = f" (so is {more} more file)" if more == 1 else f" (so are {more} more files)"
    return (
        f"{source.name} is not as it was frozen: {named(found)}{others if more else ''}; "
        f"`ragstone gold diff {source.name}` shows how, "
        f"`ragstone gold freeze {source.name} --who WHO --why WHY` signs it off, "
        "and --unfrozen only takes a look"
    )
