"""Watches what the server stores: windows over new records, and alerts that last.

The rows of closed minutes stay in `DATA/minutes` for the next start, and the records of those that
were open are added again from the store. An alert is in `DATA/alerts.jsonl` before the minute that
raised it is saved: after a crash it is found again, and known by its id.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from pathlib import Path

from ragstone.errors import InputError
from ragstone.own_files import make_own_folder
from ragstone.serve.alert_log import AlertLog, Webhook
from ragstone.serve.alert_rules import Alert, Rule, Value
from ragstone.serve.frames import Stored
from ragstone.serve.live_state import live_state
from ragstone.serve.live_store import LiveStore
from ragstone.serve.minute_rows import Line
from ragstone.serve.minute_windows import Closed, MinuteWindows, machine_clock
from ragstone.serve.moments import MINUTE, minute_of
from ragstone.serve.stored_lines import lines_of
from ragstone.worker import Troubles, Worker

# The name of the alert that a worker is in trouble.
WORKER_FAULTS = "worker_faults"
_SECOND = 1.0
# Without a saved minute, so much of the past is read again.
_BACK = 2 * 3_600_000


class LiveWatch:
    """The windows of a server; `hear` takes what is new, and a thread closes minutes."""

    def __init__(
        self,
        windows: MinuteWindows,
        data: Path,
        webhook: Webhook | None = None,
        troubles: Troubles | None = None,
    ) -> None:
        self.troubles = troubles or Troubles()
        self._windows, self._minutes = windows, data / "minutes"
        make_own_folder(self._minutes)
        self._webhook = webhook
        self.log = AlertLog(data / "alerts.jsonl", webhook)
        self.state: Mapping[str, object] = {}
        self.stored = 0
        self._closed: deque[Closed] = deque()
        self._unreadable = 0
        self._stopping = threading.Event()
        self._worker = Worker("windows", self._step, self.troubles)

    def hear(self, new: list[tuple[Stored, str]]) -> None:
        """Adds records that were stored; what goes wrong here concerns no one who sends."""
        self.stored += len(new)
        for record, line in new:
            try:
                self._add(record, line)
            except Exception as error:
                self.troubles.add("windows", error)

    def _add(self, record: Stored, line: str) -> None:
        if record.kind == "span":
            self._windows.add_span(line, record.moment)
        else:
            self._windows.add(Line(record.moment, record.id, line))

    def start(self, store: LiveStore) -> None:
        """Goes on where the last server stopped, and begins to close minutes."""
        last = self._windows.load_saved(self._minutes)
        if last is not None:
            self._windows.restore(last, self.log.last)
            self._tell(self._windows.numbers(last))
        else:
            self._windows.alerts.recall(self.log.last, minute_of(machine_clock()))
        since = machine_clock() - _BACK if last is None else (last + 1) * MINUTE
        for record, line in lines_of(store.records(since=since), self._unread):
            self._add(record, line)
        if self._webhook is not None:
            self._webhook.start(self.troubles)
        self.troubles.heard_by(self._alarm)
        self._worker.start()

    def _unread(self, words: str) -> None:
        self._unreadable += 1
        self.troubles.add("data folder", InputError(words), "the others are read")

    def forget(self, ids: list[str]) -> None:
        self._windows.forget(frozenset(ids))

    def stop(self) -> None:
        """Ends; minutes that are open stay so, and the next server closes them."""
        self._stopping.set()
        self._worker.join()
        if self._webhook is not None:
            self._webhook.close()
        self._windows.close()

    def _step(self) -> bool:
        if self._stopping.wait(_SECOND):
            return False
        self.look()
        return True

    def _alarm(self, name: str, words: str, begins: bool) -> None:
        """A worker in trouble is an alert like any other."""
        minute = minute_of(machine_clock())
        faults = self.troubles.counts().get(name, 0)
        found = Value(float(faults), faults, minute, f"{name}: {words}")
        alert = Alert(Rule(WORKER_FAULTS, ">", 0.0), begins, minute, found).as_dict()
        self.log.add({**alert, "id": f"{alert['id']}/{name}/{faults}"})

    def look(self) -> None:
        """Closes what can be closed."""
        self._closed.extend(self._windows.advance(self._clock()))
        while self._closed:
            # One that the disk does not take is kept by the next look.
            self._keep(self._closed[0])
            if len(self._closed) == 1:
                self._tell(self._closed[0].numbers)
            self._closed.popleft()

    def _clock(self) -> int | None:
        """Where nothing comes any more, the machine's clock closes the last minutes."""
        return machine_clock() if self._windows.quiet else None

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
            "records_unread_total": self._windows.unread + self._unreadable,
            "webhook_failed_total": self._webhook.failed if self._webhook else 0,
        }
