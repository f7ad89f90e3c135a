"""Watches what the server stores: windows over new records, and alerts that last.

The rows of closed minutes stay in `DATA/minutes` for the next start, and the records of those that
were open are added again from the store. An alert is in `DATA/alerts.jsonl` before the minute that
raised it is saved: after a crash it is found again, and known by its id.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path

from ragstone.errors import RagstoneError
from ragstone.serve.alert_log import AlertLog, Webhook
from ragstone.serve.frames import Stored
from ragstone.serve.live_state import live_state
from ragstone.serve.live_store import LiveStore
from ragstone.serve.minute_rows import Line
from ragstone.serve.minute_windows import Closed, MinuteWindows
from ragstone.serve.moments import MINUTE
from ragstone.serve.stored_lines import line_of

_SECOND = 1.0
# Without a saved minute, so much of the past is read again.
_BACK = 2 * 3_600_000


class LiveWatch:
    """The windows of a server; `hear` takes what is new, and a thread closes minutes."""

    def __init__(self, windows: MinuteWindows, data: Path, webhook: Webhook | None = None) -> None:
        self._windows, self._minutes = windows, data / "minutes"
        self._minutes.mkdir(0o700, parents=True, exist_ok=True)
        self._webhook = webhook
        self.log = AlertLog(data / "alerts.jsonl", webhook)
        self.state: Mapping[str, object] = {}
        self.stored = 0
        self.fault = ""
        self._last_heard = time.monotonic()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def hear(self, new: list[tuple[Stored, str]]) -> None:
        """Adds records that were stored; what goes wrong here concerns no one who sends."""
        self.stored += len(new)
        self._last_heard = time.monotonic()
        for record, line in new:
            try:
                self._add(record, line)
            except (OSError, ValueError) as error:
                self.fault = f"a record could not be counted: {error}"

    def _add(self, record: Stored, line: str) -> None:
        if record.kind == "span":
            self._windows.add_span(line, record.moment)
        else:
            self._windows.add(Line(record.moment, record.id, line))

    def start(self, store: LiveStore) -> None:
        """Goes on where the last server stopped, and begins to close minutes."""
        last = self._windows.load_saved(self._minutes)
        if last is not None:
            self._windows.restore(last)
            self._tell(self._windows.numbers(last))
        since = (time.time_ns() // 10**6) - _BACK if last is None else (last + 1) * MINUTE
        for record in store.records(since=since):
            self._add(record, line_of(record))
        self._thread = threading.Thread(target=self._run, name="windows", daemon=True)
        self._thread.start()

    def forget(self, ids: list[str]) -> None:
        self._windows.forget(frozenset(ids))

    def stop(self) -> None:
        """Ends; minutes that are open stay so, and the next server closes them."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        if self._webhook is not None:
            self._webhook.close()
        self._windows.close()

    def _run(self) -> None:
        while not self._stopping.wait(_SECOND):
            try:
                self.look()
                self.fault = ""
            except (RagstoneError, OSError) as error:
                self.fault = f"the windows could not be counted: {error}"

    def look(self) -> None:
        """Closes what can be closed."""
        closed = self._windows.advance(self._clock())
        for each in closed:
            self._keep(each)
        if closed:
            self._tell(closed[-1].numbers)

    def _clock(self) -> int | None:
        """Where nothing comes any more, the machine's clock closes the last minutes."""
        quiet = time.monotonic() - self._last_heard > self._windows.settings.late
        return time.time_ns() // 10**6 if quiet else None

    def _keep(self, closed: Closed) -> None:
        for alert in closed.alerts:
            self.log.add(alert.as_dict())
        self._windows.save(closed.minute, self._minutes)

    def _tell(self, numbers: Mapping[str, object]) -> None:
        self.state = live_state(self._windows, numbers)  # type: ignore[arg-type]

    def counts(self) -> dict[str, int]:
        """What the server counts, by the names of Prometheus."""
        return {
            "records_stored_total": self.stored,
            "records_late_total": self._windows.late,
            "webhook_failed_total": self._webhook.failed if self._webhook else 0,
        }
