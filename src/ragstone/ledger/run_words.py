"""What a word stands for where a run is asked for: a path, an accepted name, `last`, or a digest's
first characters."""

from __future__ import annotations

import json
from pathlib import Path

from ragstone.errors import ConfigError, InputError
from ragstone.gates.judge import suggestion
from ragstone.ledger.run_files import FolderFiles
from ragstone.ledger.run_store import (
    FILES,
    SHORTEST,
    FoundRun,
    RunStore,
    looks_like_a_digest,
)

LAST = "last"


def find_run(word: str, store: RunStore, suite: str | None = None) -> FoundRun:
    """The run of a word; InputError where there is none, ConfigError where two fit.

    `last` is the newest recording, and of those that have a `suite` where one is named.
    """
    found = look_for_run(word, store, suite)
    if found is None:
        raise InputError(f"{word}: {_why_not(word, store)}")
    return found


def look_for_run(word: str, store: RunStore, suite: str | None = None) -> FoundRun | None:
    """The same, and None where no run fits."""
    fits: dict[str, FoundRun] = {}
    path = _as_folder(word)
    if path is not None:
        fits[f"the folder {word}"] = path
    accepted = store.accepted(word) if word.strip() else None
    if accepted is not None:
        fits[f"the name of {accepted.run[:SHORTEST]}"] = _of(store, accepted.run, word)
    if word == LAST:
        newest = store.newest(suite)
        if newest is not None:
            fits["the newest recording"] = _of(store, newest.run, newest.short)
    called, _, beginning = word.rpartition("@")
    if looks_like_a_digest(beginning):
        for digest in store.digests():
            if digest.startswith(beginning):
                run = _of(store, digest, called or digest[:SHORTEST])
                fits[f"the run {digest[:16]}"] = run
    if len({each.digest for each in fits.values()}) > 1:
        raise ConfigError(f"{word} fits two runs: {' and '.join(fits)}; write more of the one")
    return next(iter(fits.values()), None)


def named_digest(called: str, digest: str) -> str:
    """A word for a run under the name that it had, also when the name has been moved since.

    >>> named_digest("main", "0a1b2c3d")
    'main@0a1b2c3d'
    """
    return digest if digest.startswith(called) else f"{called}@{digest}"


def _of(store: RunStore, digest: str, called: str) -> FoundRun:
    if not store.has(digest):
        raise InputError(
            f"{called}: the run {digest[:SHORTEST]} is not in {store.place}: it was removed"
        )
    return FoundRun(called, store.files, f"runs/{digest}", store.place, digest)


def _as_folder(word: str) -> FoundRun | None:
    """A run's own folder, in a ledger or copied out of one."""
    try:
        path = Path(word)
        if not path.is_dir() or not (path / FILES).is_file():
            return None
        digest = json.loads((path / "report.json").read_bytes())["digest"]
    except (OSError, ValueError, KeyError, TypeError):
        # A name that is too long is no folder's, and a folder without a report is no run's.
        return None
    return FoundRun(path.resolve().name[:40], FolderFiles(path), "", word, str(digest))


def _why_not(word: str, store: RunStore) -> str:
    digests = store.digests()
    if not digests:
        return f"there is no run in {store.place}; --record keeps one"
    if word == LAST:
        return f"no recording in {store.place} has this suite"
    if word and set(word) <= set("0123456789abcdef") and len(word) < SHORTEST:
        return f"write at least {SHORTEST} characters of a digest; `ragstone runs` lists them"
    names = list(store.names())
    near = suggestion(word, names, "`ragstone runs` lists what there is") if names else ""
    return f"no run, name or folder is called that{near or '; `ragstone runs` lists what there is'}"
