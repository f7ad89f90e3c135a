"""The journal that is written to: frames are appended, and are safe once they are synced."""

from __future__ import annotations

import os
from pathlib import Path

from ragstone.errors import RagstoneError
from ragstone.own_files import open_own, write_own
from ragstone.serve.frames import Batch, first_line, frame_of

SUFFIX = ".journal"


class NotStored(RagstoneError):
    """The disk did not take a batch; nothing of it is stored, and what was before is safe."""

    def __init__(self, error: OSError, what: str = "the records could not be written") -> None:
        super().__init__(f"{what}: {(error.strerror or '').lower()}")
        self.full = error.errno in _FULL


class Broken(RagstoneError):
    """The disk fails in a way that leaves the journal unknown; the server takes nothing more."""


def _full_codes() -> frozenset[int]:
    import errno

    return frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


_FULL = _full_codes()


class JournalFile:
    """An open journal; `durable` is the byte up to which it is on the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        line, self._mark = first_line()
        # It has its name once it begins as a journal: another file of that name is not ours.
        write_own(path, [line])
        self._descriptor = open_own(path, os.O_WRONLY | os.O_APPEND)
        self._begins = self.durable = len(line)

    @property
    def size(self) -> int:
        """How many bytes of batches it has."""
        return self.durable - self._begins

    def append(self, batches: list[Batch]) -> None:
        """All of the batches on the disk, or none of them."""
        data = b"".join(frame_of(batch, self.durable, self._mark) for batch in batches)
        try:
            self._write(data)
            os.fsync(self._descriptor)
        except OSError as error:
            self._take_back()
            raise NotStored(error) from error
        self.durable += len(data)

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]

    def _take_back(self) -> None:
        """Cuts off what was not synced: it was acknowledged to nobody."""
        try:
            os.ftruncate(self._descriptor, self.durable)
            os.fsync(self._descriptor)
        except OSError as error:
            raise Broken(
                f"{self.path}: the disk fails, and it is not known what is on it; "
                "mend the disk and start the server again"
            ) from error

    def close(self) -> None:
        os.close(self._descriptor)
