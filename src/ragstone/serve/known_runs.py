"""The runs of the ledger as pages look them up: only what is there, and never by a path.

Recordings and runs never change, so what was read once is kept, up to a limit.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragstone.errors import InputError
from ragstone.files import sha256_of
from ragstone.ledger.recording import Recording
from ragstone.ledger.run_store import FoundRun, RunStore, looks_like_a_digest
from ragstone.serve.page_fields import Missing

# Of a ledger with more recordings the newest are shown.
MOST = 5_000


@dataclass(frozen=True, slots=True)
class Looked:
    """What the ledger holds now, newest first; how many older ones and damaged ones there are."""

    recordings: tuple[Recording, ...]
    older: int
    damaged: int


class KnownRuns:
    """The ledger, read by as many threads as there are requests."""

    def __init__(self, store: RunStore) -> None:
        self.store = store
        self._read: dict[tuple[str, str], Recording | None] = {}
        self._checked: set[tuple[str, int, int]] = set()
        self._lock = threading.Lock()

    def look(self) -> Looked:
        """Every recording that there is, newest first."""
        named = [(name, digest) for digest in self.store.digests() for name in self._seen(digest)]
        named.sort(reverse=True)
        with self._lock:
            # What is gone from the ledger is gone from here.
            self._read = {key: self._read[key] for key in named[:MOST] if key in self._read}
            found = [self._recording(name, digest) for name, digest in named[:MOST]]
        good = tuple(each for each in found if each is not None)
        return Looked(good, max(len(named) - MOST, 0), len(found) - len(good))

    def _seen(self, digest: str) -> list[str]:
        return self.store.seen(digest) if looks_like_a_digest(digest) else []

    def _recording(self, name: str, digest: str) -> Recording | None:
        if (name, digest) not in self._read:
            try:
                self._read[name, digest] = self.store.recording(digest, name)
            except InputError:
                self._read[name, digest] = None
        return self._read[name, digest]

    def names(self) -> dict[str, list[str]]:
        """The accepted names of each run."""
        found: dict[str, list[str]] = {}
        for name, accepted in sorted(self.store.names().items()):
            found.setdefault(accepted.run, []).append(name)
        return found

    def find(self, word: str) -> FoundRun:
        """The run that a digest, its first characters, or an accepted name stands for."""
        digests = self.store.digests()
        accepted = self.store.names().get(word)
        fits = [accepted.run] if accepted else []
        if not fits and looks_like_a_digest(word):
            fits = [digest for digest in digests if digest.startswith(word)]
        if len(fits) > 1:
            raise Missing(404, "two runs begin like this: write more of the digest")
        if not fits or fits[0] not in digests or not self.store.has(fits[0]):
            raise Missing(404, "there is no such run; /runs lists those there are")
        called = word if accepted else fits[0][:8]
        return FoundRun(called, self.store.files, f"runs/{fits[0]}", self.store.place, fits[0])

    def rows_of(self, run: FoundRun, scratch: Path) -> dict[str, Path]:
        """By suite the file of its rows; one is held against what was recorded only once."""
        hashes, alone = run.hashes(), self._suite_of(run.digest)
        return {name or alone: self._local(run, name, hashes, scratch) for name in run.suites()}

    def _suite_of(self, digest: str) -> str:
        """The suite of a run of one suite, whose rows do not stand in a folder of its name."""
        every = self.look().recordings
        return next((each.suite for each in every if each.run == digest), "")

    def _local(self, run: FoundRun, suite: str, hashes: dict[str, str], scratch: Path) -> Path:
        name = f"{suite}/rows.parquet".lstrip("/")
        path = run.files.local(f"{run.folder}/{name}", scratch)
        try:
            said = path.stat()
        except OSError:
            raise InputError(f"{run.named(name)} does not exist: this is no whole run") from None
        key = (f"{run.digest}/{name}", said.st_size, said.st_mtime_ns)
        if key not in self._checked:
            if sha256_of(path) != hashes.get(name):
                raise InputError(f"{run.named(name)} is damaged: it is not what was recorded")
            with self._lock:
                self._checked = {*list(self._checked)[-MOST:], key}
        return path


def newest_of_each(recordings: Sequence[Recording]) -> list[Recording]:
    """The newest recording of each run, newest first."""
    found: dict[str, Recording] = {}
    for each in recordings:
        found.setdefault(each.run, each)
    return list(found.values())
