"""The bytes of a file, plain or packed, and its lines: the one way from an input to either.

A run must not score the half of a log that a full disk left behind, and DuckDB looks neither at
the checksum of a gzip file nor at the end of a zstd file. So a packed file is unpacked once here
before anything is read from it.
"""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

Compression = Literal["none", "gzip", "zstd"]

# A few bytes of gzip can hold gigabytes without a line break, and a line is read whole.
LONGEST = 2**28
TOO_LONG = "a line of more than 256 MB"

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
# A frame that holds no data, with which some tools begin a zstd file; the first byte is 0x50 to
# 0x5f.
_SKIPPABLE = b"\x2a\x4d\x18"
_BLOCK = 1 << 18


class Damaged(ValueError):
    """The packed file is cut short or corrupt; the message says which."""


class TooLong(ValueError):
    """A line is too long to be read; `line` is its number."""

    def __init__(self, line: int) -> None:
        super().__init__(TOO_LONG)
        self.line = line


def compression_of(head: bytes) -> Compression:
    """How a file is packed, by its first four bytes; a name may lie.

    >>> compression_of(b"\\x1f\\x8b\\x08\\x00"), compression_of(b"{\\"a\\"")
    ('gzip', 'none')
    """
    if head.startswith(_GZIP):
        return "gzip"
    skipped = head[1:] == _SKIPPABLE and head[0] & 0xF0 == 0x50
    return "zstd" if head == _ZSTD or skipped else "none"


def count_lines(path: Path, compression: Compression) -> int:
    """Unpacks the whole file, and counts its lines; Damaged or TooLong unless it can be read."""
    ended = running = 0
    for block in blocks_in(path, compression):
        breaks = block.count(b"\n")
        first = block.find(b"\n") if breaks else len(block)
        if running + first > LONGEST:
            raise TooLong(ended + 1)
        running = len(block) - block.rfind(b"\n") - 1 if breaks else running + len(block)
        ended += breaks
    return ended + (running > 0)


def lines_in(path: Path, compression: Compression) -> Iterator[bytes]:
    """The lines with their ends, split at line feeds and nowhere else; TooLong if one is that."""
    held: list[bytes] = []
    running = number = 0
    for block in blocks_in(path, compression):
        for line in io.BytesIO(block):
            running += len(line)
            # The line break itself does not count.
            if running > LONGEST + 1 or (running > LONGEST and not line.endswith(b"\n")):
                # The error keeps this function's variables alive for as long as it is known.
                held.clear()
                raise TooLong(number + 1)
            held.append(line)
            if line.endswith(b"\n"):
                number += 1
                yield b"".join(held) if len(held) > 1 else line
                held.clear()
                running = 0
    if held:
        yield b"".join(held)


def blocks_in(path: Path, compression: Compression) -> Iterator[bytes]:
    """The unpacked bytes, some at a time; Damaged where they do not unpack."""
    if compression == "none":
        with path.open("rb") as file:
            yield from iter(lambda: file.read(_BLOCK), b"")
        return
    opened, wrong = _opened(path, compression)
    try:
        with opened as file:
            yield from iter(lambda: file.read(_BLOCK), b"")
    except EOFError:
        raise Damaged("it ends too early (truncated?)") from None
    except wrong as error:
        reason = str(error).removeprefix("Unable to decompress Zstandard data: ")
        raise Damaged(f"it does not unpack: {reason.rstrip('.')}") from None


def _opened(path: Path, compression: Compression) -> tuple[Any, tuple[type[Exception], ...]]:
    """A packed file, and the errors that say it is damaged."""
    if compression == "gzip":
        import gzip

        return gzip.GzipFile(path), (OSError, zlib.error)
    zstd = _zstd()
    return zstd.ZstdFile(path), (OSError, zstd.ZstdError)


def _zstd() -> Any:
    """Python has zstd since 3.14; before that, the same module comes from a package."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
