"""The lines of inputs as the engine reads them: those of JSONL files, and rows of Parquet files."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from ragstone.contracts.diagnose import BLANKS, BOM, numbered
from ragstone.contracts.sources import Source, lines_of
from ragstone.engine.duck import Duck, listed, quoted
from ragstone.engine.parquet_files import Columns, cells_sql, rows_sql

# DuckDB refuses a longer line; it is then measured in Python, and read with a larger limit. Small
# buffers stay in the cache.
LINE_LIMIT = 2 * 1024 * 1024
# From how many lines their shape is learned, and from how many places of the input.
_SAMPLE = 512
_PLACES = 8
# The rows of a Parquet file are of one type, and going to a place in it takes longer.
_PLACES_OF_ROWS = 3


class Lines(Protocol):
    """The lines of some sources that are read by one statement."""

    @property
    def sources(self) -> tuple[Source, ...]: ...

    def sql(self) -> str:
        """A table of the lines: `json`, and `file_index`, the place of the line's source."""

    def all(self) -> Iterator[bytes]:
        """The lines that hold something, as they are."""

    def sample(self) -> Iterator[bytes]:
        """Some lines from all over the sources."""


@dataclass(frozen=True, slots=True)
class JsonLines:
    """The lines of JSONL files, all packed in one way; none is longer than `limit` bytes."""

    sources: tuple[Source, ...]
    limit: int = LINE_LIMIT

    def sql(self) -> str:
        files = listed([str(source.path) for source in self.sources])
        return (
            f"read_ndjson_objects({files}, format = 'newline_delimited', "
            f"compression = {quoted(self.sources[0].compression)}, "
            f"maximum_object_size = {self.limit})"
        )

    def all(self) -> Iterator[bytes]:
        return held_by(self.sources)

    def sample(self) -> Iterator[bytes]:
        """Some lines from all over the input; of a packed one, from its beginning."""
        if self.sources[0].compression != "none":
            yield from _some(self.all(), _SAMPLE)
            return
        chosen = self.sources[:: -(-len(self.sources) // _PLACES)]
        for source in chosen:
            size = source.path.stat().st_size
            with source.path.open("rb") as file:
                for place in range(_PLACES):
                    file.seek(place * size // _PLACES)
                    if place:
                        file.readline(LINE_LIMIT)
                    lines = iter(lambda: file.readline(LINE_LIMIT), b"")
                    yield from _some(lines, _SAMPLE // _PLACES // len(chosen))


@dataclass(frozen=True, slots=True)
class ParquetRows:
    """The rows of Parquet files that are like each other, read without a copy of them."""

    duck: Duck
    sources: tuple[Source, ...]
    columns: tuple[Columns, ...]

    def sql(self) -> str:
        return rows_sql(self.sources, self.columns)

    def cells(self) -> str:
        """A table of the rows as structs: `cells`, and `file_index`."""
        return cells_sql(self.sources, self.columns)

    def all(self) -> Iterator[bytes]:
        return self._rows("")

    def sample(self) -> Iterator[bytes]:
        count = self.duck.count(f"select count(*) from {self.sql()}")
        for place in range(_PLACES_OF_ROWS):
            begin = place * count // _PLACES_OF_ROWS
            yield from self._rows(f"limit {_SAMPLE // _PLACES_OF_ROWS} offset {begin}")

    def _rows(self, which: str) -> Iterator[bytes]:
        for (line,) in self.duck.stream(f"select json::varchar from {self.sql()} {which}"):
            yield str(line).encode()


def held_by(sources: Iterable[Source]) -> Iterator[bytes]:
    """The lines of files that hold something, as they are."""
    for source in sources:
        for _, line in numbered(lines_of(source)):
            yield line


def _some(lines: Iterator[bytes], count: int) -> Iterator[bytes]:
    """The next few lines that are not blank, and not too many bytes of them."""
    left = LINE_LIMIT // _PLACES
    for line in itertools.islice(lines, count):
        if line.strip(BLANKS):
            yield line.removeprefix(BOM).strip(BLANKS)
        left -= len(line)
        if left < 0:
            return
