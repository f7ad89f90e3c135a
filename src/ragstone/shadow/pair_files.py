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

import msgspec

from ragstone.errors import ConfigError, InputError
from ragstone.files import write_lines
from ragstone.shadow.pairs import Pair

FOLDER = "shadow"
RUN = "shadow"
_SUFFIX = ".jsonl"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


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
    seen: int = 0
    left_out: int = 0
    unread: int = 0
    dropped: int = 0
    answered: int = 0
    failed: int = 0
    waiting: int = 0
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

    def make(self) -> None:
        """The folder; InputError where it cannot be made."""
        try:
            self.folder.mkdir(0o700, parents=True, exist_ok=True)
        except OSError as error:
            said = (error.strerror or "").lower()
            raise InputError(f"the folder {self.folder} cannot be made: {said}") from None

    def add(self, line: Pair | Counts, now: float) -> None:
        """Appends a line, whole or not at all; OSError where the disk does not take it."""
        made = Line(pair=line) if isinstance(line, Pair) else Line(counts=line)
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        with _appending(self.folder / f"{day}{_SUFFIX}") as descriptor:
            _append(descriptor, _ENCODER.encode(made) + b"\n")

    def files(self) -> list[Path]:
        """The files, oldest first."""
        return sorted(self.folder.glob(f"*{_SUFFIX}"))

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
            _without(path, lambda pair: not wanted.isdisjoint((pair.id, pair.qid, pair.trace_id)))
            for path in self.files()
        )

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
    for folder in (data / FOLDER).glob("*/"):
        moments: list[float] = []
        for path in folder.glob(f"*{_SUFFIX}"):
            # Another process may have removed it since: it was too old, or all of it is forgotten.
            with suppress(FileNotFoundError):
                moments.append(path.stat().st_mtime)
        if moments:
            found.append((-max(moments), folder.name))
    return [name for _, name in sorted(found)]


def _read(path: Path) -> Iterator[tuple[bytes, Line]]:
    """The lines of a file as bytes and as what they say; a last one that is not whole is not yet
    written."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if not raw.endswith(b"\n"):
                return
            try:
                yield raw, _DECODER.decode(raw)
            except (msgspec.DecodeError, UnicodeDecodeError):
                raise InputError(
                    f"{path} is damaged at line {number:,}: it is no pair; restore the file from a "
                    "copy, or remove that line to go on without it"
                ) from None


def _without(path: Path, gone: Callable[[Pair], bool]) -> int:
    """Rewrites a file without some of its pairs; says how many there were."""
    with _appending(path) as descriptor:
        _cut_torn_end(descriptor)
        lines = list(_read(path))
        kept = [raw for raw, line in lines if line.pair is None or not gone(line.pair)]
        if len(kept) < len(lines):
            write_lines(path, kept)
        return len(lines) - len(kept)


@contextmanager
def _appending(path: Path) -> Iterator[int]:
    """The file that has this name now, locked."""
    import fcntl

    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
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
    end = _cut_torn_end(descriptor)
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError:
        os.ftruncate(descriptor, end)
        raise


def _cut_torn_end(descriptor: int) -> int:
    """Cuts off a line that a kill left without its end; returns where the file ends then."""
    end = os.lseek(descriptor, 0, os.SEEK_END)
    back = 1
    while end and os.pread(descriptor, 1, end - 1) != b"\n":
        back = min(max(back * 2, 4096), end)
        found = os.pread(descriptor, back, end - back).rfind(b"\n")
        if found >= 0 or back == end:
            end = end - back + found + 1
            os.ftruncate(descriptor, end)
            break
    return end
