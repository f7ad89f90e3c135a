"""Where an input comes from: files, globs, standard input, Parquet, or data already in memory.

Everything becomes a `Source`: a file on disk that can be read twice, and the name the user knows it
by. Data frames are written out as JSONL first, and rows of Parquet files become lines of JSON where
they are read, so that one contract, one reader and one set of diagnostics serve them all.
"""

from __future__ import annotations

import glob
import math
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal, Protocol, runtime_checkable

from ragstone.contracts.folder_files import files_in, passed_over
from ragstone.contracts.packed import (
    Compression,
    Damaged,
    TooLong,
    blocks_in,
    compression_of,
    count_lines,
    lines_in,
)
from ragstone.contracts.placed_lines import array_lines
from ragstone.contracts.strict_json import NotJson, unknown, written
from ragstone.errors import ContractError, Diagnostic, Diagnostics, InputError, say_note
from ragstone.progress import weighing
from ragstone.scratch import keep

_PARQUET = b"PAR1"
_ENCRYPTED_PARQUET = b"PARE"
_TABLE = "table:"
_BOM = b"\xef\xbb\xbf"
_PACKINGS = (".gz", ".gzip", ".zst", ".zstd")

Form = Literal["lines", "array", "csv", "tsv"]


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
    """One input, ready to be read: `name` is what diagnostics call it.

    `form` says what the records of the file are: its lines, the elements of a JSON array, or rows
    under a header. `lines` counts the lines of a packed file, blank ones too. A file that cannot
    be read has a `fault`, which is raised where it would be read, so that the other inputs are
    looked at first. So has a `table` of Spark's catalogue, which only Spark can read.
    Rows that were translated from another tool's files are `made_of` these, by name
    (`engine/translated_lines.py`). `folder` is the one that was given, where the file is in one.
    """

    name: str
    path: Path
    compression: Compression = "none"
    parquet: bool = False
    form: Form = "lines"
    lines: int = 0
    fault: InputError | None = None
    table: str = ""
    made_of: tuple[str, ...] = ()
    folder: str = ""

    @property
    def is_one_piece(self) -> bool:
        """Whether the file can be read only from its beginning to its end."""
        return self.parquet or self.compression != "none" or self.form != "lines"

    def must_be_readable(self) -> None:
        if self.fault is not None:
            raise self.fault


def find(given: Input, what: str, scratch: Path) -> tuple[Source, ...]:
    """The sources behind a path, a glob, several of them, `-`, or data in memory.

    `what` names the input in messages ("gold", "trace"); temporary files go to `scratch`. A path
    with nothing readable behind it is a source too, with the reason as its fault.
    """
    if isinstance(given, str | Path):
        return tuple(_from_path(given, what, scratch))
    rows = frame_rows(given)
    if rows is not None:
        if isinstance(given, PandasLike):
            rows = map(_without_nan, rows)
        return (_from_rows(rows, what, scratch),)
    if isinstance(given, Mapping | bytes) or not isinstance(given, Iterable):
        kind = "single dictionary" if isinstance(given, Mapping) else type(given).__name__
        raise InputError(f"{what}: expected paths, rows or a table, found a {kind}")
    items = list(given)
    paths = [item for item in items if isinstance(item, str | Path)]
    if not paths:
        return (_from_rows(items, what, scratch),)
    if len(paths) < len(items):
        raise InputError(f"{what}: expected either paths or rows, found both")
    # Two globs may match the same file; it is read once, at its first place.
    found: dict[Path | str, Source] = {}
    for path in paths:
        for source in _from_path(path, what, scratch):
            found.setdefault(source.name if source.fault else source.path.resolve(), source)
    return tuple(found.values())


def frame_rows(given: object) -> Iterable[dict[str, object]] | None:
    """The rows of a table or data frame; None if it is neither."""
    if isinstance(given, ArrowLike):
        return given.to_pylist()
    if isinstance(given, PolarsLike):
        return given.to_dicts()
    return given.to_dict("records") if isinstance(given, PandasLike) else None


def _from_path(given: str | Path, what: str, scratch: Path) -> Iterator[Source]:
    text = str(given)
    if text == "-":
        yield _from_stdin(what, scratch)
        return
    try:
        if given == "":
            raise InputError(f"the name of the {what} file is empty")
        if os.path.lexists(text):
            yield from _existing(text, what, scratch)
        elif "://" in text:
            yield from _from_url(text, what, scratch)
        elif glob.has_magic(text):
            matches = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 (absolute ones too)
            if "**" in text:
                # What is in a folder is matched beside it.
                matches = [match for match in matches if not Path(match).is_dir()]
            if not matches:
                raise InputError(f"no {what} file matches {text}")
            for match in matches:
                yield from _existing(match, what, scratch)
        elif text.startswith(_TABLE) and len(text) > len(_TABLE):
            says = f"{what} {text} is a table of Spark's catalogue; it needs --engine spark"
            table = _unreadable(text, scratch, InputError(says))
            yield replace(table, table=text.removeprefix(_TABLE))
        else:
            raise InputError(f"{what} file {text} does not exist")
    except InputError as error:
        yield _unreadable(text, scratch, error)


def _existing(name: str, what: str, scratch: Path) -> Iterator[Source]:
    """The source of a file, or those of the files in a folder."""
    if not Path(name).is_dir():
        yield _opened(name, Path(name), what, scratch)
        return
    files, passed = files_in(name, what)
    if passed:
        say_note(passed_over(name, passed))
    for file in files:
        yield replace(_opened(file, Path(file), what, scratch), folder=name)


def _from_url(url: str, what: str, scratch: Path) -> Iterator[Source]:
    # Imported here, because only a URL needs it.
    from ragstone.contracts.remote_files import fetched

    for name, copy in fetched(url, what, scratch):
        yield _opened(name, copy, what, scratch)


def _unreadable(name: str, scratch: Path, error: InputError) -> Source:
    # There is no such file: whoever does not ask for the fault cannot take it for an empty one.
    return Source(name, scratch / "unreadable", fault=error)


def _opened(name: str, path: Path, what: str, scratch: Path) -> Source:
    """The source of a path that exists; it has a fault unless all of it can be read."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            # A pipe, as `<(zcat ...)` makes: like standard input, it can be read only once.
            with path.open("rb") as file:
                path = _spooled(file, name, scratch)
        with path.open("rb") as file:
            head = file.read(4)
        return _packed(Source(name, plainly_named(path, scratch)), head, what)
    except OSError as error:
        says = f"{what} file {name} cannot be read: {error.strerror}"
        return _unreadable(name, scratch, InputError(says))
    except InputError as error:
        return _unreadable(name, scratch, error)


def _packed(source: Source, head: bytes, what: str) -> Source:
    """How the file is packed; if it is, it must be whole."""
    if head == _PARQUET:
        return replace(source, parquet=True)
    if head == _ENCRYPTED_PARQUET:
        raise InputError(
            f"{what} file {source.name} is an encrypted Parquet file; write it without encryption"
        )
    packed = replace(source, compression=compression_of(head))
    try:
        formed = replace(packed, form=_form_of(packed))
        if packed.compression == "none":
            return formed
        if formed.form == "array":
            # An array may be one line of any length.
            for _ in blocks_in(packed.path, packed.compression):
                pass
            return formed
        return replace(formed, lines=count_lines(packed.path, packed.compression))
    except Damaged as error:
        raise InputError(f"{what} file {source.name} is damaged: {error}") from None
    except TooLong as error:
        raise _too_long(source, error) from None


def _form_of(source: Source) -> Form:
    """What the records of a file are: its first character says it, else the ending of its name."""
    start = b""
    for block in blocks_in(source.path, source.compression):
        start += block
        # Of a file that is nothing but blanks no more is kept than the last of them.
        start = start.removeprefix(_BOM).lstrip() or start[-1:]
        if not start.isspace() and len(start) > 1:
            break
    # UTF-16, which is refused for what it is.
    if start.startswith(b"[") and not start.startswith(b"[\0"):
        return "array"
    name = source.name.lower()
    for packing in _PACKINGS:
        name = name.removesuffix(packing)
    if start.startswith(b"{"):
        return "lines"
    return "csv" if name.endswith(".csv") else "tsv" if name.endswith(".tsv") else "lines"


def _too_long(source: Source, error: TooLong) -> ContractError:
    return ContractError([Diagnostic(source.name, error.line, "line", str(error))])


def lines_of(source: Source) -> Iterator[bytes]:
    """The lines of a source, byte for byte, whatever it is packed in; an error if one is too long.

    The elements of an array are its lines. A Parquet file has no lines before it is written out as
    JSONL.
    """
    source.must_be_readable()
    lines = (
        array_lines(blocks_in(source.path, source.compression), source.name)
        if source.form == "array"
        else lines_in(source.path, source.compression)
    )
    try:
        yield from weighing(lines, f"reading {source.name}", size_of((source,)))
    except TooLong as error:
        raise _too_long(source, error) from None


def plainly_named(path: Path, scratch: Path) -> Path:
    """DuckDB takes `run[1].jsonl` for a pattern and a `~` at the start for the home folder.

    It would read run1.jsonl instead, so such a file is read through a link without such a name, and
    so is one whose name is not UTF-8, which DuckDB cannot be told.
    """
    name = str(path)
    if not glob.has_magic(name) and not name.startswith("~") and name.isprintable():
        return path
    link = scratch / f"{len(list(scratch.iterdir()))}.link"
    link.symlink_to(path.resolve())
    return link


def _spooled(file: BinaryIO, name: str, scratch: Path) -> Path:
    """A copy to read twice of what can be read once, a piece at a time."""

    def pieces() -> Iterator[bytes]:
        try:
            while piece := file.read(1 << 20):
                yield piece
        except OSError as error:
            raise InputError(f"{name} cannot be read: {error.strerror}") from None

    return keep(scratch, weighing(pieces(), f"reading {name}"))


def _from_stdin(what: str, scratch: Path) -> Source:
    mark = scratch / "stdin"
    if mark.exists():
        raise InputError("standard input (-) can be given only once")
    if sys.stdin is None:
        raise InputError(f"the {what} is to come from standard input, which is closed")
    mark.touch()
    copy = _spooled(sys.stdin.buffer, "standard input", scratch)
    return _opened("<stdin>", copy, what, scratch)


def _from_rows(rows: Iterable[object], what: str, scratch: Path) -> Source:
    name, bad = f"<{what}>", Diagnostics()

    def lines() -> Iterator[bytes]:
        for number, row in enumerate(rows, 1):
            try:
                yield (written(row, _plain) + "\n").encode("utf-8", "surrogatepass")
            except NotJson as error:
                bad.add(Diagnostic(name, number, "json", str(error)))

    path = keep(scratch, lines())
    return Source(name, path, fault=bad.error())


def _plain(value: object) -> object:
    """Cells of data frames that json does not know: arrays, and scalars that wrap one."""
    for name in ("tolist", "isoformat"):
        convert = getattr(value, name, None)
        if callable(convert):
            return convert()
    return unknown(value)


def _without_nan(row: dict[str, object]) -> dict[str, object]:
    return {key: None if _absent(cell) else cell for key, cell in row.items()}


def _absent(cell: object) -> bool:
    """pandas says "absent" with NaN, NA or NaT, whatever the kind of column."""
    if isinstance(cell, float):
        return math.isnan(cell)
    return type(cell).__name__ in ("NAType", "NaTType")


# JSON of short records packs about this well; as Parquet too.
_PACKED = 8


def size_of(sources: Iterable[Source]) -> int:
    """About how many bytes the sources hold once unpacked."""
    return sum(
        source.path.stat().st_size
        * (_PACKED if source.parquet or source.compression != "none" else 1)
        for source in sources
        if source.fault is None
    )
