"""One-minute windows over records, by the records' own time: which are open, and which are closed.

A minute is closed once the clock is past its end and the allowance for late records. The clock is
the newest time of any record: so the outcome depends on the records, and not on the order in which
they come within the allowance. It is never later than `now`: whoever is ahead of everybody else
makes nobody late. Every window is the sum of the rows of its minutes.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ragstone.engine.duck import Duck, quoted, whole
from ragstone.measure.metric import Measured
from ragstone.own_files import own_files
from ragstone.scratch import drop, part_file
from ragstone.serve.alert_rules import Alert, AlertState, Rule, Value
from ragstone.serve.in_parts import in_parts
from ragstone.serve.live_metrics import AUDIT_METRICS, WATCHED, gated_metrics
from ragstone.serve.minute_rows import Judging, Line, score_lines
from ragstone.serve.moments import minute_of
from ragstone.serve.top_ten import TopTens
from ragstone.serve.window_numbers import (
    ANSWERS,
    HOUR,
    LATE,
    LIVE,
    WindowNumbers,
    WindowSettings,
    value_of,
)
from ragstone.serve.window_spool import WindowSpool, by_trace, joined
from ragstone.worker import say

_KEPT = 2 * HOUR + 5
_TABLES = (LIVE, ANSWERS, LATE)
_SAVED = re.compile(rf"-?[0-9]{{1,9}}\.({'|'.join(_TABLES)})\.parquet")


def machine_clock() -> int:
    """Milliseconds since 1970, as this machine knows them."""
    return time.time_ns() // 10**6


def unbounded() -> int:
    """Later than any record may be: what is read may be of any time."""
    return 2**62


@dataclass(frozen=True, slots=True)
class Closed:
    """A closed minute: the numbers of its rolling windows, and the alerts that it changed."""

    minute: int
    numbers: Mapping[str, Value]
    alerts: tuple[Alert, ...]


class MinuteWindows:
    """The windows of one stream of records. One thread adds, one thread advances.

    `now` bounds the clock; `hears_trace` is told of every trace that spans were joined to.
    """

    def __init__(
        self,
        settings: WindowSettings,
        rules: tuple[Rule, ...],
        judging: Judging,
        now: Callable[[], int] = unbounded,
    ) -> None:
        self._now = now
        self.hears_trace: Callable[[Line], None] = lambda line: None
        self.settings, self.judging = settings, judging
        self.alerts = AlertState(rules)
        self._duck = Duck(1)
        self._duck.condensed = True
        self._spool = WindowSpool(self._duck.scratch)
        self._tops = TopTens()
        self._tables: set[str] = set()
        self._slow: set[int] = set()
        names = {rule.number for rule in rules}
        gated = {
            LIVE: gated_metrics("audit", AUDIT_METRICS, names),
            ANSWERS: gated_metrics("answers", judging.metrics, names),
        }
        self._numbers = WindowNumbers(self._duck, self._tables, settings, gated, self._slow)
        self._using = threading.RLock()
        self.clock = 0
        # When the clock rose last.
        self._rose = time.monotonic()
        self.closed: int | None = None
        self.losses: Counter[str] = Counter()
        self.late = 0
        # Those that came too late while the clock was in a minute that is not closed yet.
        self._late_in: Counter[int] = Counter()
        # Records that are stored and cannot be judged.
        self.unread = 0
        # Minutes that are loaded and not judged yet, and those that nobody was told of.
        self._unjudged: deque[int] = deque()
        self._ready: list[Closed] = []

    def add(self, line: Line) -> None:
        """A record; one of a minute that is closed is counted as late and left out."""
        self._hear_of(line.moment)
        if self.closed is not None and minute_of(line.moment) <= self.closed:
            self._count_late()
            return
        self._spool.add(line)

    def add_span(self, line: str, end: int) -> None:
        """A span, which becomes part of a record when the minute closes in which its root ended."""
        self._hear_of(end)
        self._spool.add_span(line)

    def _hear_of(self, moment: int) -> None:
        """Lets the clock rise to a moment, and no further than it is."""
        risen = min(moment, self._now())
        if risen > self.clock:
            self.clock, self._rose = risen, time.monotonic()

    def _count_late(self) -> None:
        self.late += 1
        heard_in = minute_of(self.clock)
        if self.closed is not None:
            # Where nothing else comes, minutes are closed that the clock has not come to.
            heard_in = max(heard_in, self.closed + 1)
        self._late_in[heard_in] += 1

    @property
    def quiet(self) -> bool:
        """Whether the clock has not risen for as long as late records are waited for.

        What comes meanwhile and is late itself, or as old as what came before, does not count.
        """
        return time.monotonic() - self._rose > self.settings.late

    def advance(
        self, clock: int | None = None, *, close: Callable[[int], None] = lambda minute: None
    ) -> list[Closed]:
        """Closes every minute that nothing late can come for any more; `close` hears of each."""
        now = max(self.clock, clock or 0)
        last = minute_of(now - self.settings.late * 1000) - 1
        with self._using:
            self._join(last, now)
        first = self._spool.first()
        if self.closed is None:
            if first is None or first > last:
                return []
            self.closed = first - 1
        if last <= self.closed and not self._unjudged:
            return []
        with self._using:
            return self._close(last, close)

    def _join(self, last: int, now: int) -> None:
        """Makes records of the traces that are whole; where that fails, the next look does it."""
        spans, gone = self._spool.take_spans(last, now)
        self.losses["no_root"] += gone
        for traces, losses in in_parts(lambda: by_trace(spans), joined, self._leave_out):
            self.losses.update(losses)
            for line in traces:
                self.hears_trace(line)
                if self.closed is None or minute_of(line.moment) > self.closed:
                    self._spool.add(line)
                else:
                    self._count_late()
        self._spool.done_spans()

    def _close(self, last: int, close: Callable[[int], None]) -> list[Closed]:
        """Closes minutes. What fails, for a full disk, is done again by the next look."""
        begun = self.closed or 0
        if last > begun:
            # Before it is taken, so that nothing is added to a minute that is being closed.
            self.closed = last
            try:
                self._load_minutes(last)
            except BaseException:
                for table in self._tables:
                    self._duck.run(f"delete from {table} where minute > {begun}")
                self.closed = begun
                raise
            self._spool.done()
            self._load_late(last)
            self._unjudged.extend(self._worth_judging(begun, last))
        while self._unjudged:
            minute = self._unjudged[0]
            self._ready.append(self._judged(minute))
            self._unjudged.popleft()
            close(minute)
        for table in self._tables:
            self._duck.run(f"delete from {table} where minute < {last - _KEPT}")
        self._slow -= {minute for minute in self._slow if minute < last - _KEPT}
        made, self._ready = self._ready, []
        return made

    def _load_minutes(self, last: int) -> None:
        """The rows of the records up to a minute, without records that cannot be judged."""
        for files in in_parts(lambda: self._spool.take(last), self._scored, self._leave_out):
            for table, path in zip(_TABLES, files, strict=False):
                self._load(table, path)
                drop(self._duck.scratch, path)

    def _load_late(self, last: int) -> None:
        """How many came too late, by the minutes up to one in which that was heard."""
        # A copy: meanwhile another thread may count.
        for minute in sorted(each for each in self._late_in.copy() if each <= last):
            row = f"select {minute}::bigint as minute, {self._late_in.pop(minute)}::bigint as times"
            self._insert(LATE, row)

    def _scored(self, lines: Iterable[Line]) -> list[Path]:
        return score_lines(lines, self.judging, self._tops, self._duck.scratch)

    def _leave_out(self, odd: object) -> None:
        """Counts what cannot be judged, once another record can be: else all are tried again."""
        for path in self._scored([Line(0, "0", '{"qid":"any"}')]):
            drop(self._duck.scratch, path)
        self.unread += 1
        say("a record cannot be judged, and is in no window")

    def _worth_judging(self, begun: int, last: int) -> Iterator[int]:
        """The minutes after one, up to another, of which there is something to say.

        An hour and a minute after the last record everything is unmeasured, and stays so.
        """
        if LIVE not in self._tables:
            return
        rows = f"{LIVE} where minute between {begun - HOUR} and {last}"
        reached = begun
        for (found,) in self._duck.query(f"select distinct minute from {rows} order by minute"):
            minute = whole(found)
            yield from range(max(reached + 1, minute), min(minute + HOUR + 1, last + 1))
            reached = max(reached, min(minute + HOUR, last))

    def _load(self, table: str, path: Path) -> None:
        """Adds rows of closed minutes to a table."""
        self._insert(table, f"from read_parquet({quoted(str(path))})")

    def _insert(self, table: str, rows: str) -> None:
        if table in self._tables:
            self._duck.run(f"insert into {table} by name {rows}")
        else:
            self._duck.run(f"create table {table} as {rows}")
            self._tables.add(table)

    def restore(self, last: int, log: Iterable[Mapping[str, object]]) -> None:
        """Says that minutes up to this one are loaded, and finds out which alerts stand.

        Those that were raised in the last hour are found again; the log knows the older ones.
        """
        with self._using:
            self.closed = last
            first = last - HOUR + 1
            self.alerts.recall(log, before=first)
            for minute in range(first, last + 1):
                self._judged(minute)

    def save(self, minute: int, folder: Path) -> None:
        """The rows of one minute, in files that `load_saved` reads."""
        with self._using:
            for table in sorted(self._tables):
                rows = f"select * from {table} where minute = {minute}"
                # That of the records is there for every minute: it says which was closed.
                if table != LIVE and not self._duck.count(f"select count(*) from ({rows})"):
                    continue
                with part_file(folder, 0o600) as (part, file):
                    target = quoted(str(part))
                    self._duck.run(
                        f"copy ({rows}) to {target} (format parquet, use_tmp_file false)"
                    )
                    os.fsync(file.fileno())
                    part.replace(folder / f"{minute}.{table}.parquet")

    def load_saved(self, folder: Path) -> int | None:
        """Loads the rows of the last saved minutes; says which is the last, and removes others."""
        from ragstone.engine.native import duckdb

        saved: dict[int, dict[str, Path]] = {}
        for path in own_files(folder, _SAVED):
            number, table, _ = path.name.split(".")
            saved.setdefault(int(number), {})[table] = path
        last = max(saved, default=None)
        for minute, tables in sorted(saved.items()):
            if last is not None and minute < last - _KEPT:
                for path in tables.values():
                    path.unlink()
                continue
            try:
                for table, path in sorted(tables.items()):
                    self._load(table, path)
            except duckdb.Error:
                say(f"{path} cannot be read; minutes from then on are made of the records again")
                for table in self._tables:
                    self._duck.run(f"delete from {table} where minute >= {minute}")
                return minute - 1
        return last

    def forget(self, ids: frozenset[str]) -> None:
        with self._using:
            self._spool.forget(ids)

    def close(self) -> None:
        self._duck.close()

    def _judged(self, minute: int) -> Closed:
        numbers = self.numbers(minute)
        if any(
            rule.number == "p95_ratio" and rule.holds(numbers.get("p95_ratio", Value(None)).value)
            for rule in self.alerts.rules
        ):
            self._slow.add(minute)
        return Closed(minute, numbers, tuple(self.alerts.judge(minute, numbers)))

    def numbers(self, minute: int) -> dict[str, Value]:
        """What the rolling windows that end with a minute come to, by the names of the rules."""
        with self._using:
            return self._numbers.rolling(minute)

    def by_minute(self, first: int, last: int) -> Mapping[int, Mapping[str, Measured]]:
        """What is watched of each minute alone."""
        with self._using:
            return self._numbers.by_minute(first, last)

    def suite_numbers(self, minute: int) -> dict[str, Mapping[str, Measured]]:
        """The metrics of the audit, and of answers by gold, over the last minutes."""
        every = {"audit": (LIVE, AUDIT_METRICS)}
        every["answers"] = (ANSWERS, self.judging.metrics)
        since = minute - self.settings.minutes + 1
        with self._using:
            return {
                suite: self._numbers.measured(metrics, since, minute, table)
                if metrics and table in self._tables
                else {}
                for suite, (table, metrics) in every.items()
            }

    def counts(self, first: int, last: int) -> dict[int, int]:
        """How many records there are of each minute."""
        with self._using:
            return self._numbers.counts(first, last)

    def hour(self, minute: int) -> dict[str, Value]:
        """What is watched over the last hour, however few samples there are."""
        if LIVE not in self._tables:
            return {}
        first = minute - HOUR + 1
        with self._using:
            measured = self._numbers.measured(WATCHED, first, minute)
        return {name: value_of(each, first) for name, each in measured.items()}
