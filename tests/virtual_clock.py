"""An event loop whose clock jumps to the next event instead of waiting for it.

What is told about time is then exact and takes none: a test of a minute of load runs at once.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.SelectSelector):
    """Where the loop would sleep, its clock moves on."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is not None and timeout > 0:
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def run(main: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """The result, and how long it took by the virtual clock."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        result = runner.run(main)
        return result, runner.get_loop().time()
