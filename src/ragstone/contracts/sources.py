"""Where an input comes from: files, globs, standard input, Parquet, or data already in memory.

Everything becomes a `Source`: a JSONL file on disk that can be read twice, and the name the user
knows it by. Parquet and data frames are written out as JSONL first, so that one contract, one
reader and one set of diagnostics serve them all.
"""

from __future__ import annotations

import glob
import json
import math
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, Protocol, runtime_checkable

from ragstone.errors import InputError

Compression = Literal["none", "gzip", "zstd"]

_MAGIC: tuple[tuple[bytes, Compression], ...] = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)
_PARQUET = b"PAR1"


@runtime_checkable
class ArrowLike(Protocol):
    """A pyarrow table, or anything that lists its rows the same way."""

    def to_pylist(self) -> list[dict[str, object]]: ...


@runtime_checkable
class PolarsLike(Protocol):
    """A polars data frame."""

    def to_dicts(self) -> list[dict[str, object]]: ...


@runtime_checkable
class PandasLike(Protocol):
    """A pandas data frame."""

    @property
    def columns(self) -> object: ...

    def to_dict(self, orient: str) -> list[dict[str, object]]: ...


Input = (
    str
    | Path
    | Sequence[str | Path]
    | Iterable[Mapping[str, object]]
    | ArrowLike
    | PolarsLike
    | PandasLike
)


@dataclass(frozen=True, slots=True)
class Source:
    """One input, ready to be read: `name` is what diagnostics call it."""

    name: str
    path: Path
    compression: Compression = "none"
    parquet: bool = False


def find(given: Input, what: str, scratch: Path) -> tuple[Source, ...]:
    """The sources behind a path, a glob, several of them, `-`, or data in memory.

    `what` names the input in messages ("gold", "trace"); temporary files go to `scratch`.
    """
    if isinstance(given, str | Path):
        return tuple(_from_path(given, what, scratch))
    if isinstance(given, ArrowLike):
        return (_from_rows(given.to_pylist(), what, scratch),)
    if isinstance(given, PolarsLike):
        return (_from_rows(given.to_dicts(), what, scratch),)
    if isinstance(given, PandasLike):
        return (_from_rows(map(_without_nan, given.to_dict("records")), what, scratch),)
    items = list(given)
    if items and all(isinstance(item, str | Path) for item in items):
        paths = [item for item in items if isinstance(item, str | Path)]
        return tuple(_once(source for item in paths for source in _from_path(item, what, scratch)))
    return (_from_rows([row for row in items if not isinstance(row, str | Path)], what, scratch),)


def _once(sources: Iterable[Source]) -> Iterator[Source]:
    """Two globs may match the same file; it is read once, at its first place."""
    seen: set[Path] = set()
    for source in sources:
        real = source.path.resolve()
        if real not in seen:
            seen.add(real)
            yield source


def _from_path(given: str | Path, what: str, scratch: Path) -> Iterator[Source]:
    text = str(given)
    if text == "-":
        yield _from_stdin(what, scratch)
        return
    if Path(text).exists():
        yield _opened(text, Path(text), what)
        return
    if glob.has_magic(text):
        matches = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 (absolute patterns too)
        if not matches:
            raise InputError(f"no {what} file matches {text}")
        for match in matches:
            yield _opened(match, Path(match), what)
        return
    raise InputError(f"{what} file {text} does not exist")


def _opened(name: str, path: Path, what: str) -> Source:
    if path.is_dir():
        raise InputError(
            f"{what} file {name} is a folder; give a file in it, or a glob such as "
            f"'{name.rstrip('/')}/*.jsonl'"
        )
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except OSError as error:
        raise InputError(f"{what} file {name} cannot be read: {error.strerror}") from None
    if head == _PARQUET:
        return Source(name, path, parquet=True)
    for magic, compression in _MAGIC:
        if head.startswith(magic):
            return Source(name, path, compression)
    return Source(name, path)


def _from_stdin(what: str, scratch: Path) -> Source:
    # Standard input can be read only once and the reader needs two passes, so it is spooled.
    path = scratch / f"{what}.stdin"
    if path.exists():
        raise InputError("standard input (-) can be given only once")
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return _opened("<stdin>", path, what)


def _from_rows(rows: Iterable[object], what: str, scratch: Path) -> Source:
    path = scratch / f"{what}.memory.jsonl"
    with path.open("w", encoding="utf-8", errors="surrogatepass") as file:
        for number, row in enumerate(rows, 1):
            try:
                file.write(json.dumps(row, ensure_ascii=False, default=_plain) + "\n")
            except (TypeError, ValueError) as error:
                raise InputError(f"<{what}>:{number}: json: {error}") from None
    return Source(f"<{what}>", path)


def _plain(value: object) -> object:
    """Cells of data frames that json does not know: arrays, and scalars that wrap one."""
    for name in ("tolist", "isoformat"):
        convert = getattr(value, name, None)
        if callable(convert):
            return convert()
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")


def _without_nan(row: dict[str, object]) -> dict[str, object]:
    # pandas has no other way to say "absent" in a column of numbers or objects.
    return {
        key: None if isinstance(cell, float) and math.isnan(cell) else cell
        for key, cell in row.items()
    }


def open_bytes(source: Source) -> BinaryIO:
    """The raw bytes of a plain or gzipped source."""
    if source.compression == "gzip":
        import gzip

        return gzip.open(source.path, "rb")  # type: ignore[return-value]
    return source.path.open("rb")
