"""Writes files whole or not at all, so that a killed run never leaves half of one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ragstone.errors import InputError


def write(path: str | Path, text: str) -> None:
    """`text` in `path`, whole or not at all: a killed run leaves the old file or the new one."""
    # Every renderer writes lone surrogates out; this is for text that comes from elsewhere.
    write_lines(path, (text.encode("utf-8", errors="backslashreplace"),))


def write_lines(path: str | Path, lines: Iterable[bytes]) -> None:
    """The lines in `path`, whole or not at all, without holding them all in memory."""
    # Following a link first means the file it names is replaced, not the link.
    target = Path(os.path.realpath(path))
    try:
        if _is_stream(target):
            with target.open("wb") as file:
                file.writelines(lines)
        else:
            _replace(target, lines)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {_reason(error, target)}") from error


def _is_stream(target: Path) -> bool:
    """A pipe or a device, such as /dev/stdout: there is nothing to rename it over."""
    return target.exists() and not target.is_file() and not target.is_dir()


def _replace(target: Path, lines: Iterable[bytes]) -> None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    part = target.with_name(f".ragstone-{os.urandom(6).hex()}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _mode(target))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        # Also when the user interrupts: no half-written file may stay behind.
        with suppress(OSError):
            part.unlink()
        raise


def _mode(target: Path) -> int:
    """The mode of the file that is replaced, or what the user's umask makes of a new one."""
    return stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666


def _reason(error: OSError, target: Path) -> str:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return f"there is no folder {target.parent}"
        case errno.EISDIR:
            return "it is a folder"
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return "permission was denied"
        case errno.ENOSPC | errno.EDQUOT:
            return "the disk is full"
        case errno.ENAMETOOLONG:
            return "the name is too long"
    return (error.strerror or type(error).__name__).lower()
