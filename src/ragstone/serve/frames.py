"""How batches stand in a journal: frames that say how long they are, and prove that they are whole.

A journal begins with a line that says so and names its mark, which is chosen by chance: no record
can hold it on purpose. A frame is that mark, a header and a body. The header has the length of the
body, its CRC-32, and up to which byte the journal was known to be on the disk when the frame was
written. By that last number a torn end, which nobody was told about, is told from damage to what
was acknowledged.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from ragstone.own_files import open_plain

# Journals of earlier versions have no first line; each of their frames begins with this.
OLD_MARK = b"\x93RSJ"
_FIRST_LINE = re.compile(rb"ragstone journal 2 ([0-9a-f]{16})\n")
BEGINS = len(b"ragstone journal 2 0123456789abcdef\n")
_HEADER = struct.Struct("<IIQ")


class Stored(msgspec.Struct, frozen=True, array_like=True):
    """A record as it is kept: `text` is the JSON that was sent, and `id` tells repeats.

    `kind` is `trace`, `live` or `span`, `moment` its own time in milliseconds, `name` its trace id.
    """

    id: str
    kind: str
    moment: int
    name: str
    qid: str
    text: str


class Batch(msgspec.Struct, frozen=True, array_like=True):
    """What came with one request: the key and the digest of the request, if it had a key."""

    key: str
    digest: str
    arrived: int
    records: tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class Unread:
    """Bytes of a journal that are no whole frame; `torn` where nobody was told they are stored."""

    begin: int
    end: int
    torn: bool


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Batch)


def first_line() -> tuple[bytes, bytes]:
    """How a new journal begins, and the mark of its frames."""
    mark = os.urandom(8)
    return b"ragstone journal 2 %s\n" % mark.hex().encode(), mark


def frame_of(batch: Batch, durable: int, mark: bytes = OLD_MARK) -> bytes:
    """The bytes of a batch, to be appended to a journal that is on disk up to `durable`."""
    body = _ENCODER.encode(batch)
    return mark + _HEADER.pack(len(body), _sum_of(body, durable), durable) + body


def _sum_of(body: bytes, durable: int) -> int:
    """The checksum covers what the header says of the disk, too."""
    return zlib.crc32(body, zlib.crc32(durable.to_bytes(8, "little")))


def is_journal(path: Path) -> bool:
    """Whether a file begins as a journal of ours."""
    with os.fdopen(open_plain(path), "rb") as file:
        return bool(_mark_of(file))


def _mark_of(file: BinaryIO) -> bytes:
    """The mark of the frames of a journal, which is then read to its first frame; b"" for none."""
    begins = file.read(BEGINS)
    named = _FIRST_LINE.fullmatch(begins)
    if named is not None:
        return bytes.fromhex(named[1].decode())
    file.seek(0)
    return OLD_MARK if begins.startswith(OLD_MARK) else b""


def batches_in(path: Path) -> Iterator[Batch]:
    """The whole batches of a journal, one at a time."""
    return (part for part in parts_of(path) if isinstance(part, Batch))


def unread_in(path: Path) -> list[Unread]:
    """What of a journal cannot be read."""
    return [part for part in parts_of(path) if isinstance(part, Unread)]


def parts_of(path: Path) -> Iterator[Batch | Unread]:
    """The batches of a journal, and between and behind them what is no whole batch."""
    with os.fdopen(open_plain(path), "rb") as file:
        mark = _mark_of(file)
        while mark:
            begin = file.tell()
            frame = _next(file, mark)
            if frame is None:
                frame = _after_damage(file, begin, mark)
                end = file.tell() if frame is None else frame[2]
                if end > begin:
                    yield Unread(begin, end, frame is None or frame[1] <= begin)
            if frame is None:
                return
            yield frame[0]


def _after_damage(file: BinaryIO, begin: int, mark: bytes) -> tuple[Batch, int, int] | None:
    """The first whole frame behind a place that is none; the file ends behind it, or at its end."""
    file.seek(begin)
    rest = file.read()
    at = rest.find(mark, 1)
    while at >= 0:
        file.seek(begin + at)
        frame = _next(file, mark)
        if frame is not None:
            return frame
        at = rest.find(mark, at + 1)
    file.seek(begin + len(rest))
    return None


def _next(file: BinaryIO, mark: bytes) -> tuple[Batch, int, int] | None:
    """The frame where the file stands, how much was on the disk when it was written, its place."""
    begin = file.tell()
    header = file.read(len(mark) + _HEADER.size)
    if len(header) < len(mark) + _HEADER.size or not header.startswith(mark):
        return None
    length, checksum, durable = _HEADER.unpack(header[len(mark) :])
    body = file.read(length)
    if len(body) != length or checksum != _sum_of(body, durable):
        return None
    try:
        return _DECODER.decode(body), durable, begin
    except (msgspec.MsgspecError, UnicodeDecodeError):
        # Whole, and of a version that writes something else.
        return None
