"""One server for a folder of data: a lock that the kernel frees when the process ends."""

from __future__ import annotations

import os
from pathlib import Path

from ragstone.errors import InputError
from ragstone.file_lock import lock
from ragstone.own_files import open_own


class FolderLock:
    """Held from `take` to `release`; a second process is told that the folder is in use."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lock"
        self._descriptor: int | None = None

    def take(self) -> None:
        descriptor = open_own(self._path, os.O_RDWR | os.O_CREAT)
        if lock(descriptor) is False:
            os.close(descriptor)
            raise InputError(
                f"{self._path.parent} is in use by another ragstone serve; give another --data"
            )
        self._descriptor = descriptor

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
