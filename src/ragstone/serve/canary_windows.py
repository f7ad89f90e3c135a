"""The alert windows of the shadow arm: its answers, watched by the rules of `[serve.alerts]`.

A minute is closed by the pairs' own times alone, as `serve` does it while records come. So what is
found depends on the pairs and their order, and not on who looks when.
"""

from __future__ import annotations

from collections import deque

from ragstone.serve.alert_rules import Rule
from ragstone.serve.minute_rows import Judging, Line
from ragstone.serve.minute_windows import MinuteWindows
from ragstone.serve.moments import minute_name, minute_of
from ragstone.serve.window_numbers import HOUR, WindowSettings

# Beyond it no calendar goes.
_LAST = 250_000_000_000_000


class ShadowWindows:
    """The windows of one run; says at which question two of them in a row were alarming.

    No number is measured in an hour with fewer answers than a window needs. So answers wait until
    there are that many within an hour, and where there never are, no window costs anything.
    """

    def __init__(self, settings: WindowSettings, rules: tuple[Rule, ...], judging: Judging) -> None:
        self._windows = MinuteWindows(settings, rules, judging)
        self._late, self._samples = settings.late * 1000, settings.samples
        self._clock = 0
        self._closed: int | None = None
        self._waiting: deque[Line] = deque()
        # Up to this minute answers are judged as they come: there are enough of them.
        self._busy = -1
        # The minutes that a question closed, where it closed any: the last of them, and it.
        self._closing: list[tuple[int, int]] = []
        self.late = 0

    def add(self, line: Line, question: int) -> None:
        """An answer of the shadow, after so many questions."""
        if not 0 <= line.moment < _LAST:
            return
        self._clock = max(self._clock, line.moment)
        last = minute_of(self._clock - self._late) - 1
        if self._closed is None or last > self._closed:
            self._closed = last
            self._closing.append((last, question))
        if minute_of(line.moment) <= self._closed:
            self.late += 1
            return
        self._waiting.append(line)
        self._judge_if_enough()

    def _judge_if_enough(self) -> None:
        now = minute_of(self._clock)
        while self._waiting and minute_of(self._waiting[0].moment) <= now - HOUR - self._allowed:
            self._waiting.popleft()
        if len(self._waiting) >= self._samples:
            self._busy = now + HOUR
        if now <= self._busy:
            while self._waiting:
                self._windows.add(self._waiting.popleft())

    @property
    def _allowed(self) -> int:
        """How many minutes late an answer may be."""
        return self._late // 60_000 + 1

    def alarming(self) -> tuple[int, str] | None:
        """The question that closed the second alarming window in a row, and which alerts stood."""
        found: list[tuple[int, str]] = []

        def look(minute: int) -> None:
            alerts = self._windows.alerts
            if alerts.roll_back and not found:
                named = ", ".join(
                    f"{alert.rule.number} {alert.rule}" for alert in alerts.standing.values()
                )
                found.append((self._question(minute), f"{named}, at {minute_name(minute)}"))

        self._windows.advance(close=look)
        return found[0] if found else None

    def _question(self, minute: int) -> int:
        return next(question for last, question in self._closing if last >= minute)

    def close(self) -> None:
        self._windows.close()
