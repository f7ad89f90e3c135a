"""The journal: an append-only file of the replies so far, which a killed run leaves whole.

Line 1 names the target; every further line is one reply under the key of its ask. A
line reaches the kernel in one write before the next question is asked, so a SIGKILL can lose the
questions in flight and nothing else. A last line without its line feed was cut, and is dropped.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import msgspec

from ragstone.errors import InputError
from ragstone.targets.protocol import Reply
from ragstone.targets.trace_lines import measured_of, record_of

FORMAT = 1
_BEGINS = b'{"journal":'
T = TypeVar("T")


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: the fields of the trace, and apart from them those that a clock measured."""

    key: str
    record: dict[str, object]
    measured: dict[str, object] = {}
    failed: bool = False


class _Header(msgspec.Struct, frozen=True):
    journal: int
    target: str


class _Stub(msgspec.Struct, frozen=True):
    """The part of an entry that resuming needs; msgspec skips the rest without building it."""

    key: str
    failed: bool = False


class Journal:
    """The journal of one target; `answered` and `failed` map keys to the offsets of their lines."""

    def __init__(self, path: str | Path, target: str, *, fresh: bool = False) -> None:
        self.path = Path(path)
        self.answered: dict[str, int] = {}
        self.failed: dict[str, int] = {}
        self._file = _opened(self.path)
        try:
            _lock(self._file, self.path)
            self._must_be_a_journal()
            if fresh:
                os.ftruncate(self._file, 0)
            self._end = self._read(target)
        except BaseException:
            os.close(self._file)
            raise

    def _must_be_a_journal(self) -> None:
        """Refuses a file that is not ours: a journal is truncated where its last line was cut."""
        with self.path.open("rb") as file:
            begins = file.read(len(_BEGINS))
        if not _BEGINS.startswith(begins):
            raise InputError(f"{self.path} is not a journal of ragstone; name another file")

    def _read(self, target: str) -> int:
        """Reads the keys, cuts off an incomplete last line, and returns where to append."""
        end, header = 0, None
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    os.ftruncate(self._file, end)
                    break
                if number == 1:
                    header = self._decoded(line, number, _Header)
                else:
                    stub = self._decoded(line, number, _Stub)
                    self._keep(stub.key, stub.failed, end)
                end += len(line)
        if header is not None and self._fits(header, target):
            return end
        os.ftruncate(self._file, 0)
        self.failed.clear()
        return self._append(msgspec.json.encode(_Header(FORMAT, target)) + b"\n", 0)

    def _fits(self, header: _Header, target: str) -> bool:
        """Whether this run may continue it; one that holds no answer is simply started anew."""
        if header == _Header(FORMAT, target):
            return True
        if not self.answered:
            return False
        other = "" if header.journal == FORMAT else " by another version of ragstone"
        raise InputError(
            f"{self.path} holds answers of {header.target}{other}, not of {target}; write to "
            "another file with -o, or give --fresh to drop them"
        )

    def _decoded(self, line: bytes, number: int, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(line, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InputError(
                f"{self.path}:{number}: journal: {error}; --fresh drops it and asks again"
            ) from None

    def _keep(self, key: str, failed: bool, offset: int) -> None:
        if not failed:
            self.answered[key] = offset
            self.failed.pop(key, None)
        elif key not in self.answered:
            self.failed[key] = offset

    def write(self, key: str, reply: Reply, attempts: int) -> None:
        """Appends the reply to the ask of this key; the kernel has it before this returns."""
        failed = reply.failure is not None
        entry = Entry(key, record_of(reply), measured_of(reply, attempts), failed)
        line = msgspec.json.encode(entry) + b"\n"
        start, self._end = self._end, self._append(line, self._end)
        self._keep(key, failed, start)

    def _append(self, line: bytes, end: int) -> int:
        # One write for the whole line: if the process is killed, only the end of it can be missing.
        view = memoryview(line)
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror}") from None
        return end + len(line)

    def entries(self, keys: Iterable[str]) -> Iterator[Entry]:
        """The latest reply to each key, in the order of the keys; an answer wins over a failure."""
        with self.path.open("rb") as file:
            for key in keys:
                offset = self.answered.get(key, self.failed.get(key))
                if offset is not None:
                    file.seek(offset)
                    yield msgspec.json.decode(file.readline(), type=Entry)

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def _lock(file: int, path: Path) -> None:
    """Refuses a second run on the same journal: the two would ask everything twice."""
    with suppress(ImportError):  # Windows has no flock, and there a second run is not noticed.
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{path} is in use by another run") from None
