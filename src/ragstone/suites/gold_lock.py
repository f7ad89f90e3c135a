"""The lock beside a gold file: which items were frozen, and who signed that off and why.

An item is hashed as it was parsed, so neither the order of lines nor the spelling of JSON matters.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from ragstone.contracts.not_json import NotJson
from ragstone.contracts.strict_json import parse
from ragstone.errors import InputError
from ragstone.report.text import HIDDEN
from ragstone.suites.digest import canonical

# Raised when an older reader could misread a newer lock.
FORMAT = 1
_HASH = re.compile(r"[0-9a-f]{64}")
_MEND = "take it from version control, or remove it and freeze the gold set again"


@dataclass(frozen=True, slots=True)
class Freeze:
    """One sign-off: who, why and when as given, and what it changed."""

    who: str
    why: str
    at: str
    hash: str
    added: int
    removed: int
    changed: int


@dataclass(frozen=True, slots=True)
class Lock:
    """What a lock says: the gold file's name, the SHA-256 of its bytes, and the hash of each item.

    The bytes only save the work of parsing a file that nobody has touched.
    """

    name: str
    bytes: str
    freezes: tuple[Freeze, ...]
    items: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """The qids in which two sets of items differ, sorted."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    @property
    def counts(self) -> str:
        """
        >>> Difference(added=("a",), changed=("b", "c")).counts
        '1 added, 2 changed'
        """
        named = [(name, len(getattr(self, name))) for name in ("added", "removed", "changed")]
        return ", ".join(f"{count:,} {name}" for name, count in named if count) or "nothing changed"


def item_hash(item: object) -> str:
    """The SHA-256 of the item's canonical JSON."""
    try:
        return hashlib.sha256(canonical(item)).hexdigest()
    except ValueError:
        # A field that nobody reads may hold a number beyond all floats, such as 1e999.
        plain = json.dumps(item, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(plain.encode()).hexdigest()


def hash_of(items: Mapping[str, str]) -> str:
    """The hash of a gold file: over the sorted hashes of its items."""
    return hashlib.sha256("\n".join(sorted(items.values())).encode()).hexdigest()


def difference(before: Mapping[str, str], now: Mapping[str, str]) -> Difference:
    """What became of the items, by their hashes."""
    if before == now:
        return Difference()
    both = before.keys() & now.keys()
    return Difference(
        tuple(sorted(now.keys() - before.keys())),
        tuple(sorted(before.keys() - now.keys())),
        tuple(sorted(qid for qid in both if before[qid] != now[qid])),
    )


def frozen(
    name: str, digest: str, items: Mapping[str, str], old: Lock | None, signed: tuple[str, str, str]
) -> Lock:
    """The lock of a file with these items, frozen by who, why and when, after the freezes before.

    `name` is that of the file in the lock, and `digest` the SHA-256 of its bytes.
    """
    found = difference(old.items if old else {}, items)
    counts = (len(found.added), len(found.removed), len(found.changed))
    made = Freeze(*signed, hash_of(items), *counts)
    return Lock(name, digest, (*(old.freezes if old else ()), made), items)


def written(lock: Lock) -> Iterable[bytes]:
    """The lock as JSON with a freeze and an item on a line each: a diff of two shows what changed.

    The lines are given one by one, so that a million items are never one text.
    """
    file = {
        "name": lock.name,
        "items": len(lock.items),
        "hash": hash_of(lock.items),
        "bytes": lock.bytes,
    }
    yield _encoded(f'{{\n  "format": {FORMAT},\n  "file": {_json(file)},\n  "freezes": [\n')
    yield _encoded(",\n".join(f"    {_json(asdict(freeze))}" for freeze in lock.freezes))
    yield b'\n  ],\n  "items": {'
    between = "\n"
    for qid in sorted(lock.items):
        yield _encoded(f'{between}    {_json(qid)}: "{lock.items[qid]}"')
        between = ",\n"
    yield b"\n  }\n}\n"


def _json(value: object) -> str:
    """JSON on one line in which no character acts on a terminal or a page."""
    text = json.dumps(value, ensure_ascii=False)
    return HIDDEN.sub(lambda match: json.dumps(match.group())[1:-1], text)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8")


def read_lock(path: Path) -> Lock:
    """The lock of a file; InputError says in one sentence what is wrong with it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    try:
        whole = parse(data.removeprefix(b"\xef\xbb\xbf"), explain=False)
    except NotJson as error:
        raise _damaged(path, "it is not JSON" if str(error) == "not JSON" else str(error)) from None
    if not isinstance(whole, dict):
        raise _damaged(path, "it is no object")
    format_ = whole.get("format")
    if isinstance(format_, int) and format_ > FORMAT:
        raise InputError(
            f"{path} has format {format_}, and this version of ragstone reads {FORMAT}; "
            "install a newer one"
        )
    if format_ != FORMAT or isinstance(format_, bool):
        raise _damaged(path, f"its format is not {FORMAT}")
    return _checked(path, whole)


def _is_name(name: str) -> bool:
    """Whether a file beside the lock can have it.

    >>> [_is_name(name) for name in ("gold.jsonl", "", "..", "a/gold.jsonl", "x" * 256)]
    [True, False, False, False, False]
    """
    long = len(name.encode(errors="replace")) > 255
    return not long and name not in ("", ".", "..") and not {"/", "\0"} & {*name}


def _checked(path: Path, whole: Mapping[str, object]) -> Lock:
    file, freezes, items = (whole.get(name) for name in ("file", "freezes", "items"))
    if not isinstance(file, dict) or not all(
        isinstance(file.get(name), str) for name in ("name", "hash", "bytes")
    ):
        raise _damaged(path, "it does not say which file it is of")
    if not _is_name(file["name"]):
        raise _damaged(path, "what it is of is no name of a file")
    if not isinstance(freezes, list) or not freezes or not all(map(_is_freeze, freezes)):
        raise _damaged(path, "it does not say who froze the gold set and why")
    if not isinstance(items, dict) or not all(
        isinstance(each, str) and _HASH.fullmatch(each) for each in items.values()
    ):
        raise _damaged(path, "it has no hash of each item")
    if file.get("items") != len(items) or file["hash"] != hash_of(items):
        raise _damaged(path, "the hash of the file is not that of its items")
    made = tuple(Freeze(**freeze) for freeze in freezes)
    return Lock(file["name"], file["bytes"], made, items)


def _is_freeze(value: object) -> bool:
    kinds = {field.name: int if field.type == "int" else str for field in fields(Freeze)}
    return (
        isinstance(value, dict)
        and value.keys() == kinds.keys()
        and all(type(value[name]) is kind for name, kind in kinds.items())
    )


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"the lock {path} is damaged: {why}; {_MEND}")
