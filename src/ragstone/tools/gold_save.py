"""Saves items into a gold file: on top of what was read, whole or not at all, and signed off.

The file is locked while it is saved, by a lock on its folder that the kernel frees. Whoever began
with an older version of it is told so, with the new one. A gold set with a lock file is frozen
again in the same step: the gold file is renamed first, so that a kill between the two leaves a gold
set that its lock does not agree with, which every command says.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ragstone.contracts.sources import Source, find
from ragstone.errors import InputError
from ragstone.file_lock import lock
from ragstone.files import sha256_of, target_of, write_files
from ragstone.scratch import folder
from ragstone.suites.frozen_gold import is_of, name_in_lock, named
from ragstone.suites.gold_lock import (
    Difference,
    Lock,
    difference,
    frozen,
    item_hash,
    read_lock,
    written,
)
from ragstone.suites.lock_place import lock_beside, lock_path
from ragstone.tools.gold_diff import GoldDiff, diff
from ragstone.tools.gold_text import GoldText, Item, gold_text, with_items

NOTHING = Difference()
# A save takes as long as reading the file; whoever holds the lock longer has been stopped.
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class OpenGold:
    """A gold file as it was read: its bytes and items, and the lock beside it if there is one.

    `unlike` is what changed since the lock was written, which somebody has yet to sign off.
    """

    name: str
    text: GoldText
    digest: str
    lock: Lock | None = None
    unlike: Difference = NOTHING

    @property
    def items(self) -> Mapping[str, Item]:
        return self.text.items

    @property
    def retrieval(self) -> bool:
        return self.text.retrieval


@dataclass(frozen=True, slots=True)
class SignOff:
    """Who signs a saved gold set off, why, and on which day."""

    who: str
    why: str
    at: str


@dataclass(frozen=True, slots=True)
class Saved:
    """What a save did: the file as it is now, what changed in it, and the lock if it has one.

    `kept_as` names files that were in its place, with the names they have now.
    """

    gold: OpenGold
    changed: GoldDiff
    lock: Path | None
    kept_as: Mapping[str, str] = field(default_factory=dict)


class GoldChanged(InputError):
    """The file is not what the work began with; `now` is what it is."""

    def __init__(self, now: OpenGold) -> None:
        super().__init__(f"{now.name} has changed since you began: nothing was saved")
        self.now = now


def open_gold(name: str, *, new: bool = False, allowed: Collection[str] = ()) -> OpenGold:
    """A gold file that items can be saved into; InputError says why another one cannot.

    With `new`, a file that does not exist is one without items.
    """
    if name == "-" or "://" in name:
        raise InputError(f"{name}: items are saved into a file of this machine; give its path")
    if new and not os.path.lexists(name):
        return OpenGold(name, gold_text(name, b"", allowed), "")
    with folder() as scratch:
        sources = find(name, "gold", scratch)
        if len(sources) != 1:
            raise InputError(f"{name} matches {len(sources)} files; items are saved into one")
        (source,) = sources
        _must_be_lines(source)
        try:
            data = source.path.read_bytes()
        except OSError as error:
            said = error.strerror or type(error).__name__
            raise InputError(f"gold file {name} cannot be read: {said}") from None
    text = gold_text(source.name, data, allowed)
    path = lock_beside(source.name)
    lock = read_lock(path) if path is not None else None
    if lock is not None and path is not None and not is_of(lock, path, source.name):
        lock = None
    unlike = difference(lock.items, _hashes(text.items)) if lock else NOTHING
    return OpenGold(source.name, text, sha256_of(data), lock, unlike)


def _must_be_lines(source: Source) -> None:
    source.must_be_readable()
    if source.parquet or source.compression != "none" or source.form != "lines":
        kind = "a Parquet file" if source.parquet else _KINDS.get(source.form, "a packed file")
        raise InputError(
            f"{source.name} is {kind}: items are saved into JSON Lines that are not packed, one "
            "object a line"
        )


_KINDS = {"array": "a JSON array", "csv": "a table", "tsv": "a table"}


def _hashes(items: Mapping[str, Item]) -> dict[str, str]:
    return {qid: item_hash(item) for qid, item in items.items()}


def changed_by(gold: OpenGold, items: Sequence[Mapping[str, object]]) -> GoldDiff:
    """What saving these items would change."""
    # Only these are looked at: to compare all fields of all items takes longer than the save.
    after = {str(item["qid"]): item for item in items}
    return diff({qid: gold.items[qid] for qid in after if qid in gold.items}, after)


def save(
    name: str,
    items: Sequence[Mapping[str, object]],
    since: str,
    sign: SignOff,
    *,
    freeze: bool = False,
    new: bool = False,
    allowed: Collection[str] = (),
) -> Saved:
    """Puts items into a gold file that is still what `since` is the digest of.

    GoldChanged where it is not. A frozen gold set is frozen again; with `freeze` also another.
    """
    with _locked(target_of(name).parent):
        gold = open_gold(name, new=new, allowed=allowed)
        if gold.digest != since:
            raise GoldChanged(gold)
        _must_take(gold, sign)
        changed = changed_by(gold, items)
        data = with_items(gold.text, items)
        now = gold_text(gold.name, data, allowed)
        files: dict[str | Path, Sequence[bytes]] = {gold.name: (data,)}
        lock = None
        if gold.lock is not None or freeze:
            lock = _lock(gold, now, sha256_of(data), sign)
            files[lock_path(gold.name)] = [*written(lock)]
        if data != gold.text.data or (lock is not None and gold.lock is None):
            write_files(files)
    saved = OpenGold(gold.name, now, sha256_of(data), lock)
    return Saved(saved, changed, lock_path(gold.name) if lock is not None else None)


def _lock(gold: OpenGold, now: GoldText, digest: str, sign: SignOff) -> Lock:
    signed = (sign.who, sign.why, sign.at)
    return frozen(name_in_lock(gold.name), digest, _hashes(now.items), gold.lock, signed)


def save_as(
    name: str,
    gold: OpenGold,
    items: Sequence[Mapping[str, object]],
    sign: SignOff,
    *,
    freeze: bool = False,
) -> Saved:
    """The gold set with these items in another file; what was there is kept beside it."""
    data = with_items(gold.text, items)
    copy = OpenGold(name, gold_text(name, data, gold.text.allowed), sha256_of(data))
    lock = _lock(copy, copy.text, copy.digest, sign) if freeze else None
    files: dict[str | Path, Sequence[bytes]] = {name: (data,)}
    if lock is not None:
        files[lock_path(name)] = [*written(lock)]
    kept_as = write_files(files, may_replace=())
    changed = changed_by(gold, items)
    return Saved(replace(copy, lock=lock), changed, lock_path(name) if lock else None, kept_as)


def not_signed_off(gold: OpenGold) -> str:
    """Why nothing is saved on top of changes that nobody has signed off, and what to do."""
    if not gold.unlike:
        return ""
    return (
        f"{gold.name} is not as it was frozen: {named(gold.unlike)}; a save would sign that off "
        f"too: `ragstone gold diff {gold.name}` shows it, and `ragstone gold freeze {gold.name} "
        "--who WHO --why WHY` signs it off"
    )


def _must_take(gold: OpenGold, sign: SignOff) -> None:
    if gold.unlike:
        raise InputError(not_signed_off(gold))
    path = lock_path(gold.name)
    if gold.lock is None and path.is_file():
        raise InputError(f"{path} is the lock of another file; give one of the two another name")
    if not sign.who.strip():
        raise InputError("who saves this? A gold set says who took each item over")
    for file in (target_of(gold.name), target_of(path)):
        # A rename would replace it all the same, and root may write anything.
        if file.exists() and not file.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
            raise InputError(f"{file} is read-only: make it writable (chmod u+w) to save into it")


@contextmanager
def _locked(place: Path) -> Iterator[None]:
    """Inside, no other save works in the folder; where there are no locks, nothing is held."""
    try:
        descriptor = os.open(place, os.O_RDONLY | _CLOEXEC)
    except OSError:
        # A folder that is not there is told of by whoever writes into it.
        yield
        return
    try:
        end = time.monotonic() + _SECONDS
        # Where there is no lock, the digest is looked at all the same.
        while lock(descriptor) is False:
            if time.monotonic() > end:
                held = f"another program has been saving into {place} for {_SECONDS:g} seconds"
                raise InputError(f"{held}; nothing was saved")
            time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)
