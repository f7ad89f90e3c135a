"""Which records and batches came in before: as many of the last ones as memory allows."""

from __future__ import annotations

from collections.abc import Iterable

# So many ids of records are remembered at least, and twice as many at most (90 bytes each).
REMEMBERED = 500_000
_KEYS = 50_000


class KnownIds:
    """The ids of the last records, and the keys of the last batches with their digests.

    Two generations of each are kept: when the younger is full, the older is forgotten.

    >>> known = KnownIds(remembered=2)
    >>> known.add(["a", "b"]), known.add(["c"])
    (None, None)
    >>> "a" in known, "c" in known
    (True, True)
    >>> known.add(["d", "e"])
    >>> "a" in known, "c" in known
    (False, True)
    """

    def __init__(self, remembered: int = REMEMBERED, keys: int = _KEYS) -> None:
        self._most, self._most_keys = remembered, keys
        self._young: set[bytes] = set()
        self._old: set[bytes] = set()
        self._young_keys: dict[str, tuple[str, int]] = {}
        self._old_keys: dict[str, tuple[str, int]] = {}

    def __contains__(self, id: str) -> bool:
        short = _short(id)
        return short in self._young or short in self._old

    def add(self, ids: Iterable[str]) -> None:
        for id in ids:
            if len(self._young) >= self._most:
                self._old, self._young = self._young, set()
            self._young.add(_short(id))

    def batch(self, key: str) -> tuple[str, int] | None:
        """The digest of the batch that came with a key, and how many records it had."""
        return self._young_keys.get(key) or self._old_keys.get(key)

    def add_batch(self, key: str, digest: str, records: int) -> None:
        if len(self._young_keys) >= self._most_keys:
            self._old_keys, self._young_keys = self._young_keys, {}
        self._young_keys[key] = (digest, records)


def _short(id: str) -> bytes:
    """Half of a SHA-256 tells any number of records apart that a disk can hold."""
    return bytes.fromhex(id[:32]) if len(id) >= 32 else id.encode()
