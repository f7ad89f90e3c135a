"""Writes files whole or not at all, so that a killed run never leaves half of one."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from ragstone.errors import InputError
from ragstone.scratch import part_file, part_folder


def write(path: str | Path, text: str) -> None:
    """`text` in `path`, whole or not at all: a killed run leaves the old file or the new one."""
    # Every renderer writes lone surrogates out; this is for text that comes from elsewhere.
    write_lines(path, (text.encode("utf-8", errors="backslashreplace"),))


def write_lines(path: str | Path, lines: Iterable[bytes]) -> None:
    """The lines in `path`, whole or not at all, without holding them all in memory."""
    write_files({path: lines})


def write_files(
    files: Mapping[str | Path, Iterable[bytes]], may_replace: Collection[str] | None = None
) -> dict[str, str]:
    """Several files, all of them or none: no name is given before the last of them is complete.

    `may_replace` has the SHA-256 of the contents that may be replaced; a file with another content
    is kept as NAME.before, and the result names it. Without `may_replace` every file is replaced.
    """
    kept: dict[str, str] = {}
    with ExitStack() as open_parts:
        parts: dict[Path, tuple[str | Path, Path]] = {}
        streams: dict[Path, tuple[str | Path, Iterable[bytes]]] = {}
        for path, lines in files.items():
            target = target_of(path)
            with _told_of(path, target):
                if _is_stream(target):
                    streams[target] = path, lines
                    continue
                part, file = open_parts.enter_context(_part_of(target))
                _fill(file, lines)
                parts[part] = path, target
        for target, (path, lines) in streams.items():
            with _told_of(path, target), _opened_stream(target) as stream:
                stream.writelines(lines)
        for part, (path, target) in parts.items():
            with _told_of(path, target):
                if may_replace is not None and _holds_other(target, may_replace):
                    kept[str(path)] = str(_kept_before(target))
                part.replace(target)
    return kept


def _holds_other(target: Path, may_replace: Collection[str]) -> bool:
    """Whether something would be lost: an empty file holds nothing."""
    there = target.exists() and target.stat().st_size > 0
    return there and sha256_of(target) not in may_replace


def _kept_before(target: Path) -> Path:
    """Gives a file a second name, NAME.before, or NAME.before.2 and so on where that is taken."""
    number = 1
    while True:
        before = target.with_name(f"{target.name}.before{'' if number == 1 else f'.{number}'}")
        number += 1
        try:
            before.hardlink_to(target)
        except FileExistsError:
            # A run that was killed here has given it this name already.
            if before.samefile(target):
                return before
            continue
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            try:
                # Only one of two runs gets the name; what is renamed to it replaces no other file.
                before.touch(exist_ok=False)
            except FileExistsError:
                continue
            target.replace(before)
        return before


def write_new(path: str | Path, data: bytes) -> bool:
    """The bytes in a file that does not exist yet, whole or not at all; False where one does.

    Of two runs that write the same name at the same moment one is told that it came too late.
    """
    target = target_of(path)
    with _told_of(path, target), part_file(target.parent, 0o666) as (part, file):
        _fill(file, (data,))
        try:
            # A link fails where the name is taken, and a rename would take it over.
            target.hardlink_to(part)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            return _written_in_place(target, data)
    return True


# Some shared disks have no links.
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def _written_in_place(target: Path, data: bytes) -> bool:
    """A name that only one of two runs gets; a kill in the middle leaves it without its content."""
    try:
        with target.open("xb") as file:
            _fill(file, (data,))
    except FileExistsError:
        return False
    return True


def sha256_of(content: bytes | Path) -> str:
    """The SHA-256 of bytes, or of a file.

    >>> sha256_of(b"")[:8]
    'e3b0c442'
    """
    import hashlib

    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def make_lasting_folder(folder: Path, mode: int = 0o777) -> None:
    """A folder with those above it, each with a name that lasts."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(mode, parents=True, exist_ok=True)
    for each in missing:
        sync_folder(each.parent)


def sync_folder(folder: Path) -> None:
    """Makes names in a folder last: a new file is not safe before its folder is."""
    if os.name != "posix":  # Windows opens no folder.
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def writing(path: Path) -> AbstractContextManager[None]:
    """Inside, what the system refuses becomes the one sentence that `path` cannot be written."""
    return _told_of(path, path)


@contextmanager
def _told_of(path: str | Path, target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {_reason(error, target)}") from error


def _part_of(target: Path) -> AbstractContextManager[tuple[Path, BinaryIO]]:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return part_file(target.parent, _mode(target))


def write_set(folder: str | Path, files: Mapping[str, bytes]) -> None:
    """Files by name in a folder: a killed run leaves all of the old ones or all of the new ones.

    The new set is written into a hidden folder beside the old one, and the two change places. Other
    files in the folder stay. A folder that cannot change places (it is the working folder, a mount
    point, another user's) is written in place: the files are complete before the first of them is
    renamed, but a kill between two renames leaves some old and some new.
    """
    target = target_of(folder)
    with _told_of(folder, target):
        if _swapped(target, files):
            return
        target.mkdir(exist_ok=True)
    for name in files:
        # A link in the folder was named by nobody, and what it leads to is not ours.
        if (target / name).is_symlink():
            raise InputError(f"{target / name} is a link; remove it, or give another folder")
    write_files({Path(folder) / name: (data,) for name, data in files.items()})


def target_of(path: str | Path) -> Path:
    """Where a path leads: behind links, so that what they name is replaced and they stay."""
    target = Path(os.path.realpath(path))
    if os.path.islink(target):  # noqa: PTH114 (Path raises where a name is too long)
        raise InputError(f"{path}: cannot be written: its links lead in a circle")
    return target


def folder_aside(folder: Path) -> Path:
    """Where the old set is between two renames, on systems that cannot let folders change places.

    A reader that finds no folder looks here, for a run may have been killed between the two.
    """
    whole = folder.absolute()
    return whole.parent / f".{whole.name}.old"


def write_standard_output(parts: Iterable[bytes]) -> None:
    """The bytes on standard output, whatever the locale: the same everywhere.

    A reader that went away (`| head`) or a closed output is the user's choice: the run goes on, and
    its exit code still tells the decision.
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(parts)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        drop_stdout()
    except OSError as error:
        drop_stdout()
        raise InputError(f"standard output cannot be written: {error.strerror}") from None


def drop_stdout() -> None:
    """Sends what is still buffered nowhere, or Python would complain about it at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def make_folder_of(path: Path) -> None:
    """Makes the folder of a file that was not named by the user, such as `runs/`."""
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        why = f"cannot be made: {_reason(error, path.parent)}"
        raise InputError(f"the folder {path.parent} {why}; name a file with -o") from None


def _is_stream(target: Path) -> bool:
    """A pipe or a device, such as /dev/stdout: there is nothing to rename it over."""
    return target.exists() and not target.is_file() and not target.is_dir()


def _opened_stream(target: Path) -> BinaryIO:
    # To open a pipe waits for its reader, and for ever if there is none; with O_NONBLOCK it fails.
    if not target.is_fifo():
        return target.open("wb")
    descriptor = os.open(target, os.O_WRONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "wb")


def _fill(file: BinaryIO, lines: Iterable[bytes]) -> None:
    file.writelines(lines)
    file.flush()
    os.fsync(file.fileno())


def _swapped(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Puts a folder with the new files in the place of the old one; False if that cannot be."""
    aside = folder_aside(folder)
    try:
        if not folder.exists() and aside.is_dir() and not aside.is_symlink():
            aside.replace(folder)
        if Path.cwd().is_relative_to(folder):
            return False
        with part_folder(folder.parent, 0o777) as part:
            for name, data in files.items():
                with (part / name).open("wb") as file:
                    _fill(file, (data,))
            sync_folder(part)
            if not folder.exists():
                part.replace(folder)
                return True
            old, new = folder.stat(), part.stat()
            if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
                return False
            part.chmod(stat.S_IMODE(old.st_mode))
            _link_others(folder, part)
            _change_places(part, folder)
            # What another run has put there in the meantime.
            _link_others(part, folder)
            return True
    except OSError:
        # Whatever is wrong, the other way to write meets it too, and names it.
        return False


def _link_others(one: Path, other: Path) -> None:
    """Makes the files of one folder that the other does not have files of both."""
    for path in one.iterdir():
        if not (other / path.name).exists():
            (other / path.name).hardlink_to(path)


def _change_places(part: Path, folder: Path) -> None:
    if _exchanged(part, folder):
        return
    aside = folder_aside(folder)
    shutil.rmtree(aside, ignore_errors=True)
    folder.replace(aside)
    try:
        part.replace(folder)
    except OSError:
        aside.replace(folder)
        raise
    aside.replace(part)


def _exchanged(one: Path, other: Path) -> bool:
    """Lets two folders change places in one step, which Linux can and no call of Python does."""
    try:
        import ctypes

        exchange = ctypes.CDLL(None).renameat2
    except (ImportError, TypeError, OSError, AttributeError):
        return False
    from_the_working_folder, change_places = -100, 2
    places = (os.fsencode(one), from_the_working_folder, os.fsencode(other), change_places)
    return bool(exchange(from_the_working_folder, *places) == 0)


def _mode(target: Path) -> int:
    """The mode of the file that is replaced, or what the user's umask makes of a new one."""
    return stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666


def _reason(error: OSError, target: Path) -> str:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return f"there is no folder {target.parent}"
        case errno.EISDIR:
            return "it is a folder"
        case errno.EEXIST:
            return "there is something else of that name, and no folder"
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return "permission was denied"
        case errno.ENOSPC | errno.EDQUOT:
            return "the disk is full"
        case errno.ENAMETOOLONG:
            return "the name is too long"
        case errno.ENXIO:
            return "it is a pipe that nobody reads"
    return (error.strerror or type(error).__name__).lower()
