"""Unpacks the body of an HTTP message, and never more of it than was asked for."""

from __future__ import annotations

import zlib

PACKINGS = {"gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}


class Unpackable(ValueError):
    """The bytes do not unpack; the message says why."""


class TooLarge(ValueError):
    """What is packed is larger than it may be."""


def unpacked(packed: bytes, packing: str, most: int) -> bytes:
    """The bytes behind a packed body; one that would be too large is never unpacked whole.

    >>> import gzip
    >>> unpacked(gzip.compress(b"abc"), "gzip", most=3)
    b'abc'
    """
    reader = zlib.decompressobj(PACKINGS[packing])
    made = bytearray()
    rest = packed
    try:
        while rest:
            made += reader.decompress(rest, most + 1 - len(made))
            if len(made) > most:
                raise TooLarge(f"expected at most {most:,} bytes once it is unpacked")
            rest = reader.unconsumed_tail
            if reader.eof:
                if not reader.unused_data:
                    break
                # Gzip may be of several members.
                rest, reader = reader.unused_data, zlib.decompressobj(PACKINGS[packing])
    except zlib.error:
        raise Unpackable(f"the body does not unpack as {packing}") from None
    if not reader.eof:
        raise Unpackable(f"the body does not unpack as {packing}: it ends too early")
    return bytes(made)
