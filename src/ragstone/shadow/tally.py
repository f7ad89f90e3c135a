"""Counts every live question that a mirror has seen in exactly one place.

The caller counts too, so nothing is done under the lock but adding: no one ever waits for a disk
or a target there.
"""

from __future__ import annotations

import secrets
import threading
from collections import Counter
from typing import Literal

from ragstone.shadow.pair_files import Counts

Outcome = Literal["left_out", "unread", "dropped", "answered", "failed"]
OUTCOMES: tuple[Outcome, ...] = ("left_out", "unread", "dropped", "answered", "failed")


class Tally:
    """The counts of one mirror in one process; `name` is what its lines are known by."""

    def __init__(self, target: str, share: float) -> None:
        self.name = secrets.token_hex(8)
        self._target, self._share = target, share
        self._lock = threading.Lock()
        self._seen = 0
        self._settled: Counter[Outcome] = Counter()
        self._why: dict[str, str] = {}
        self._ended = False

    def see(self) -> int:
        """One more question was seen; its number."""
        with self._lock:
            self._seen += 1
            if self._ended:
                self._add("dropped", "the mirror has ended")
            return self._seen

    def settle(self, outcome: Outcome, why: str = "") -> None:
        """What became of a question that was seen; after the end all are dropped already."""
        with self._lock:
            if not self._ended:
                self._add(outcome, why)

    def end(self, why: str) -> None:
        """Counts what still waits as dropped, now and from now on."""
        with self._lock:
            if not self._ended:
                self._ended = True
                for _ in range(self._seen - self._settled.total()):
                    self._add("dropped", why)

    def _add(self, outcome: Outcome, why: str) -> None:
        self._settled[outcome] += 1
        if why:
            self._why.setdefault(outcome, why)

    @property
    def ended(self) -> bool:
        return self._ended

    def counts(self) -> Counts:
        with self._lock:
            return Counts(
                mirror=self.name,
                target=self._target,
                share=self._share,
                seen=self._seen,
                waiting=self._seen - self._settled.total(),
                why=dict(self._why),
                **{outcome: self._settled[outcome] for outcome in OUTCOMES},
            )
