"""One-minute windows over records, by the records' own time, and what rolling windows come to.

A minute is closed once the clock is past its end and the allowance for late records. The clock is
the newest time of any record: so the outcome depends on the records, and not on the order in which
they come within the allowance. Every window is the sum of the rows of its minutes.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ragstone.engine.duck import Duck, quoted, text, whole
from ragstone.measure.measure import measure
from ragstone.measure.metric import Mean, Measured, Metric, Ratio
from ragstone.scratch import drop, part_file
from ragstone.serve.alert_rules import Alert, AlertState, Rule, Value
from ragstone.serve.live_metrics import AUDIT_METRICS, STAGES, WATCHED, p95_of
from ragstone.serve.minute_rows import Judging, Line, score_lines
from ragstone.serve.moments import minute_of
from ragstone.serve.top_ten import TopTens
from ragstone.serve.window_spool import WindowSpool, joined_traces

# A rolling window goes back no further, nor does the error budget, nor a baseline.
HOUR = 60
_KEPT = 2 * HOUR + 5
TABLES = ("live_rows", "answers_rows")


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """How long late records are waited for, and how large a rolling window is at least."""

    late: int = 120
    minutes: int = 5
    samples: int = 200
    baseline: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Closed:
    """A closed minute: the numbers of its rolling windows, and the alerts that it changed."""

    minute: int
    numbers: Mapping[str, Value]
    alerts: tuple[Alert, ...]


class MinuteWindows:
    """The windows of one stream of records. One thread adds, one thread advances.

    `hears_trace` is told of every trace that spans were joined to.
    """

    def __init__(
        self,
        settings: WindowSettings,
        rules: tuple[Rule, ...],
        judging: Judging,
        answers: tuple[Metric, ...] = (),
        hears_trace: Callable[[Line], None] = lambda line: None,
    ) -> None:
        self._hears_trace = hears_trace
        self.settings, self._judging, self._answers = settings, judging, answers
        self.alerts = AlertState(rules)
        self._duck = Duck(1)
        self._duck.condensed = True
        self._spool = WindowSpool(self._duck.scratch)
        self._tops = TopTens()
        self._tables: set[str] = set()
        self._using = threading.RLock()
        self.clock = 0
        self.closed: int | None = None
        self.losses: Counter[str] = Counter()
        self.late = 0
        self._slow: set[int] = set()

    def add(self, line: Line) -> None:
        """A record; one of a minute that is closed is counted as late and left out."""
        self.clock = max(self.clock, line.moment)
        if self.closed is not None and minute_of(line.moment) <= self.closed:
            self.late += 1
            return
        self._spool.add(line)

    def add_span(self, line: str, end: int) -> None:
        """A span, which becomes part of a record when the minute closes in which its root ended."""
        self.clock = max(self.clock, end)
        self._spool.add_span(line)

    def advance(
        self, clock: int | None = None, *, close: Callable[[int], None] = lambda minute: None
    ) -> list[Closed]:
        """Closes every minute that nothing late can come for any more; `close` hears of each."""
        now = max(self.clock, clock or 0)
        last = minute_of(now - self.settings.late * 1000) - 1
        spans, gone = self._spool.take_spans(last, now)
        self.losses["no_root"] += gone
        for line in joined_traces(spans, self.losses):
            self._hears_trace(line)
            if self.closed is None or minute_of(line.moment) > self.closed:
                self._spool.add(line)
            else:
                self.late += 1
        first = self._spool.first()
        if self.closed is None:
            if first is None or first > last:
                return []
            self.closed = first - 1
        if last <= self.closed:
            return []
        with self._using:
            return self._close(last, close)

    def _close(self, last: int, close: Callable[[int], None]) -> list[Closed]:
        begun = self.closed or 0
        # Before it is taken, so that nothing is added to a minute that is being closed.
        self.closed = last
        files = score_lines(self._spool.take(last), self._judging, self._tops, self._duck.scratch)
        for table, path in zip(TABLES, files, strict=False):
            self._load(table, path)
            drop(self._duck.scratch, path)
        made = []
        for minute in self._worth_judging(begun, last):
            made.append(self._judged(minute))
            close(minute)
        for table in self._tables:
            self._duck.run(f"delete from {table} where minute < {last - _KEPT}")
        self._slow = {minute for minute in self._slow if minute >= last - _KEPT}
        return made

    def _worth_judging(self, begun: int, last: int) -> Iterator[int]:
        """The minutes after one, up to another, of which there is something to say.

        An hour and a minute after the last record everything is unmeasured, and stays so.
        """
        if "live_rows" not in self._tables:
            return
        rows = f"live_rows where minute between {begun - HOUR} and {last}"
        reached = begun
        for (found,) in self._duck.query(f"select distinct minute from {rows} order by minute"):
            minute = whole(found)
            yield from range(max(reached + 1, minute), min(minute + HOUR + 1, last + 1))
            reached = max(reached, min(minute + HOUR, last))

    def _load(self, table: str, path: Path) -> None:
        """Adds rows of closed minutes to a table."""
        rows = f"from read_parquet({quoted(str(path))})"
        if table in self._tables:
            self._duck.run(f"insert into {table} by name {rows}")
        else:
            self._duck.run(f"create table {table} as {rows}")
            self._tables.add(table)

    def restore(self, last: int) -> None:
        """Says that minutes up to this one are loaded, and finds out which alerts stand."""
        with self._using:
            self.closed = last
            for minute in range(last - HOUR + 1, last + 1):
                self._judged(minute)

    def save(self, minute: int, folder: Path) -> None:
        """The rows of one minute, in files that `load_saved` reads."""
        with self._using:
            for table in sorted(self._tables):
                rows = f"select * from {table} where minute = {minute}"
                with part_file(folder, 0o600) as (part, file):
                    target = quoted(str(part))
                    self._duck.run(
                        f"copy ({rows}) to {target} (format parquet, use_tmp_file false)"
                    )
                    os.fsync(file.fileno())
                    part.replace(folder / f"{minute}.{table}.parquet")

    def load_saved(self, folder: Path) -> int | None:
        """Loads the rows of the last saved minutes; says which is the last, and removes others."""
        saved: dict[int, dict[str, Path]] = {}
        for path in folder.glob("*.parquet"):
            number, table, _ = path.name.split(".")
            saved.setdefault(int(number), {})[table] = path
        last = max(saved, default=None)
        for minute, tables in sorted(saved.items()):
            if last is not None and minute < last - _KEPT:
                for path in tables.values():
                    path.unlink()
                continue
            for table in TABLES:
                if table in tables:
                    self._load(table, tables[table])
        return last

    def forget(self, ids: frozenset[str]) -> None:
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
        if "live_rows" not in self._tables:
            return {}
        since = self._begins(minute)
        found: dict[str, Value] = {}
        for start in sorted(set(since.values()) - {0}):
            some = [metric for metric in WATCHED if since[metric.name] == start]
            for name, measured in self.measured(some, start, minute).items():
                found[name] = _value_of(measured, start)
        found["index_hashes"] = self._index_hashes(minute)
        found["p95_ratio"] = self._slowest(minute, found)
        return found

    def measured(
        self, metrics: Iterable[Metric], first: int, last: int, table: str = "live_rows"
    ) -> Mapping[str, Measured]:
        """Metrics over the rows of some minutes, as a suite measures its own."""
        within = f"(select * from {table} where minute between {first} and {last})"
        return measure(self._duck, tuple(metrics), tables=lambda _: within).get("", {})

    def by_minute(self, first: int, last: int) -> dict[int, Mapping[str, Measured]]:
        """What is watched of each minute alone."""
        if "live_rows" not in self._tables:
            return {}
        with self._using:
            within = f"(select * from live_rows where minute between {first} and {last})"
            found = measure(self._duck, WATCHED, "minute", tables=lambda _: within)
        return {int(minute): numbers for minute, numbers in found.items() if minute}

    def audited(self, minute: int) -> Mapping[str, Measured]:
        """The audit's metrics over the rolling window."""
        if "live_rows" not in self._tables:
            return {}
        with self._using:
            return self.measured(AUDIT_METRICS, minute - self.settings.minutes + 1, minute)

    def answers(self, minute: int) -> Mapping[str, Measured]:
        """The answers suite's metrics over the rolling window, where there is a gold set."""
        if "answers_rows" not in self._tables or not self._answers:
            return {}
        with self._using:
            since = minute - self.settings.minutes + 1
            return self.measured(self._answers, since, minute, "answers_rows")

    def counts(self, first: int, last: int) -> dict[int, int]:
        """How many records there are of each minute."""
        if "live_rows" not in self._tables:
            return {}
        with self._using:
            found = self._duck.query(
                "select minute, sum(times)::bigint from live_rows "
                f"where minute between {first} and {last} group by minute order by minute"
            )
        return {whole(minute): whole(count) for minute, count in found}

    def hour(self, minute: int) -> dict[str, Value]:
        """What is watched over the last hour, however few samples there are."""
        if "live_rows" not in self._tables:
            return {}
        first = minute - HOUR + 1
        with self._using:
            found = self.measured(WATCHED, first, minute)
        return {name: _value_of(each, first) for name, each in found.items()}

    def _begins(self, minute: int) -> dict[str, int]:
        """Where the rolling window of each metric begins; 0 where an hour has too few samples."""
        metrics = WATCHED
        counted = ", ".join(
            f"coalesce(sum(times) filter ({metric.of}), 0)::bigint" for metric in metrics
        )
        rows = self._duck.query(
            f"select minute, {counted} from live_rows "
            f"where minute between {minute - HOUR + 1} and {minute} group by minute"
        )
        by_minute = {whole(row[0]): row[1:] for row in rows}
        found = {}
        for place, metric in enumerate(metrics):
            counts = {each: whole(row[place]) for each, row in by_minute.items()}
            found[metric.name] = self._begin(minute, counts)
        return found

    def _begin(self, minute: int, counts: Mapping[int, int]) -> int:
        samples = 0
        for back in range(HOUR):
            samples += counts.get(minute - back, 0)
            if back + 1 >= self.settings.minutes and samples >= self.settings.samples:
                return minute - back
        return 0

    def _index_hashes(self, minute: int) -> Value:
        """The most hashes of the index that one build answered with, within the last minutes."""
        since = minute - self.settings.minutes + 1
        found = self._duck.query(f"""
            select count(distinct index_hash), build, sum(times)::bigint from live_rows
            where minute between {since} and {minute} and index_hash is not null
            group by build order by 1 desc, build limit 1
        """)
        if not found:
            return Value(None)
        hashes, build, samples = found[0]
        named = f"build {text(build)}" if build else "no build is named"
        return Value(float(whole(hashes)), whole(samples), since, named)

    def _slowest(self, minute: int, found: Mapping[str, Value]) -> Value:
        """The stage whose p95 is furthest above its baseline."""
        worst = Value(None)
        for stage in STAGES:
            now = found.get(f"p95_{stage}", Value(None))
            if now.value is None:
                continue
            before = self._baseline(stage, now.since)
            if before and (worst.value is None or now.value / before > worst.value):
                detail = f"{stage}: {now.value:.0f} ms, baseline {before:.0f} ms"
                worst = replace(now, value=now.value / before, detail=detail)
        return worst

    def _baseline(self, stage: str, since: int) -> float | None:
        """The p95 that the file names, else that of the hour before the window.

        Minutes in which the rule held do not count: what is slow does not become usual by lasting.
        """
        given = dict(self.settings.baseline)
        if given:
            return given.get(stage)
        metric = p95_of(stage)
        slow = ", ".join(map(str, sorted(self._slow))) or "0"
        usual = f"(select * from live_rows where minute not in ({slow}))"
        measured = self.measured([metric], since - HOUR, since - 1, usual)[metric.name]
        return measured.value if measured.denominator >= self.settings.samples else None


def _value_of(measured: Measured, since: int) -> Value:
    missed = None
    if isinstance(measured.metric, Ratio) and measured.numerator is not None:
        missed = float(measured.denominator - measured.numerator)
    elif isinstance(measured.metric, Mean) and measured.value is not None:
        missed = (1 - measured.value) * measured.denominator
    return Value(measured.value, measured.denominator, since, "", missed)
