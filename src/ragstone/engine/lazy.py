"""An engine that starts when something needs it; small tables are read and scored without one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from ragstone.contracts.sources import Source, open_bytes
from ragstone.engine.duck import Duck


class LazyDuck:
    """A scratch folder at once, and a Duck on demand."""

    def __init__(self, threads: int | None = None) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="ragstone-"))
        self._threads = threads
        self._duck: Duck | None = None

    @property
    def duck(self) -> Duck:
        if self._duck is None:
            self._duck = Duck(self._threads)
        return self._duck

    def plain(self, source: Source) -> Source:
        """The source as text: Parquet becomes JSON Lines."""
        if not source.parquet:
            return source
        from ragstone.engine.read_lines import as_jsonl

        return as_jsonl(self.duck, source)

    def lines(self, source: Source) -> Iterator[bytes]:
        """The lines of a text, each with its line break."""
        if source.compression == "zstd":
            from ragstone.engine.read_lines import lines_of

            for line in lines_of(self.duck, source):
                yield line + b"\n"
            return
        with open_bytes(source) as file:
            yield from file

    def __enter__(self) -> LazyDuck:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._duck is not None:
            self._duck.close()
        shutil.rmtree(self.scratch, ignore_errors=True)
