"""What live pages are made of: of a server that runs, or of the folder of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from ragstone.serve.alert_log import alerts_in
from ragstone.serve.alert_rules import Rule
from ragstone.serve.frames import Stored, batches_in
from ragstone.serve.live_state import live_state
from ragstone.serve.live_store import LiveStore, journals_in
from ragstone.serve.live_watch import LiveWatch
from ragstone.serve.minute_rows import Judging
from ragstone.serve.minute_windows import MinuteWindows
from ragstone.serve.segments import records_in, segments_in


class LiveSource(Protocol):
    """The windows and records that pages show."""

    rules: Sequence[Rule]
    judging: Judging

    def state(self) -> Mapping[str, object]:
        """What `/v1/windows` says; empty before a minute was closed."""

    def alerts(self) -> Sequence[Mapping[str, object]]:
        """The last alerts, oldest first."""

    def fault(self) -> str:
        """What goes wrong now in the server's threads; "" while all is well."""

    def records(self, since: int, until: int) -> Iterator[Stored]:
        """The stored records of a span of milliseconds."""


class RunningLive:
    """The windows of this server."""

    def __init__(
        self, watch: LiveWatch, store: LiveStore, rules: Sequence[Rule], judging: Judging
    ) -> None:
        self._watch, self._store, self.rules, self.judging = watch, store, rules, judging

    def state(self) -> Mapping[str, object]:
        return self._watch.state

    def alerts(self) -> Sequence[Mapping[str, object]]:
        return tuple(self._watch.log.last)

    def fault(self) -> str:
        return self._watch.troubles.words

    def records(self, since: int, until: int) -> Iterator[Stored]:
        return self._store.records(since, until)


class SavedLive:
    """The folder of a server, which may run at the same time: read as it is, without its lock."""

    def __init__(self, data: Path, windows: MinuteWindows, judging: Judging) -> None:
        self._data, self._windows, self.judging = data, windows, judging
        self.rules: Sequence[Rule] = windows.alerts.rules

    def state(self) -> Mapping[str, object]:
        last = self._windows.load_saved(self._data / "minutes")
        if last is None:
            return {}
        self._windows.restore(last, self.alerts())
        return live_state(self._windows, self._windows.numbers(last))

    def alerts(self) -> Sequence[Mapping[str, object]]:
        return alerts_in(self._data / "alerts.jsonl")

    def fault(self) -> str:
        return ""

    def records(self, since: int, until: int) -> Iterator[Stored]:
        seen: set[str] = set()
        for record in self._every(since, until):
            if record.id not in seen:
                seen.add(record.id)
                yield record

    def _every(self, since: int, until: int) -> Iterator[Stored]:
        yield from records_in(segments_in(self._data / "segments"), since, until)
        for path in journals_in(self._data / "journals"):
            for batch in batches_in(path):
                yield from (each for each in batch.records if since <= each.moment < until)
