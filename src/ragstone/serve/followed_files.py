"""Files that grow: their new lines, also when they are rotated or begun anew."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ragstone.contracts.packed import compression_of
from ragstone.errors import InputError

_BLOCK = 4 * 1024 * 1024
# A line that is longer is no record.
_LONGEST = 16 * 1024 * 1024
# By so many bytes the beginning of a file is known again.
_HEAD = 1024


class FollowedFile:
    """One file by its name. What stands under the name may be renamed, replaced or cut short.

    A file that is renamed is read to its end before the next one under its name is; one that is
    shorter than what was read of it is read again from its beginning.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        self._file: BinaryIO | None = None
        self._rest, self._head = b"", b""
        self.line = 0
        self._open()
        if self._file is None:
            raise InputError(f"{path} does not exist")

    def new_lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines that were finished since the last look, each with its number."""
        yield from self._read()
        if self._is_another():
            # What was written to the old one after the last look, also without a line break.
            yield from self._read()
            if self._rest.strip():
                self.line += 1
                yield self.line, self._rest
            self._open()
            yield from self._read()

    def _read(self) -> Iterator[tuple[int, bytes]]:
        if self._file is None:
            return
        if self._was_begun_anew(self._file):
            self._file.seek(0)
            self._rest, self.line, self._head = b"", 0, b""
        while block := self._file.read(_BLOCK):
            self._head = (self._head + block)[:_HEAD] if len(self._head) < _HEAD else self._head
            *lines, self._rest = (self._rest + block).split(b"\n")
            for line in lines:
                self.line += 1
                yield self.line, line
            if len(self._rest) > _LONGEST:
                raise InputError(f"{self.name}:{self.line + 1}: a line of more than 16 MB")

    def _was_begun_anew(self, file: BinaryIO) -> bool:
        """Whether the file is shorter than what was read of it, or does not begin as it did.

        One that was emptied and has grown again since the last look is told by its beginning.
        """
        if os.fstat(file.fileno()).st_size < file.tell():
            return True
        return os.pread(file.fileno(), len(self._head), 0) != self._head

    def _is_another(self) -> bool:
        """Whether another file stands under the name by now; for a moment there may be none."""
        try:
            found = self._path.stat()
        except OSError:
            return False
        return self._file is None or not os.path.samestat(found, os.fstat(self._file.fileno()))

    def _open(self) -> None:
        self.close()
        try:
            self._file = self._path.open("rb")
        except FileNotFoundError:
            return
        except OSError as error:
            said = (error.strerror or "").lower()
            raise InputError(f"{self.name} cannot be read: {said}") from None
        head = self._file.read(4)
        if head == b"PAR1" or compression_of(head) != "none":
            self.close()
            raise InputError(f"{self.name} is packed and cannot be followed; --once reads it")
        self._file.seek(0)
        self._rest, self.line, self._head = b"", 0, b""

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
