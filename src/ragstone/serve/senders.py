"""Who sends: limits are kept for each sender, so that nobody uses up what others need."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import deque
from collections.abc import Callable

# So many wrong tokens of one sender within so many seconds are told as such; then it must wait.
_TRIES, SECONDS = 10, 60
# So many senders are remembered; those that tried longest ago are forgotten first.
_SENDERS = 10_000


def sender_of(client: tuple[str, int] | None) -> str:
    """The network that a connection comes from: an address, of IPv6 what one customer has.

    >>> sender_of(("192.0.2.7", 5)), sender_of(("2001:db8::1", 5)), sender_of(("::ffff:1.2.3.4", 5))
    ('192.0.2.7', '2001:db8::/64', '1.2.3.4')
    """
    host = client[0] if client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address), 64), strict=False))


class WrongTokens:
    """Counts wrong tokens by sender. The right one always passes: it is not asked about here."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._tries: dict[str, deque[float]] = {}
        self.total = 0

    def add(self, sender: str) -> bool:
        """Counts one more; whether this sender has brought too many."""
        with self._lock:
            now, tries = self._clock(), self._tries.pop(sender, deque(maxlen=_TRIES))
            too_many = len(tries) == _TRIES and now - tries[0] < SECONDS
            tries.append(now)
            self._tries[sender] = tries
            if len(self._tries) > _SENDERS:
                del self._tries[next(iter(self._tries))]
            self.total += 1
            return too_many
