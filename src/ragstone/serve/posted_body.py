"""The body of a request, unpacked: never more of it in memory than a request may have."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial

from ragstone.contracts.packed import WINDOWS, Damaged, TooLarge, unpacked_body
from ragstone.errors import RagstoneError

MOST_BYTES = 16 * 1024 * 1024
# Bodies of all requests that are being read or checked.
_IN_FLIGHT = 128 * 1024 * 1024
# A body that takes longer to arrive holds a place that others could have.
_SECONDS = 30.0


class Refused(RagstoneError):
    """A request that is not taken: with this status, for this reason."""

    def __init__(self, status: int, reason: str, retry_after: int = 0) -> None:
        super().__init__(reason)
        self.status, self.retry_after = status, retry_after


class InFlight:
    """Counts the bytes of bodies in memory, and turns away what would be too much."""

    def __init__(self, most: int = _IN_FLIGHT) -> None:
        self._most, self.size = most, 0

    def take(self, size: int) -> None:
        if self.size + size > self._most:
            raise Refused(429, "too many requests at once; send this one again", retry_after=1)
        self.size += size

    def give_back(self, size: int) -> None:
        self.size -= size


class Body:
    """Reads one body; `size` is what it took of the memory, to be given back."""

    def __init__(self, held: InFlight) -> None:
        self._held, self.size = held, 0

    async def received(self, blocks: AsyncIterator[bytes]) -> bytes:
        """All of the body, as it was sent."""
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._received(blocks)
        except TimeoutError:
            raise Refused(408, f"the body did not arrive within {_SECONDS:g} seconds") from None

    def unpacking(self, packing: str) -> Callable[[bytes], bytes]:
        """What unpacks the body; the memory for it is taken."""
        if packing not in WINDOWS:
            known = ", ".join(WINDOWS)
            raise Refused(415, f"Content-Encoding: expected one of {known}, found {packing}")
        self._take(MOST_BYTES)
        return partial(_unpacked, packing=packing)

    async def _received(self, blocks: AsyncIterator[bytes]) -> bytes:
        parts: list[bytes] = []
        size = 0
        async for block in blocks:
            size += len(block)
            if size > MOST_BYTES:
                raise Refused(413, _TOO_LARGE)
            self._take(len(block))
            parts.append(block)
        return b"".join(parts)

    def _take(self, size: int) -> None:
        self._held.take(size)
        self.size += size

    def give_back(self) -> None:
        self._held.give_back(self.size)
        self.size = 0


_TOO_LARGE = f"expected a body of up to {MOST_BYTES // 2**20} MB, also once it is unpacked"


def _unpacked(packed: bytes, packing: str) -> bytes:
    try:
        return unpacked_body(packed, packing, MOST_BYTES)
    except TooLarge:
        raise Refused(413, _TOO_LARGE) from None
    except Damaged as error:
        raise Refused(400, f"the body, in {packing}, is damaged: {error}") from None
