"""Where pairs are kept: a folder for each run of a shadow, with a file for each day.

```
DATA/shadow/RUN/2026-11-18.jsonl    pairs, and what each mirror has counted, as they came
```
Several processes may append to one file: workers of an app, and a server beside it. Each line is
written under a lock of the file. Whoever rewrites a file to forget something takes the same lock;
a writer that waited for it finds that the name is of another file now, and opens that one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec

from ragstone.contracts.kinds import MOST
from ragstone.errors import ConfigError, InputError
from ragstone.file_lock import lock
from ragstone.own_files import (
    Aside,
    make_own_folder,
    open_own,
    open_plain,
    own_files,
    write_own,
)
from ragstone.shadow.pairs import Pair
from ragstone.worker import say

FOLDER = "shadow"
RUN = "shadow"
_SUFFIX = ".jsonl"
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\.jsonl")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


# As large as any number that is read; more of it could not be written as one with a point.
Count = Annotated[int, msgspec.Meta(ge=0, le=MOST)]


class Counts(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a mirror has done since it began; `mirror` names it, and the last of its lines stands.

    Every live question that was seen is in exactly one of `left_out` (not in the share), `unread`
    (no question, or an answer of another form), `dropped` (the queue was full, the mirror ended,
    or the disk did not take the pair), `answered` and `failed`, or it is still `waiting`. `why` has
    the first reason of `unread`, `dropped` and `failed`.
    """

    mirror: str
    target: str = ""
    share: float = 1.0
    seen: Count = 0
    left_out: Count = 0
    unread: Count = 0
    dropped: Count = 0
    answered: Count = 0
    failed: Count = 0
    waiting: Count = 0
    why: dict[str, str] = {}


class Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of a file: a pair, or counts."""

    pair: Pair | None = None
    counts: Counts | None = None


_ENCODER, _DECODER = msgspec.json.Encoder(), msgspec.json.Decoder(Line)


class PairFiles:
    """The files of one run of a shadow."""

    def __init__(self, data: Path, run: str = RUN) -> None:
        if not _NAME.fullmatch(run):
            raise ConfigError(
                f"the run {run!r}: expected a name of letters, digits, dots, - and _, as in 2026-11"
            )
        self.run = run
        self.folder = data / FOLDER / run
        self._aside = Aside(data)

    def make(self) -> None:
        """The folder; InputError where it cannot be made."""
        make_own_folder(self.folder.parent)
        make_own_folder(self.folder)

    def add(self, line: Pair | Counts, now: float) -> None:
        """Appends a line, whole or not at all; OSError where the disk does not take it."""
        made = Line(pair=line) if isinstance(line, Pair) else Line(counts=line)
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        path = self.folder / f"{day}{_SUFFIX}"
        with _appending(path) as descriptor:
            self._set_torn_end_aside(path, descriptor)
            _append(descriptor, _ENCODER.encode(made) + b"\n")

    def files(self) -> list[Path]:
        """The files, oldest first."""
        return own_files(self.folder, _DAY)

    def lines(self, days: int = 0) -> Iterator[Line]:
        """Every line, in the order in which they were written; or those of the last days only."""
        for path in self.files()[-days:]:
            yield from (line for _, line in _read(path))

    def pairs(self) -> Iterator[Pair]:
        """Every pair, in the order in which they were written."""
        return (line.pair for line in self.lines() if line.pair is not None)

    def counts(self) -> list[Counts]:
        """What each mirror has counted, by the order in which mirrors began."""
        last: dict[str, Counts] = {}
        for line in self.lines():
            if line.counts is not None:
                last[line.counts.mirror] = line.counts
        return list(last.values())

    def forget(self, ids: Collection[str]) -> int:
        """Takes the pairs of these questions, traces or ids off the disk; says how many."""
        wanted = frozenset(ids)
        return sum(
            self._without(
                path, lambda pair: not wanted.isdisjoint((pair.id, pair.qid, pair.trace_id))
            )
            for path in self.files()
        )

    def _without(self, path: Path, gone: Callable[[Pair], bool]) -> int:
        """Rewrites a file without some of its pairs; says how many there were.

        A line that is no pair is set aside: nobody can say what it holds.
        """
        with _appending(path) as descriptor:
            self._set_torn_end_aside(path, descriptor)
            kept, odd, forgotten = [], [], 0
            with os.fdopen(open_own(path, os.O_RDONLY), "rb") as file:
                for raw in file:
                    line = line_of(raw)
                    if line is None:
                        odd.append(raw)
                    elif line.pair is not None and gone(line.pair):
                        forgotten += 1
                    else:
                        kept.append(raw)
            if odd:
                self._say(path, f"{len(odd):,} lines are", self._aside.add(path.name, odd))
            if odd or forgotten:
                write_own(path, kept)
            return forgotten

    def _set_torn_end_aside(self, path: Path, descriptor: int) -> None:
        """A line that a kill left without its end, where it is written behind."""
        end = os.lseek(descriptor, 0, os.SEEK_END)
        if not end or os.pread(descriptor, 1, end - 1) == b"\n":
            return
        where = self._aside.cut(path.name, descriptor, _last_end(descriptor, end))
        self._say(path, "the end is", where)

    def _say(self, path: Path, what: str, where: Path | None) -> None:
        say(f"{path}: {what} no pair, and moved to {where}")

    def remove_before(self, moment: float) -> int:
        """Removes the files of days that ended before a moment; says how many."""
        day = datetime.fromtimestamp(moment, UTC).date().isoformat()
        old = [path for path in self.files() if path.name.removesuffix(_SUFFIX) < day]
        for path in old:
            path.unlink(missing_ok=True)
        return len(old)


def runs_in(data: Path) -> list[str]:
    """The runs of a folder of live data, the one that was written to last first."""
    found: list[tuple[float, str]] = []
    every = [] if (data / FOLDER).is_symlink() else (data / FOLDER).glob("*/")
    for folder in every:
        if folder.is_symlink() or not _NAME.fullmatch(folder.name):
            continue
        moments: list[float] = []
        for path in own_files(folder, _DAY):
            # Another process may have removed it since: it was too old, or all of it is forgotten.
            with suppress(FileNotFoundError):
                moments.append(path.stat().st_mtime)
        if moments:
            found.append((-max(moments), folder.name))
    return [name for _, name in sorted(found)]


def _read(path: Path) -> Iterator[tuple[bytes, Line]]:
    """The lines of a file as bytes and as what they say; a last one that is not whole is not yet
    written."""
    with os.fdopen(open_plain(path), "rb") as file:
        for number, raw in enumerate(file, 1):
            if not raw.endswith(b"\n"):
                return
            line = line_of(raw)
            if line is None:
                raise damaged(path, number)
            yield raw, line


def line_of(raw: bytes) -> Line | None:
    """A line of a file; None for what is none."""
    try:
        return _DECODER.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def damaged(path: Path, number: int) -> InputError:
    """What to say of a line that is no pair."""
    return InputError(
        f"{path} is damaged at line {number:,}: it is no pair; restore the file from a copy, or "
        "remove that line to go on without it"
    )


@contextmanager
def _appending(path: Path) -> Iterator[int]:
    """The file that has this name now, locked."""
    while True:
        descriptor = open_own(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            lock(descriptor, wait=True)
            if _is_at(descriptor, path):
                yield descriptor
                return
        finally:
            os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the name is still that of the open file, and not of one that replaced it."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _append(descriptor: int, data: bytes) -> None:
    """All of the bytes at the end of the file, or none."""
    end = os.lseek(descriptor, 0, os.SEEK_END)
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError:
        os.ftruncate(descriptor, end)
        raise


def _last_end(descriptor: int, end: int) -> int:
    """Where the last whole line of an open file ends."""
    back = 0
    while back < end:
        back = min(max(back * 2, 4096), end)
        found = os.pread(descriptor, back, end - back).rfind(b"\n")
        if found >= 0:
            return end - back + found + 1
    return 0
