"""Opens files in folders that Ragstone keeps: through no link, and only what is its own.

Such a folder may come with a clone, and git keeps links. So whoever appends to a file there, cuts
or removes it asks here first.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from ragstone.errors import InputError
from ragstone.files import make_lasting_folder, sync_folder
from ragstone.scratch import part_file

# Windows has neither; a link there is found before it is opened.
_NOFOLLOW, _NONBLOCK = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_BLOCK = 1 << 20
ASIDE = "aside"


class NotOurs(InputError):
    """Something stands where a file of Ragstone should, and is left as it is."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(
            f"{path} is {what}, and Ragstone leaves it as it is; move it away, or name another "
            "folder"
        )


def open_own(path: Path, flags: int, mode: int = 0o600) -> int:
    """A descriptor of a file of this user that is no link; NotOurs for anything else."""
    descriptor = open_plain(path, flags, mode)
    if os.name == "posix" and os.fstat(descriptor).st_uid != os.geteuid():
        os.close(descriptor)
        raise NotOurs(path, "another user's")
    return descriptor


def open_plain(path: Path, flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """The same of any user's file, to read it."""
    if not _NOFOLLOW and path.is_symlink():
        raise NotOurs(path, "a link")
    try:
        # A pipe is not waited for.
        descriptor = os.open(path, flags | _NOFOLLOW | _NONBLOCK | _CLOEXEC, mode)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotOurs(path, "a link") from None
        if error.errno in (errno.EISDIR, errno.ENXIO):
            raise NotOurs(path, "no file") from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotOurs(path, "no file")
    return descriptor


def read_plain(path: Path) -> bytes:
    """The bytes of a file that is no link."""
    with os.fdopen(open_plain(path), "rb") as file:
        return file.read()


def write_own(path: Path, chunks: Iterable[bytes]) -> None:
    """A file that only its owner can read, whole or not at all, and safe on the disk."""
    with part_file(path.parent, 0o600) as (part, file):
        file.writelines(chunks)
        file.flush()
        os.fsync(file.fileno())
        part.replace(path)
    sync_folder(path.parent)


def make_own_folder(folder: Path, *, named: bool = False) -> Path:
    """A folder that only its owner can read; one that somebody `named` may be a link."""
    try:
        make_lasting_folder(folder, 0o700)
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise InputError(f"the folder {folder} cannot be made: {reason}") from None
    if folder.is_symlink() and not named:
        raise NotOurs(folder, "a link")
    return folder


def no_link_to(path: Path) -> None:
    """Refuses a path that leads over a link below the working folder, or ends in one.

    Whoever names a folder may name it by a link; nobody has named what lies in a clone.
    """
    steps = [path, *path.parents] if not path.is_absolute() else [path]
    for step in steps:
        if step.is_symlink():
            raise InputError(
                f"{step} is a link, and nobody has named it on the command line: Ragstone follows "
                "no link that merely lies in the working folder"
            )


def own_files(folder: Path, names: re.Pattern[str]) -> list[Path]:
    """The files of a folder that have a name of ours, by their names; NotOurs for a link."""
    try:
        with os.scandir(folder) as entries:
            named = sorted(entry.name for entry in entries if names.fullmatch(entry.name))
    except FileNotFoundError:
        return []
    for name in named:
        path = folder / name
        if path.is_symlink():
            raise NotOurs(path, "a link")
        if not path.is_file():
            raise NotOurs(path, "no file")
    return [folder / name for name in named]


class Aside:
    """The folder for what cannot be read: it is in nobody's way there, and it is not lost.

    What is there may hold texts of records: to forget anything, all of it is removed.
    """

    def __init__(self, data: Path) -> None:
        self.folder = data / ASIDE

    def move(self, path: Path) -> Path:
        """A whole file; where it is then."""
        target = self._free(path.name)
        path.rename(target)
        sync_folder(path.parent)
        sync_folder(self.folder)
        return target

    def add(self, name: str, chunks: Iterable[bytes]) -> Path:
        """Bytes of a file of this name, safe on the disk; where they are then."""
        target = self._free(name)
        write_own(target, chunks)
        return target

    def add_part(self, name: str, descriptor: int, begin: int, end: int) -> Path:
        """The bytes of an open file between two places."""
        return self.add(name, _part(descriptor, begin, end))

    def cut(self, name: str, descriptor: int, begin: int) -> Path | None:
        """What stands behind a place of an open file, which ends there then; None for nothing."""
        end = os.fstat(descriptor).st_size
        if begin >= end:
            return None
        target = self.add_part(name, descriptor, begin, end)
        os.ftruncate(descriptor, begin)
        return target

    def files(self) -> list[Path]:
        return own_files(self.folder, re.compile(r"[^.].*\.[0-9a-f]{8}"))

    def clear(self, before: float = float("inf")) -> int:
        """Removes what was set aside before a moment; says how many files that were."""
        old = [path for path in self.files() if path.stat().st_mtime < before]
        for path in old:
            path.unlink(missing_ok=True)
        return len(old)

    def _free(self, name: str) -> Path:
        return make_own_folder(self.folder) / f"{name}.{os.urandom(4).hex()}"


def _part(descriptor: int, begin: int, end: int) -> Iterator[bytes]:
    while begin < end:
        block = os.pread(descriptor, min(_BLOCK, end - begin), begin)
        if not block:
            return
        yield block
        begin += len(block)
