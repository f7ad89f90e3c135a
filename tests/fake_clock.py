"""A clock that stands still until a test moves it on."""

from __future__ import annotations


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now
