"""Where live records are kept: a folder with a lock, a journal that is written to, and segments.

```
DATA/lock                      held by the one server that uses the folder
DATA/journals/000000012.journal  the last records, as they came
DATA/segments/000000011.parquet  those before
DATA/aside/000000010.journal.0a1b2c3d  what could not be read
```
A record is stored once its batch is synced to the journal. On start, what of a journal or segment
cannot be read is moved to `aside`: the end that a crash tore, of which nobody was told that it is
stored, and what a bad disk damaged.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from itertools import chain
from pathlib import Path

from ragstone.errors import InputError
from ragstone.files import sync_folder
from ragstone.own_files import Aside, make_own_folder, open_own, own_files
from ragstone.serve.folder_lock import FolderLock
from ragstone.serve.frames import Batch, Stored, batches_in, is_journal, unread_in
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
from ragstone.worker import Troubles, say

# A journal of this size, or one this old, is closed and becomes a segment.
JOURNAL_SIZE = 64 * 1024 * 1024
JOURNAL_SECONDS = 3600.0

_NAME = re.compile(r"[0-9]{9,18}\.journal")

Hears = Callable[[list[tuple[Stored, str]]], None]


def _hear_nothing(new: list[tuple[Stored, str]]) -> None:
    """For a store that nobody listens to."""


class LiveStore:
    """The records of a folder. `hears` is told of every record once it is stored."""

    def __init__(
        self,
        folder: Path,
        hears: Hears = _hear_nothing,
        troubles: Troubles | None = None,
        *,
        journal_size: int = JOURNAL_SIZE,
    ) -> None:
        self.folder, self.aside = make_own_folder(folder, named=True), Aside(folder)
        self._troubles = troubles or Troubles()
        self._journals, self._segments = folder / "journals", folder / "segments"
        self._size = journal_size
        self._lock = FolderLock(folder)
        self._lock.take()
        try:
            for part in (self._journals, self._segments):
                make_own_folder(part)
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
        self._commit = GroupCommit(self._append, self.known, hears, self._troubles)

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
            if self._current.size and (old or self._current.size > self._size):
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
                made += self._seal(path)
        return made

    def meant_by(self, ids: Sequence[str]) -> list[str]:
        """Names of questions or traces, and the traces whose spans ask one of these questions."""
        with self._writing:
            if self._current.size:
                self._begin_journal()
        with self._sealing:
            self.seal()
            asked = traces_asked(segments_in(self._segments), ids, self._spoiled)
        return sorted({*ids, *asked})

    def forget(self, ids: Sequence[str]) -> int:
        """Takes the records of these questions or traces off the disk, wherever they stand."""
        every = self.meant_by(ids)
        with self._sealing:
            segments = segments_in(self._segments)
            return sum(forget_in(path, every, self._spoiled) for path in segments)

    def remove_before(self, moment: int) -> int:
        """Removes segments whose last record came in before a moment; says how many."""
        removed = 0
        with self._sealing:
            for path in segments_in(self._segments):
                newest = newest_arrival(path, self._spoiled)
                if newest is None:
                    continue
                if newest >= moment:
                    break
                path.unlink()
                removed += 1
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
        yield from records_in(segments_in(self._segments), since, until, self._spoiled)
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
        """Makes segments of the journals, sets aside what is no record, and learns the ids."""
        for path in journals_in(self._journals):
            if not is_journal(path):
                if path.stat().st_size:
                    say(f"{path} is no journal of ragstone; it is left as it is")
            elif (self._segments / f"{path.stem}{SEGMENT}").exists():
                path.unlink()
            else:
                self._seal(path)
        self.known.add(ids_in(segments_in(self._segments), REMEMBERED, self._spoiled))

    def _seal(self, path: Path) -> int:
        """Makes a segment of a journal, which then goes; 0 for one that has no batch, else 1."""
        self._set_aside_parts(path)
        batches = batches_in(path)
        first = next(batches, None)
        if first is not None:
            write_segment(self._segments / f"{path.stem}{SEGMENT}", chain([first], batches))
        path.unlink()
        sync_folder(path.parent)
        return int(first is not None)

    def _set_aside_parts(self, path: Path) -> None:
        unread = unread_in(path)
        if not unread:
            return
        descriptor = open_own(path, os.O_RDONLY)
        try:
            for part in unread:
                where = self.aside.add_part(path.name, descriptor, part.begin, part.end)
                size = f"{part.end - part.begin:,} bytes"
                if part.torn:
                    say(f"{path}: its last {size} are no whole batch, and were moved to {where}")
                else:
                    self._damaged(f"{path} is damaged at byte {part.begin:,}", size, where)
        finally:
            os.close(descriptor)

    def _spoiled(self, segment: Path) -> None:
        size = f"{segment.stat().st_size:,} bytes"
        self._damaged(f"{segment} cannot be read", size, self.aside.move(segment))

    def _damaged(self, what: str, size: str, where: Path) -> None:
        words = f"{what}: {size} of stored records were moved to {where}"
        self._troubles.add("data folder", InputError(words), "the rest is read")

    def _next_number(self) -> int:
        numbers = [*journals_in(self._journals), *segments_in(self._segments)]
        return max((int(path.stem) for path in numbers), default=0) + 1

    def _journal_path(self, number: int) -> Path:
        return self._journals / f"{number:09}{SUFFIX}"


def journals_in(folder: Path) -> list[Path]:
    """The journals of a folder, oldest first."""
    return own_files(folder, _NAME)
