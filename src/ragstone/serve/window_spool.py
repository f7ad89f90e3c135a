"""Records of minutes that are still open, on disk: they wait there until nothing late can come.

Spans wait apart. A trace is whole once its root is there and the minute in which the root ended is
closed; its spans are then joined by the format `otel`, and the trace is a record of that minute.
"""

from __future__ import annotations

import json
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

# What is held in memory before it goes to the files of the minutes.
_HELD = 4 * 1024 * 1024
# Spans whose root does not come are given up so long after the last of them.
_ROOTLESS = 10 * MINUTE


class WindowSpool:
    """What was added and not yet taken; a lock lets one thread add while another takes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[int, list[str]] = {}
        self._size = 0
        self._on_disk: set[int] = set()
        self._spans: list[str] = []
        self._lock = threading.Lock()

    def add(self, line: Line) -> None:
        with self._lock:
            said = f"{line.moment} {line.id} {line.text}\n"
            self._held.setdefault(minute_of(line.moment), []).append(said)
            self._size += len(said)
            if self._size > _HELD:
                self._flush()

    def add_span(self, line: str) -> None:
        """A span, as `span_line` writes it."""
        with self._lock:
            self._spans.append(f"{line}\n")
            self._size += len(line)
            if self._size > _HELD:
                self._flush()

    def first(self) -> int | None:
        """The first minute that has a record."""
        with self._lock:
            return min((*self._held, *self._on_disk), default=None)

    def take(self, last: int) -> Iterator[Line]:
        """The records of the minutes up to this one, which are gone from here."""
        with self._lock:
            self._flush()
            minutes = sorted(minute for minute in self._on_disk if minute <= last)
            self._on_disk -= set(minutes)
        for minute in minutes:
            path = self._path(minute)
            with path.open(encoding="utf-8", newline="\n") as file:
                for each in file:
                    moment, id, said = each.rstrip("\n").split(" ", 2)
                    yield Line(int(moment), id, said)
            path.unlink()

    def take_spans(self, last: int, clock: int) -> tuple[list[str], int]:
        """The spans of traces whose root ended up to a minute; and how many were given up."""
        with self._lock:
            self._flush()
            path = self._folder / "spans"
            if not path.exists():
                return [], 0
            with path.open(encoding="utf-8", newline="\n") as file:
                every = file.readlines()
            done, newest = _ended(every)
            ready = {name for name, end in done.items() if minute_of(end) <= last}
            old = {name for name, end in newest.items() if end + _ROOTLESS < clock} - set(done)
            taken = [line for line in every if _name(line) in ready]
            gone = sum(_name(line) in old for line in every)
            left = [line for line in every if _name(line) not in ready | old]
            path.write_text("".join(left), encoding="utf-8", newline="\n")
            return taken, gone

    def forget(self, ids: frozenset[str]) -> None:
        """Takes out what has one of these ids, names or questions."""
        with self._lock:
            self._flush()
            for path in (*map(self._path, self._on_disk), self._folder / "spans"):
                if path.exists():
                    _without(path, ids)

    def _flush(self) -> None:
        for minute, lines in self._held.items():
            _append(self._path(minute), lines)
            self._on_disk.add(minute)
        _append(self._folder / "spans", self._spans)
        self._held, self._spans, self._size = {}, [], 0

    def _path(self, minute: int) -> Path:
        return self._folder / f"minute-{minute}"


def _append(path: Path, lines: list[str]) -> None:
    if lines:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)


def _name(line: str) -> str:
    return line.split(" ", 3)[2]


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


def _without(path: Path, ids: frozenset[str]) -> None:
    """Rewrites a spool without the lines that name one of the ids in any value."""
    with path.open(encoding="utf-8", newline="\n") as file:
        kept = [line for line in file if not _names(line, ids)]
    path.write_text("".join(kept), encoding="utf-8", newline="\n")


def _names(line: str, ids: frozenset[str]) -> bool:
    if any(each in ids for each in line.split(" ", 3)[:3]):
        return True
    value = json.loads(line[line.index("{") :])
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
            name = str(json.loads(text(line))["trace_id"])
            yield Line(roots.get(name, 0), name, text(line))
