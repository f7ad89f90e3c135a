"""Where live records are kept: a folder with a lock, a journal that is written to, and segments.

```
DATA/lock                      held by the one server that uses the folder
DATA/journals/000000012.journal  the last records, as they came
DATA/segments/000000011.parquet  those before
```
A record is stored once its batch is synced to the journal. On start, the end of the last journal
that was torn by a crash is cut off: nobody was told that it is stored.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path

from ragstone.errors import InputError
from ragstone.serve.folder_lock import FolderLock, sync_folder
from ragstone.serve.frames import Batch, Stored, batches_in, whole_end
from ragstone.serve.group_commit import GroupCommit, Incoming, Receipt
from ragstone.serve.journal_file import SUFFIX, JournalFile, NotStored
from ragstone.serve.known_ids import REMEMBERED, KnownIds
from ragstone.serve.segments import (
    SEGMENT,
    forget_in,
    ids_in,
    newest_arrival,
    records_in,
    segments_in,
    traces_asked,
    write_segment,
)

# A journal of this size, or one this old, is closed and becomes a segment.
JOURNAL_SIZE = 64 * 1024 * 1024
JOURNAL_SECONDS = 3600.0

Hears = Callable[[list[tuple[Stored, str]]], None]


def _hear_nothing(new: list[tuple[Stored, str]]) -> None:
    """For a store that nobody listens to."""


class LiveStore:
    """The records of a folder. `hears` is told of every record once it is stored."""

    def __init__(
        self, folder: Path, hears: Hears = _hear_nothing, *, journal_size: int = JOURNAL_SIZE
    ) -> None:
        self.folder = folder
        self._journals, self._segments = folder / "journals", folder / "segments"
        self._size = journal_size
        self._lock = FolderLock(_made(folder))
        self._lock.take()
        try:
            for part in (self._journals, self._segments):
                _made(part)
            self.known = KnownIds()
            self._recover()
            self._current = JournalFile(self._journal_path(self._next_number()))
            self._opened = time.monotonic()
        except BaseException:
            self._lock.release()
            raise
        # The journal is written under the first; segments change under the second, which whoever
        # writes never waits for.
        self._writing, self._sealing = threading.Lock(), threading.RLock()
        self._commit = GroupCommit(self._append, self.known, hears)

    def submit(self, incoming: Incoming) -> Future[Receipt]:
        """The receipt of a batch, once it is on the disk."""
        return self._commit.submit(incoming)

    @property
    def waiting(self) -> int:
        return self._commit.waiting

    @property
    def broken(self) -> str:
        """Why nothing is stored any more; "" while all is well."""
        return self._commit.broken

    def _append(self, batches: list[Batch]) -> None:
        with self._writing:
            old = time.monotonic() - self._opened > JOURNAL_SECONDS
            if self._current.durable and (old or self._current.durable > self._size):
                self._begin_journal()
            self._current.append(batches)

    def _begin_journal(self) -> None:
        """Closes the journal and begins the next; the old one stays where that fails."""
        try:
            begun = JournalFile(self._journal_path(self._next_number()))
        except OSError as error:
            raise NotStored(error) from error
        self._current.close()
        self._current, self._opened = begun, time.monotonic()

    def seal(self) -> int:
        """Makes segments of the journals that are closed; says how many."""
        made = 0
        with self._sealing:
            for path in journals_in(self._journals):
                if path == self._current.path:
                    break
                _seal(path, self._segments)
                made += 1
        return made

    def forget(self, ids: Sequence[str]) -> int:
        """Takes the records of these questions or traces off the disk, wherever they stand."""
        with self._writing:
            if self._current.durable:
                self._begin_journal()
        with self._sealing:
            self.seal()
            segments = segments_in(self._segments)
            every = sorted({*ids, *traces_asked(segments, ids)})
            return sum(forget_in(path, every) for path in segments)

    def remove_before(self, moment: int) -> int:
        """Removes segments whose last record came in before a moment; says how many."""
        removed = 0
        with self._sealing:
            for path in segments_in(self._segments):
                if newest_arrival(path) >= moment:
                    break
                path.unlink()
                removed += 1
            if removed:
                sync_folder(self._segments)
        return removed

    def records(self, since: int = 0, until: int = 2**62) -> Iterator[Stored]:
        """Every record with a moment in a span of milliseconds, each once.

        Segments do not change while it runs.
        """
        seen: set[str] = set()
        with self._sealing:
            for record in self._every(since, until):
                if record.id not in seen:
                    seen.add(record.id)
                    yield record

    def _every(self, since: int, until: int) -> Iterator[Stored]:
        yield from records_in(segments_in(self._segments), since, until)
        for path in journals_in(self._journals):
            for batch in batches_in(path):
                for record in batch.records:
                    if since <= record.moment < until:
                        yield record

    def close(self) -> None:
        """Stores what waits, and lets go of the folder."""
        self._commit.close()
        self._current.close()
        self._lock.release()

    def _recover(self) -> None:
        """Cuts off a torn end, makes segments of what is left, and learns which ids are known."""
        journals = journals_in(self._journals)
        for path in journals:
            if (self._segments / f"{path.stem}{SEGMENT}").exists():
                path.unlink()
                continue
            end = whole_end(path)
            if end < path.stat().st_size:
                if path != journals[-1]:
                    raise InputError(
                        f"{path} ends in the middle of a batch, and it is not the last journal; "
                        "restore it from a copy, or move it away to go on without it"
                    )
                _cut(path, end)
            if not end:
                path.unlink()
                continue
            _seal(path, self._segments)
        self.known.add(ids_in(segments_in(self._segments), REMEMBERED))

    def _next_number(self) -> int:
        numbers = [*journals_in(self._journals), *segments_in(self._segments)]
        return max((int(path.stem) for path in numbers), default=0) + 1

    def _journal_path(self, number: int) -> Path:
        return self._journals / f"{number:09}{SUFFIX}"


def journals_in(folder: Path) -> list[Path]:
    """The journals of a folder, oldest first."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def _seal(journal: Path, segments: Path) -> None:
    write_segment(segments / f"{journal.stem}{SEGMENT}", batches_in(journal))
    journal.unlink()
    sync_folder(journal.parent)


def _cut(path: Path, end: int) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.ftruncate(descriptor, end)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
    except OSError as error:
        said = (error.strerror or "").lower()
        raise InputError(f"the folder {folder} cannot be made: {said}") from None
    return folder
