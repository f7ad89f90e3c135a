"""Which formats are there, which does a file name ask for, and how does a report reach the disk?"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.errors import ConfigError, InputError

if TYPE_CHECKING:
    from ragstone.report.model import Report

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write a report; its module is imported when it is used, and not before."""

    module: str
    extensions: tuple[str, ...]

    def render(self, report: Report) -> str:
        renderer: Callable[[Report], str] = import_module(self.module).render
        return renderer(report)


FORMATS = {
    "terminal": Format("ragstone.report.terminal", (".txt",)),
    "json": Format("ragstone.report.jsonout", (".json",)),
    "markdown": Format("ragstone.report.markdown", (".md", ".markdown")),
    "html": Format("ragstone.report.html", (".html", ".htm")),
    "junit": Format("ragstone.report.junit", (".xml",)),
    "sarif": Format("ragstone.report.sarif", (".sarif", ".sarif.json")),
    "github": Format("ragstone.report.annotations", ()),
}

# What people type for them.
ALIASES = {"txt": "terminal", "text": "terminal", "md": "markdown", "annotations": "github"}


def format_of(path: str | Path) -> str:
    """The format that a file's extension asks for.

    >>> format_of("out/Report.HTML"), format_of("scan.sarif.json"), format_of("r.json")
    ('html', 'sarif', 'json')
    """
    name = Path(path).name.lower()
    by_length = sorted(
        ((extension, kind) for kind, each in FORMATS.items() for extension in each.extensions),
        key=lambda pair: -len(pair[0]),
    )
    for extension, kind in by_length:
        if name.endswith(extension):
            return kind
    known = ", ".join(extension for each in FORMATS.values() for extension in each.extensions)
    raise InputError(f"{path}: no format is known for this extension; there are {known}")


def render(report: Report, format: str, *, color: bool = False, width: int = WIDTH) -> str:
    """The report in one format, by name; `color` and `width` matter to the terminal only."""
    name = ALIASES.get(format, format)
    if name not in FORMATS:
        raise ConfigError(_unknown(format))
    if name == "terminal":
        from ragstone.report import terminal

        return terminal.render(report, color=color, width=width)
    return FORMATS[name].render(report)


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, [*FORMATS, *ALIASES], n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(FORMATS)}"
    return f"no format is called {name!r}; {hint}"


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
