"""Which part of which file a task reads: executors read files themselves, from a disk all have.

Spark's own reader of text goes by names: it passes over those that begin with `_`, takes brackets
for patterns, and takes a gzip file without an ending for text. Here a task is told the path and the
bytes, and every file goes through the one reader that there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ragstone.contracts.diagnose import BOM
from ragstone.contracts.packed import LONGEST
from ragstone.contracts.sources import Source, plainly_named
from ragstone.errors import InputError

# What opening a file costs, as bytes that could be read in that time: Spark's own number.
_OPENING = 4 * 1024 * 1024
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Split:
    """The lines of a file that begin from `start` to before `end`.

    `tab` is the place of its table in the job and `file` that of the file among the table's; `size`
    is the file's where the driver saw it.
    """

    tab: int
    file: int
    source: Source
    start: int
    end: int
    size: int

    @property
    def is_whole(self) -> bool:
        return (self.start, self.end) == (0, self.size)


def splits_of(tab: int, file: int, source: Source, divided: bool, step: int) -> Iterator[Split]:
    """The splits of a file, of so many bytes each where it can be divided."""
    size = source.path.stat().st_size
    if not divided:
        step = max(size, 1)
    for start in range(0, size, step):
        yield Split(tab, file, source, start, min(start + step, size), size)


def tasks_of(splits: Sequence[Split], step: int) -> list[list[Split]]:
    """The splits that each task reads: of small files several."""
    tasks: list[list[Split]] = []
    room = 0
    for split in splits:
        cost = split.end - split.start + _OPENING
        if not tasks or cost > room:
            tasks.append([])
            room = max(step, cost)
        tasks[-1].append(split)
        room -= cost
    return tasks


def step_for(total: int, files: int, most: int, cores: int) -> int:
    """How many bytes a task reads: as Spark does it, so that all cores have something to do."""
    return max(1, min(most, max(_OPENING, (total + files * _OPENING) // cores)))


class Piece(NamedTuple):
    """The lines of a split as a source; `late` says that the first begins after its start."""

    source: Source
    late: bool = False


def piece_of(split: Split, scratch: Path) -> Piece | None:
    """The lines of a split; None where no line begins in it."""
    path = split.source.path
    if path.stat().st_size != split.size:
        raise InputError(f"{split.source.name} is another file than the driver's")
    here = replace(split.source, path=plainly_named(path, scratch))
    if split.is_whole:
        return Piece(here)
    with path.open("rb") as file:
        begin, end = (_line_after(file, place, here.name) for place in (split.start, split.end))
        if begin == end:
            return None
        file.seek(begin)
        if begin and file.read(len(BOM)) == BOM:
            # At the start of a file the reader would pass over it, and this one is not there.
            raise InputError(f"{here.name}: a byte-order mark within the file")
        file.seek(begin)
        copy = scratch / "split.jsonl"
        with copy.open("wb") as lines:
            for start in range(begin, end, _BLOCK):
                lines.write(file.read(min(_BLOCK, end - start)))
    return Piece(replace(here, path=copy), late=begin > split.start)


def _line_after(file: BinaryIO, place: int, name: str) -> int:
    """Where the first line begins that does not begin before this place."""
    if place == 0:
        return 0
    file.seek(place - 1)
    rest = file.readline(LONGEST + 2)
    if len(rest) > LONGEST + 1:
        raise InputError(f"{name}: a line is too long")
    return place - 1 + len(rest)


def breaks_in(split: Split) -> int:
    """How many lines end in the bytes of a split."""
    found = 0
    with split.source.path.open("rb") as file:
        file.seek(split.start)
        for start in range(split.start, split.end, _BLOCK):
            found += file.read(min(_BLOCK, split.end - start)).count(b"\n")
    return found
