"""Records of minutes that are still open, on disk: they wait there until nothing late can come.

Spans wait apart. A trace is whole once its root is there and the minute in which the root ended is
closed; its spans are then joined by the format `otel`, and the trace is a record of that minute.
"""

from __future__ import annotations

import errno
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck, identifier, listed, text
from ragstone.formats.known_formats import find_format
from ragstone.formats.translate import Limits, translate
from ragstone.scratch import keep
from ragstone.serve.minute_rows import Line
from ragstone.serve.moments import MINUTE, minute_of
from ragstone.serve.stored_lines import value_of

# What is held in memory before it goes to the files of the minutes.
_HELD = 4 * 1024 * 1024
# Where the disk is full, so much is: no record after that is in a window.
_MOST_HELD = 64 * 1024 * 1024
# Spans whose root does not come are given up so long after the last of them.
_ROOTLESS = 10 * MINUTE


class WindowSpool:
    """What was added and not yet judged; a lock lets one thread add while another takes.

    What is taken stays here until it is `done`: whoever could not judge it takes it again. Where
    the disk is full, lines wait in memory, up to a limit.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[int, list[str]] = {}
        self._spans: list[str] = []
        self._size, self._flushes_at = 0, _HELD
        self._on_disk: set[int] = set()
        self._taken: list[Path] = []
        self._joining: list[str] = []
        self._lock = threading.Lock()

    def add(self, line: Line) -> None:
        text = f"{line.moment} {line.id} {line.text}\n"
        with self._lock:
            self._must_fit(text)
            self._held.setdefault(minute_of(line.moment), []).append(text)
            self._grow(text)

    def add_span(self, line: str) -> None:
        """A span, as `span_line` writes it."""
        with self._lock:
            self._must_fit(line)
            self._spans.append(f"{line}\n")
            self._grow(line)

    def _must_fit(self, text: str) -> None:
        if self._size + len(text) > _MOST_HELD:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _grow(self, text: str) -> None:
        self._size += len(text)
        if self._size > self._flushes_at:
            self._flush()

    def first(self) -> int | None:
        """The first minute that has a record."""
        with self._lock:
            return min((*self._held, *self._on_disk), default=None)

    def take(self, last: int) -> Iterator[Line]:
        """The records of the minutes up to this one, and those that were taken and not done."""
        with self._lock:
            self._flush()
            for minute in sorted(minute for minute in self._on_disk if minute <= last):
                taken = self._folder / f"taken-{minute}-{len(self._taken)}"
                self._path(minute).rename(taken)
                self._on_disk.remove(minute)
                self._taken.append(taken)
        for path in self._taken:
            with path.open(encoding="utf-8", newline="\n") as file:
                for each in file:
                    moment, id, said = each.rstrip("\n").split(" ", 2)
                    yield Line(int(moment), id, said)

    def done(self) -> None:
        """What was taken is judged, and is gone from here."""
        with self._lock:
            for path in self._taken:
                path.unlink()
            self._taken.clear()

    def take_spans(self, last: int, clock: int) -> tuple[list[str], int]:
        """The spans of traces whose root ended up to a minute; and how many were given up."""
        with self._lock:
            self._flush()
            path = self._folder / "spans"
            if not path.exists():
                return [*self._joining], 0
            with path.open(encoding="utf-8", newline="\n") as file:
                every = file.readlines()
            done, newest = _ended(every)
            ready = {name for name, end in done.items() if minute_of(end) <= last}
            old = {name for name, end in newest.items() if end + _ROOTLESS < clock} - set(done)
            gone = sum(_name(line) in old for line in every)
            if ready or old:
                _rewrite(path, [line for line in every if _name(line) not in ready | old])
                self._joining += [line for line in every if _name(line) in ready]
            return [*self._joining], gone

    def done_spans(self) -> None:
        """The spans that were taken are joined, and are gone from here."""
        with self._lock:
            self._joining.clear()

    def forget(self, ids: frozenset[str]) -> None:
        """Takes out what has one of these ids, names or questions."""
        with self._lock:
            for lines in (*self._held.values(), self._spans, self._joining):
                lines[:] = [line for line in lines if not _names(line, ids)]
            for path in (*map(self._path, self._on_disk), *self._taken, self._folder / "spans"):
                if path.exists():
                    with path.open(encoding="utf-8", newline="\n") as file:
                        kept = [line for line in file if not _names(line, ids)]
                    _rewrite(path, kept)

    def _flush(self) -> None:
        try:
            for minute, lines in [*self._held.items()]:
                if lines:
                    _append(self._path(minute), lines)
                    self._on_disk.add(minute)
                del self._held[minute]
            _append(self._folder / "spans", self._spans)
            self._spans.clear()
        finally:
            held = (*self._held.values(), self._spans)
            self._size = sum(len(line) for lines in held for line in lines)
            # Where the disk is full, it is tried again when more has come.
            self._flushes_at = self._size + _HELD

    def _path(self, minute: int) -> Path:
        return self._folder / f"minute-{minute}"


def _append(path: Path, lines: list[str]) -> None:
    """All of the lines at the end of a file, or none."""
    if not lines:
        return
    left = memoryview("".join(lines).encode())
    with path.open("ab", buffering=0) as file:
        end = os.fstat(file.fileno()).st_size
        try:
            while left:
                left = left[file.write(left) :]
        except OSError:
            file.truncate(end)
            raise


def _rewrite(path: Path, lines: list[str]) -> None:
    """Fewer lines in the place that a file has: this also works where the disk is full."""
    with path.open("r+b", buffering=0) as file:
        left = memoryview("".join(lines).encode())
        size = len(left)
        while left:
            left = left[file.write(left) :]
        file.truncate(size)


def _name(line: str) -> str:
    return line.split(" ", 3)[2]


def by_trace(lines: Iterable[str]) -> list[list[str]]:
    """The spans of each trace."""
    traces: dict[str, list[str]] = {}
    for line in lines:
        traces.setdefault(_name(line), []).append(line)
    return [*traces.values()]


def _ended(lines: Iterable[str]) -> tuple[dict[str, int], dict[str, int]]:
    """When the root of each trace ended, and when the last of its spans did."""
    roots: dict[str, int] = {}
    newest: dict[str, int] = {}
    for line in lines:
        root, end, name, _ = line.split(" ", 3)
        newest[name] = max(newest.get(name, 0), int(end))
        if root == "1":
            roots[name] = max(roots.get(name, 0), int(end))
    return roots, newest


def _names(line: str, ids: frozenset[str]) -> bool:
    if any(each in ids for each in line.split(" ", 3)[:3]):
        return True
    value = value_of(line[line.index("{") :])
    names = (value.get(key) for key in ("qid", "q_id", "trace_id"))
    return any(str(name) in ids for name in names if name is not None)


def joined_traces(spans: list[str], losses: Counter[str]) -> Iterator[Line]:
    """The traces that some spans make, by the format `otel`; what is left out is counted."""
    if not spans:
        return
    roots, _ = _ended(spans)
    with Duck(1) as duck:
        lines = (line.split(" ", 3)[3].encode() for line in spans)
        source = Source("spans", keep(duck.scratch, lines))
        made = translate(find_format("otel", "traces", {}), (source,), duck.scratch, Limits(1))
        losses.update({each.why: each.count for each in made.lost})
        rows = f"read_parquet({listed([str(each.path) for each in made.sources])})"
        own = [identifier(name) for name in duck.columns(rows) if not name.startswith("from_")]
        # What a line does not say is not there: a merge takes out what is null.
        said = f"select json_merge_patch('{{}}', to_json(made)) from (select {', '.join(own)} "
        for (line,) in duck.stream(f"{said} from {rows}) as made"):
            name = str(value_of(text(line))["trace_id"])
            yield Line(roots.get(name, 0), name, text(line))


def joined(traces: Iterable[list[str]]) -> tuple[list[Line], Counter[str]]:
    """The records that traces make, and what of them is left out."""
    losses: Counter[str] = Counter()
    return [*joined_traces([line for spans in traces for line in spans], losses)], losses
