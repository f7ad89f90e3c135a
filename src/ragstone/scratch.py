"""Everything Ragstone writes for a while: folders for temporary files, and the parts of outputs.

A killed process cannot clean up, so the next run does it. Each folder and part is locked by the
process that made it. The kernel drops the lock when the process ends, however it ends: a lock that
can be had is the sign that nobody needs the thing any more. A process id would not do: ids are
given out again, and two containers with one temporary folder do not see each other's.

Where there are no such locks (Windows, some network file systems) nothing is swept.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ragstone.errors import InputError
from ragstone.file_lock import lock

# Nothing that a user would name like this: `ragstone-demo` in a temporary folder is theirs.
_OURS = r"ragstone-[0-9a-f]{12}\.scratch|\.ragstone-[0-9a-f]{12}\.part"
_HAS_LOCKS = os.name == "posix"
# Each takes a descriptor for as long as its folder lives, and a process may have about a thousand.
_MOST_UNNAMED = 64

# The folders of this process are inside one that is locked, however many reports keep their rows.
_roots: dict[Path, tuple[Path, int]] = {}
# Each folder, and the open files in it that have no name.
_folders: dict[Path, dict[Path, int]] = {}
# A folder may be removed by the garbage collector, in the thread that is making another.
_changing = threading.RLock()
_swept: set[Path] = set()


def make_folder(where: Path | None = None) -> Path:
    """A folder for temporary files that only this user can read; `remove_folder` takes it away."""
    parent = _temporary() if where is None else where
    try:
        with _changing:
            while True:
                root, _ = _roots.get(parent) or _roots.setdefault(parent, _new_root(parent))
                path = root / os.urandom(6).hex()
                _folders[path] = {}
                try:
                    path.mkdir(0o700)
                except FileNotFoundError:
                    # The root went with the last folder in it, or something else tidied it up.
                    _forget(root)
                    remove_folder(path)
                except OSError:
                    remove_folder(path)
                    raise
                else:
                    return path
    except OSError as error:
        raise not_written(error) from error


def remove_folder(path: Path) -> None:
    """Removes a folder of `make_folder` with all that is in it."""
    shutil.rmtree(path, ignore_errors=True)
    with _changing:
        for descriptor in _folders.pop(path).values():
            os.close(descriptor)
        # A list of them: the garbage collector may remove one at every step of this loop.
        if not any(other.parent == path.parent for other in list(_folders)):
            with suppress(OSError):
                path.parent.rmdir()
            _forget(path.parent)


def _temporary() -> Path:
    import tempfile

    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:
        raise InputError(
            "there is no folder for temporary files: none of the usual ones can be written; free "
            "some of the disk, or set TMPDIR to a folder that can be written"
        ) from None


def _new_root(parent: Path) -> tuple[Path, int]:
    return _made(parent, "ragstone-{}.scratch", lambda path: _new_folder(path, 0o700))


def _forget(root: Path) -> None:
    known, lock = _roots.get(root.parent, (None, -1))
    if known == root:
        del _roots[root.parent]
        os.close(lock)


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for temporary files, which is gone afterwards."""
    path = make_folder()
    try:
        yield path
    finally:
        remove_folder(path)


def keep(folder: Path, chunks: Iterable[bytes]) -> Path:
    """Writes a temporary file and returns a path to read it by, as often as needed.

    An OSError is taken for the file's: chunks that are read from elsewhere raise an InputError.

    On Linux the file has no name from the start: a killed run leaves no copy of its input, and
    /proc shows the open file under the path that is returned. Elsewhere it is a file in `folder`.
    """
    path = folder / f"{os.urandom(6).hex()}.kept"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        opened = Path(f"/proc/self/fd/{descriptor}")
        held = _folders.get(folder)
        if held is not None and _unnamed() < _MOST_UNNAMED and opened.exists():
            path.unlink()
            held[opened] = descriptor
            path = opened
        with open(descriptor, "wb", closefd=path != opened) as file:
            file.writelines(chunks)
    except OSError as error:
        raise not_written(error) from error
    return path


def _unnamed() -> int:
    return sum(len(held) for held in list(_folders.values()))


def drop(folder: Path, path: Path) -> None:
    """Removes a file of `keep` before its folder goes."""
    descriptor = _folders.get(folder, {}).pop(path, None)
    if descriptor is None:
        path.unlink()
    else:
        os.close(descriptor)


class NotWritten(InputError):
    """The place for temporary files takes no more."""

    def __init__(self, words: str, error: OSError) -> None:
        super().__init__(words)
        self.error = error


def not_written(error: OSError) -> NotWritten:
    """What to tell when the place for temporary files takes no more."""
    parent = _temporary()
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        words = (
            f"the disk that holds {parent} is full; free some of it, or set TMPDIR to a folder on "
            "another"
        )
    else:
        words = (
            f"the folder for temporary files, {parent}, cannot be written: {error.strerror}; set "
            "TMPDIR to another"
        )
    return NotWritten(words, error)


@contextmanager
def part_file(parent: Path, mode: int) -> Iterator[tuple[Path, BinaryIO]]:
    """A new hidden file, to be renamed to an output; inside, because its lock ends with it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    path, descriptor = _made(parent, ".ragstone-{}.part", lambda path: os.open(path, flags, mode))
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield path, file
    finally:
        # Also when the user interrupts: no half-written file may stay behind.
        with suppress(OSError):
            path.unlink()


@contextmanager
def part_folder(parent: Path, mode: int) -> Iterator[Path]:
    """A new hidden folder, to be renamed to an output; what has its name at the end is removed."""
    path, lock = _made(parent, ".ragstone-{}.part", lambda path: _new_folder(path, mode))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def _new_folder(path: Path, mode: int) -> int:
    path.mkdir(mode)
    # Windows opens no folder; what is locked there does not matter.
    return os.open(path if _HAS_LOCKS else os.devnull, os.O_RDONLY)


def _made(parent: Path, name: str, make: Callable[[Path], int]) -> tuple[Path, int]:
    """Something new under a name of ours, locked, and its descriptor."""
    sweep(parent)
    while True:
        path = parent / name.format(os.urandom(6).hex())
        try:
            descriptor = make(path)
        except FileNotFoundError:
            if parent.is_dir():
                continue
            raise
        # Another run may have swept it in the moment before it was locked.
        if lock(descriptor) is not False and _is_still(path, descriptor):
            return path, descriptor
        os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    if not _HAS_LOCKS:
        return True
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def sweep(parent: Path) -> None:
    """Removes what killed runs of this user left in a folder; each folder is looked at once."""
    if parent in _swept or not _HAS_LOCKS:
        return
    _swept.add(parent)
    # What cannot be listed cannot be swept; whether it can be written is seen next.
    with suppress(OSError), os.scandir(parent) as entries:
        # A temporary folder may hold thousands of names: only ours are worth a Path.
        for entry in entries:
            if "ragstone-" in entry.name and re.fullmatch(_OURS, entry.name):
                # Another run may sweep at the same time: what is gone already is no error.
                with suppress(OSError):
                    _remove_unlocked(Path(entry.path))


def _remove_unlocked(path: Path) -> None:
    # A link is not followed, and a pipe is not waited for.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.geteuid() or not lock(descriptor):
            return
        if stat.S_ISDIR(found.st_mode):
            shutil.rmtree(path, ignore_errors=True)
        elif stat.S_ISREG(found.st_mode):
            path.unlink()
    finally:
        os.close(descriptor)
