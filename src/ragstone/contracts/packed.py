"""Is a packed file whole? A run must not score the half of a log that a full disk left behind.

DuckDB reads a gzip file without looking at its checksum, and a truncated zstd file as if it ended
there. So gzip is unpacked once here, at the speed of zlib, and of zstd, which Python cannot unpack
before 3.14, the blocks are walked: each says how long it is, and the last says that it is the last.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import BinaryIO

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = range(0x184D2A50, 0x184D2A60)
_CHUNK = 1 << 20
# Of the frame header's two-bit fields: the bytes of the dictionary id, and of the content size.
_DICTIONARY = (0, 1, 2, 4)
_CONTENT = (0, 2, 4, 8)


class Damaged(ValueError):
    """The packed file is cut short or corrupt; the message says which."""


def check_gzip(path: Path) -> None:
    """Raises Damaged unless every member unpacks to what its checksum says."""
    import gzip

    try:
        with gzip.open(path, "rb") as file:
            while file.read(_CHUNK):
                pass
    except EOFError:
        raise Damaged("it ends too early (truncated?)") from None
    except (OSError, zlib.error) as error:
        raise Damaged(f"it does not unpack: {str(error).rstrip('.')}") from None


def check_zstd(path: Path) -> None:
    """Raises Damaged unless the file is whole frames, one after the other."""
    size = path.stat().st_size
    with path.open("rb") as file:
        while file.tell() < size:
            _frame(file)
            if file.tell() > size:
                raise Damaged("it ends too early (truncated?)")


def _frame(file: BinaryIO) -> None:
    magic = _taken(file, 4)
    if int.from_bytes(magic, "little") in _SKIPPABLE:
        file.seek(int.from_bytes(_taken(file, 4), "little"), 1)
        return
    if magic != ZSTD_MAGIC:
        raise Damaged("it holds bytes that are not zstd")
    descriptor = _taken(file, 1)[0]
    single = bool(descriptor & 0x20)
    content = _CONTENT[descriptor >> 6] or int(single)
    file.seek((not single) + _DICTIONARY[descriptor & 3] + content, 1)
    while not _block(file):
        pass
    if descriptor & 0x04:
        _taken(file, 4)


def _block(file: BinaryIO) -> bool:
    """Steps over one block; true for the last of its frame."""
    header = int.from_bytes(_taken(file, 3), "little")
    last, kind, size = header & 1, header >> 1 & 3, header >> 3
    if kind == 3:
        raise Damaged("it does not unpack: a block is of no known kind")
    # A run-length block is one byte, repeated.
    file.seek(1 if kind == 1 else size, 1)
    return bool(last)


def _taken(file: BinaryIO, count: int) -> bytes:
    found = file.read(count)
    if len(found) < count:
        raise Damaged("it ends too early (truncated?)")
    return found
