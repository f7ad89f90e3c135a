"""How batches stand in a journal: frames that say how long they are, and prove that they are whole.

A frame is a header and a body. The header has a mark, the length of the body, its CRC-32, and up to
which byte the journal was known to be on the disk when the frame was written. By that last number
a torn end, which nobody was told about, is told from damage to what was acknowledged.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import msgspec

from ragstone.errors import InputError

MARK = b"\x93RSJ"
_HEADER = struct.Struct("<4sIIQ")


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


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Batch)


def frame_of(batch: Batch, durable: int) -> bytes:
    """The bytes of a batch, to be appended to a journal that is on disk up to `durable`."""
    body = _ENCODER.encode(batch)
    return _HEADER.pack(MARK, len(body), _sum_of(body, durable), durable) + body


def _sum_of(body: bytes, durable: int) -> int:
    """The checksum covers what the header says of the disk, too."""
    return zlib.crc32(body, zlib.crc32(durable.to_bytes(8, "little")))


def batches_in(path: Path) -> Iterator[Batch]:
    """The batches of a journal, one at a time, up to the first that is not whole."""
    with path.open("rb") as file:
        while (found := _next(file)) is not None:
            yield found[0]


def whole_end(path: Path) -> int:
    """The byte behind the last whole batch; what follows is a torn end, or it is an error."""
    with path.open("rb") as file:
        end = 0
        while _next(file) is not None:
            end = file.tell()
        file.seek(end)
        rest = file.read()
    at = rest.find(MARK, 1)
    while at >= 0:
        found = _next(BytesIO(rest[at:]))
        # When this one was written, the broken place was on the disk and had been acknowledged.
        if found is not None and found[1] > end:
            raise InputError(
                f"{path} is damaged at byte {end:,}, before records that were stored later; "
                "restore it from a copy, or move it away to go on without it"
            )
        at = rest.find(MARK, at + 1)
    return end


def _next(file: BinaryIO) -> tuple[Batch, int] | None:
    """The frame where the file stands, and how much was on the disk when it was written."""
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    mark, length, checksum, durable = _HEADER.unpack(header)
    if mark != MARK:
        return None
    body = file.read(length)
    if len(body) != length or checksum != _sum_of(body, durable):
        return None
    return _DECODER.decode(body), durable
