"""The bytes of a file, plain or packed, and its lines: the one way from an input to either.

A run must not score the half of a log that a full disk left behind, and DuckDB looks neither at
the checksum of a gzip file nor at the end of a zstd file. So a packed file is unpacked once here
before anything is read from it.
"""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Iterable, Iterator
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
# What follows a member is copied for the next one, and a member may be 20 bytes: if all of a block
# were copied each time, a file of empty members would take hours.
_PIECE = 1 << 12
# What zlib is told of the packings that it knows.
WINDOWS = {"gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}


class Damaged(ValueError):
    """The packed file is cut short or corrupt; the message says which."""


class TooLarge(ValueError):
    """What is packed is larger than it may be."""


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
    with path.open("rb") as file:
        blocks = iter(lambda: file.read(_BLOCK), b"")
        if compression == "none":
            yield from blocks
            return
        held: list[bytes] = []
        size = 0
        for text in unpacked(blocks, compression):
            held.append(text)
            size += len(text)
            if size >= _BLOCK:
                yield b"".join(held)
                held, size = [], 0
        if held:
            yield b"".join(held)


def unpacked(blocks: Iterable[bytes], packing: str) -> Iterator[bytes]:
    """What is in packed bytes, which may be of several members or frames; Damaged if they are.

    >>> b"".join(unpacked([zlib.compress(b"abc")], "deflate"))
    b'abc'
    """
    reader, wrong = _reader(packing)
    try:
        for block in blocks:
            for at in range(0, len(block), _PIECE):
                rest, full = block[at : at + _PIECE], False
                while rest or full:
                    if reader.eof:
                        # Some tools fill a file up with zeros.
                        rest = rest.lstrip(b"\0") if packing == "gzip" else rest
                        if not rest:
                            break
                        reader, wrong = _reader(packing)
                    text = reader.decompress(rest, _BLOCK)
                    full = len(text) == _BLOCK and not reader.eof
                    left = "unused_data" if reader.eof else "unconsumed_tail"
                    # Zstd keeps what it has not unpacked itself.
                    rest = getattr(reader, left, b"")
                    if text:
                        yield text
    except wrong as error:
        reason = str(error).removeprefix("Unable to decompress Zstandard data: ")
        reason = reason.rpartition("while decompressing data: ")[2]
        raise Damaged(f"it does not unpack: {reason.rstrip('.')}") from None
    if not reader.eof:
        raise Damaged("it ends too early (truncated?)")


def unpacked_body(packed: bytes, packing: str, most: int) -> bytes:
    """The bytes behind a packed body; one that would be too large is never unpacked whole.

    >>> unpacked_body(zlib.compress(b"abc"), "deflate", most=3)
    b'abc'
    """
    body = bytearray()
    for text in unpacked([packed], packing):
        body += text
        if len(body) > most:
            raise TooLarge(f"expected at most {most:,} bytes once it is unpacked")
    return bytes(body)


def _reader(packing: str) -> tuple[Any, type[Exception]]:
    """What unpacks one member, and the error that says it is damaged."""
    if packing == "zstd":
        zstd = _zstd()
        return zstd.ZstdDecompressor(), zstd.ZstdError
    return zlib.decompressobj(WINDOWS[packing]), zlib.error


def _zstd() -> Any:
    """Python has zstd since 3.14; before that, the same module comes from a package."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
