"""Reads the files of a run as they grow: what was read once is not read again.

The order of the lines is that in which the mirrors wrote them, day by day; a test that looks after
every question depends on it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ragstone.errors import InputError
from ragstone.own_files import open_plain
from ragstone.shadow.pair_files import Line, PairFiles, damaged, line_of


@dataclass(slots=True)
class _Place:
    """How far a file was read: which file it was, up to which byte and line."""

    file: tuple[int, int]
    offset: int = 0
    line: int = 0


class FollowedPairs:
    """The lines of a run that are new since the last look."""

    def __init__(self, files: PairFiles) -> None:
        self.files = files
        self._places: dict[str, _Place] = {}

    def begun_anew(self, wanted: bool = False) -> bool:
        """Whether a file that was read is gone or was rewritten: what was read holds no more.

        Somebody had a question forgotten, or old days were removed; or it is `wanted`.
        """
        known = {path.name: path for path in self.files.files()}
        for name, place in self._places.items():
            path = known.get(name)
            if path is None or _identity(path) != place.file or _size(path) < place.offset:
                wanted = True
        if wanted:
            self._places = {}
        return wanted

    def next(self, most: int | None = None) -> list[Line]:
        """The next lines, at most so many; none where all are read.

        Where one of them is damaged, none counts as read: the next look meets it again.
        """
        before = {name: replace(place) for name, place in self._places.items()}
        try:
            return self._next(most)
        except InputError:
            self._places = before
            raise

    def _next(self, most: int | None) -> list[Line]:
        found: list[Line] = []
        for path in self.files.files():
            if most is not None and len(found) >= most:
                break
            place = self._places.get(path.name)
            if place is None:
                place = self._places[path.name] = _Place(_identity(path))
            left = None if most is None else most - len(found)
            found.extend(_after(path, place, left))
        return found

    def left(self) -> int:
        """How many bytes are not read yet."""
        read = {name: place.offset for name, place in self._places.items()}
        return sum(max(0, _size(path) - read.get(path.name, 0)) for path in self.files.files())


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _size(path: Path) -> int:
    return path.stat().st_size


def _after(path: Path, place: _Place, most: int | None) -> Iterator[Line]:
    """The lines behind a place, which is moved; a last one that is not whole is left for later."""
    with os.fdopen(open_plain(path), "rb") as file:
        file.seek(place.offset)
        read = 0
        while most is None or read < most:
            raw = file.readline()
            if not raw.endswith(b"\n"):
                return
            line = line_of(raw)
            if line is None:
                raise damaged(path, place.line + 1)
            place.offset, place.line, read = file.tell(), place.line + 1, read + 1
            yield line
