"""One server for a folder of data: a lock that the kernel frees when the process ends."""

from __future__ import annotations

import os
from pathlib import Path

from ragstone.errors import InputError


class FolderLock:
    """Held from `take` to `release`; a second process is told that the folder is in use."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lock"
        self._descriptor: int | None = None

    def take(self) -> None:
        import fcntl

        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise InputError(
                f"{self._path.parent} is in use by another ragstone serve; give another --data"
            ) from None
        self._descriptor = descriptor

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def sync_folder(folder: Path) -> None:
    """Makes names in a folder last: a new file is not safe before its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
