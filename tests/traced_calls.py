"""What a process asks of the kernel, in order, as strace sees it: what it writes, syncs, renames.

Tests look at the bytes in any file of a folder, and not at what the file is called: so they hold
for whatever keeps the bytes.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

_WRITES = ("write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate")
_SYNCS = ("fsync", "fdatasync")
_RENAMES = ("rename", "renameat", "renameat2", "link", "linkat")
_UNLINKS = ("unlink", "unlinkat")
_MKDIRS = ("mkdir", "mkdirat")
_SENDS = ("sendto", "sendmsg")
# The tracer is no parent of the process, so that signals and waiting go to the process itself.
_STRACE = ("strace", "-D", "-f", "-qq", "-y", "--seccomp-bpf", "-s", "1000000", "-e")
_LINE = re.compile(r"(\d+) +(?:<\.\.\. (\w+) resumed>(.*)|(\w+)\((.*))")
_OPEN_FILE = re.compile(r"\d+<([^>]*)>")
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(slots=True)
class Call:
    """One call: when it began and when it came back, as places in the log."""

    thread: str
    name: str
    words: str
    begins: int
    # The working folder of the process: paths may be seen from there.
    folder: Path
    ends: int = sys.maxsize

    @property
    def path(self) -> str:
        """The open file that the call is about."""
        at = _OPEN_FILE.match(self.words)
        return at[1].removesuffix(" (deleted)") if at else ""

    @property
    def paths(self) -> list[str]:
        """The paths that the call names."""
        return [str(self.folder / path) for path in _TEXT.findall(self.words)]


def traced(log: Path, *more: str) -> list[str]:
    """The words to put before a command; the test is skipped where nothing can be traced."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed: it sees in which order a process syncs and answers")
    names = ",".join((*_WRITES, *_SYNCS, *_RENAMES, *_UNLINKS, *_MKDIRS, *_SENDS))
    words = [*_STRACE, f"trace={names}", *more, "-o", str(log)]
    tried = subprocess.run([*words, "true"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip("processes may not be traced here")
    return words


def calls_in(log: Path, folder: Path) -> list[Call]:
    """The calls of all threads and children of a process that works in a folder, as they began."""
    made: list[Call] = []
    open_calls: dict[tuple[str, str], Call] = {}
    with log.open(encoding="latin-1") as lines:
        for place, line in enumerate(lines):
            told = _LINE.match(line)
            if told is None:
                continue
            thread, resumed, rest, name, words = told.groups()
            if resumed:
                call = open_calls.pop((thread, resumed), None)
                if call is not None:
                    call.words += rest
                    call.ends = place
                continue
            call = Call(thread, name, words, place, folder)
            made.append(call)
            if "<unfinished ...>" in words:
                open_calls[thread, name] = call
            else:
                call.ends = place
    return made


def written(calls: Sequence[Call], mark: str, folder: Path) -> list[Call]:
    """The writes that put a mark into a file of a folder."""
    return [
        call
        for call in calls
        if call.name in _WRITES and mark in call.words and _is_in(call.path, folder)
    ]


def answers(calls: Sequence[Call], begins: str = "HTTP/1.1 200") -> list[Call]:
    """The answers that were sent over a connection."""
    sends = (*_SENDS, *_WRITES)
    return [call for call in calls if call.name in sends and f'"{begins}' in call.words]


def is_synced(calls: Sequence[Call], write: Call, before: int) -> bool:
    """Whether the file of a write was synced after it, and before a place in the log."""
    return any(
        call.name in _SYNCS
        and call.path == write.path
        and call.begins > write.ends
        and call.ends < before
        for call in calls
    )


def renames(calls: Sequence[Call], folder: Path) -> list[tuple[Call, str, str]]:
    """What got a name in a folder: the call, what it was called before, and its name."""
    done = [call for call in calls if call.name in _RENAMES and call.words.endswith("= 0")]
    named = [(call, *call.paths[:2]) for call in done]
    return [(call, old, new) for call, old, new in named if _is_in(new, folder)]


def renamed_too_soon(calls: Sequence[Call], folder: Path) -> Iterator[str]:
    """Every file that got its name in a folder before all that was written to it was synced."""
    for rename, old, new in renames(calls, folder):
        writes = {
            call.path: call
            for call in calls
            if call.name in _WRITES and call.begins < rename.begins and _is_in(call.path, Path(old))
        }
        for path, last in writes.items():
            if not is_synced(calls, last, rename.begins):
                yield f"{path} was renamed to {new} before it was synced"
            above = Path(path).parent
            # A folder that is renamed must hold the names of its files by then.
            if _is_in(str(above), Path(old)) and not is_named_for_good(
                calls, last, path, rename.begins
            ):
                yield f"{above} was renamed to {new} before it was synced"


def is_there_for_good(calls: Sequence[Call], write: Call, before: int, top: Path) -> bool:
    """Whether what was written is on the disk before a place in the log, under a name that lasts:
    the file is synced, and so is every folder in which it, or a folder above it, got its name."""
    above = {write.path, *map(str, Path(write.path).parents)}
    names = [(call, new) for call, _, new in renames(calls, top)]
    names += [(call, path) for call, path in new_folders(calls, top)]
    return is_synced(calls, write, before) and all(
        is_named_for_good(calls, call, name, before)
        for call, name in names
        if name in above and call.begins < before
    )


def new_folders(calls: Sequence[Call], folder: Path) -> list[tuple[Call, str]]:
    """The folders that were made in a folder, or that folder itself."""
    done = [call for call in calls if call.name in _MKDIRS and call.words.endswith("= 0")]
    return [(call, call.paths[0]) for call in done if _is_in(call.paths[0], folder)]


def is_named_for_good(calls: Sequence[Call], rename: Call, name: str, before: int) -> bool:
    """Whether the folder of a new name was synced before a place in the log."""
    return any(
        call.name in _SYNCS
        and call.path == str(Path(name).parent)
        and rename.ends < call.begins
        and call.ends < before
        for call in calls
    )


def unlinks(calls: Sequence[Call], folder: Path) -> list[tuple[Call, str]]:
    """What lost its name in a folder."""
    done = [call for call in calls if call.name in _UNLINKS and call.words.endswith("= 0")]
    return [(call, call.paths[0]) for call in done if _is_in(call.paths[0], folder)]


def _is_in(path: str, folder: Path) -> bool:
    return path == str(folder) or path.startswith(f"{folder}/")
