"""Batches of many requests go to the disk together: one sync acknowledges all of them.

A sync takes milliseconds however little it writes. So one thread writes, and while it waits for
the disk the next batches gather. Who hands one in waits for its receipt, and has it once the
batch is on the disk. When too much is waiting, the next is turned away at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from ragstone.errors import RagstoneError
from ragstone.serve.frames import Batch, Stored
from ragstone.serve.journal_file import Broken
from ragstone.serve.known_ids import KnownIds
from ragstone.worker import Troubles, Worker

# So many bytes of records wait for the disk at most.
WAITING = 64 * 1024 * 1024
# So many are written at a time, so that the first of them does not wait for long.
_AT_ONCE = 8 * 1024 * 1024


class Busy(RagstoneError):
    """Too much waits for the disk; the batch was not taken and can be sent again."""


class OtherBatch(RagstoneError):
    """An Idempotency-Key was given again, for another batch."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A batch on its way to the disk; `lines` are what windows read of each record."""

    batch: Batch
    lines: tuple[str, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """How many records of a batch are stored now, and how many were stored before."""

    stored: int
    repeated: int


Append = Callable[[list[Batch]], None]
Tell = Callable[[list[tuple[Stored, str]]], None]


class GroupCommit:
    """The thread that writes: `append` puts batches on the disk, `tell` hears what is new there."""

    def __init__(
        self, append: Append, known: KnownIds, tell: Tell, troubles: Troubles | None = None
    ) -> None:
        self._append, self._known, self._tell = append, known, tell
        self._waiting: list[tuple[Incoming, Future[Receipt]]] = []
        self._size = 0
        self._changed = threading.Condition()
        self._closed = False
        self._broken: Broken | None = None
        self._worker = Worker("group commit", self._step, troubles or Troubles())
        self._worker.start()

    @property
    def waiting(self) -> int:
        """How many bytes wait for the disk."""
        return self._size

    @property
    def broken(self) -> str:
        """Why nothing is taken any more; "" while all is well."""
        return str(self._broken or "")

    def submit(self, incoming: Incoming) -> Future[Receipt]:
        """The receipt of a batch, once it is on the disk; Busy where too much waits already."""
        receipt: Future[Receipt] = Future()
        # Who no longer waits cannot take it back: the batch is stored all the same.
        receipt.set_running_or_notify_cancel()
        with self._changed:
            if self._broken is not None:
                raise self._broken
            if self._closed or self._size + incoming.size > WAITING:
                raise Busy("too many records wait to be stored; send the batch again in a second")
            self._waiting.append((incoming, receipt))
            self._size += incoming.size
            self._changed.notify()
        return receipt

    def close(self) -> None:
        """Writes what waits, and ends."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._worker.join()

    def _step(self) -> bool:
        some = self._next()
        if not some:
            return False
        try:
            self._commit(some)
        except Exception as error:
            # Whatever it is, those who wait are told, and the thread goes on.
            if isinstance(error, Broken):
                self._broken = error
            for _, future in some:
                if not future.done():
                    future.set_exception(error)
            raise
        finally:
            with self._changed:
                self._size -= sum(incoming.size for incoming, _ in some)
        return True

    def _next(self) -> list[tuple[Incoming, Future[Receipt]]]:
        """What is written next; nothing once all is written and the end was asked for."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            size, count = 0, 0
            for incoming, _ in self._waiting:
                size += incoming.size
                if count and size > _AT_ONCE:
                    break
                count += 1
            some, self._waiting = self._waiting[:count], self._waiting[count:]
            return some

    def _commit(self, some: list[tuple[Incoming, Future[Receipt]]]) -> None:
        """Stores what is new of some batches, and then hands out their receipts."""
        group = _Group(self._known)
        receipts: list[tuple[Future[Receipt], Receipt]] = []
        for incoming, future in some:
            try:
                receipts.append((future, group.take(incoming)))
            except OtherBatch as error:
                future.set_exception(error)
        if group.batches:
            self._append(group.batches)
        group.remember()
        try:
            # Before the receipts: who has one finds the record wherever records are counted.
            self._tell(group.new)
        finally:
            # The records are stored, whatever becomes of what is made of them.
            for future, receipt in receipts:
                future.set_result(receipt)


class _Group:
    """What some batches come to without the records that are known."""

    def __init__(self, known: KnownIds) -> None:
        self._known = known
        self._ids: set[str] = set()
        self._keys: dict[str, tuple[str, int]] = {}
        self.batches: list[Batch] = []
        self.new: list[tuple[Stored, str]] = []

    def take(self, incoming: Incoming) -> Receipt:
        batch = incoming.batch
        if batch.key:
            before = self._keys.get(batch.key) or self._known.batch(batch.key)
            if before is not None:
                if before[0] != batch.digest:
                    raise OtherBatch("this Idempotency-Key came with another batch before")
                return Receipt(0, before[1])
            self._keys[batch.key] = (batch.digest, len(batch.records))
        fresh = []
        for record, line in zip(batch.records, incoming.lines, strict=True):
            if record.id not in self._ids and record.id not in self._known:
                self._ids.add(record.id)
                fresh.append(record)
                self.new.append((record, line))
        if fresh or batch.key:
            self.batches.append(_with(batch, tuple(fresh)))
        return Receipt(len(fresh), len(batch.records) - len(fresh))

    def remember(self) -> None:
        self._known.add(self._ids)
        for key, (digest, records) in self._keys.items():
            self._known.add_batch(key, digest, records)


def _with(batch: Batch, records: tuple[Stored, ...]) -> Batch:
    return Batch(batch.key, batch.digest, batch.arrived, records)
