"""What the rolling windows come to: sums over the rows of closed minutes.

Every number is over the last minutes, as many as it needs for its samples. With too few of them
within an hour it is unmeasured.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from ragstone.engine.duck import Duck, text, whole
from ragstone.measure.measure import measure
from ragstone.measure.metric import Mean, Measured, Metric, Ratio
from ragstone.serve.alert_rules import Value
from ragstone.serve.live_metrics import STAGES, WATCHED, p95_of

# A rolling window goes back no further, nor does the error budget, nor a baseline.
HOUR = 60
LIVE, ANSWERS, LATE = "live_rows", "answers_rows", "late_rows"


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """How long late records are waited for, and how large a rolling window is at least."""

    late: int = 120
    minutes: int = 5
    samples: int = 200
    baseline: tuple[tuple[str, float], ...] = ()


class WindowNumbers:
    """Measures windows over `tables` of an engine, those of them that there are so far.

    `gated` are the suites' metrics that a rule asks for, by the table that they are measured over,
    under the names of the rules. `slow` are the minutes in which the rule on times held.
    """

    def __init__(
        self,
        duck: Duck,
        tables: Collection[str],
        settings: WindowSettings,
        gated: Mapping[str, tuple[Metric, ...]],
        slow: Collection[int],
    ) -> None:
        self._duck, self._tables, self._settings, self._slow = duck, tables, settings, slow
        self._watched = {LIVE: (*WATCHED, *gated[LIVE]), ANSWERS: gated[ANSWERS]}

    def rolling(self, minute: int) -> dict[str, Value]:
        """What the windows that end with a minute come to, by the names of the rules."""
        if LIVE not in self._tables:
            return {}
        values: dict[str, Value] = {}
        for table, metrics in self._known():
            since = self._begins(table, metrics, minute)
            # A gate is shown whether or not it can be judged yet.
            values |= {name: Value(None) for name in since if "." in name}
            for start in sorted(set(since.values()) - {0}):
                some = [metric for metric in metrics if since[metric.name] == start]
                for name, measured in self.measured(some, start, minute, table).items():
                    values[name] = value_of(measured, start)
        values["index_hashes"] = self._index_hashes(minute)
        values["p95_ratio"] = self._slowest(minute, values)
        counts = self.counts(minute - self._settings.minutes - HOUR, minute)
        values["late_share"] = self._late_share(minute, counts)
        values["traffic"] = self._traffic(minute, counts)
        return values

    def _known(self) -> Iterable[tuple[str, tuple[Metric, ...]]]:
        return [(table, some) for table, some in self._watched.items() if table in self._tables]

    def measured(
        self, metrics: Iterable[Metric], first: int, last: int, table: str = LIVE
    ) -> Mapping[str, Measured]:
        """Metrics over the rows of some minutes, as a suite measures its own."""
        within = f"(select * from {table} where minute between {first} and {last})"
        return measure(self._duck, tuple(metrics), tables=_every(within)).get("", {})

    def by_minute(self, first: int, last: int) -> dict[int, dict[str, Measured]]:
        """What is watched of each minute alone."""
        minutes: dict[int, dict[str, Measured]] = {}
        for table, metrics in self._known():
            within = f"(select * from {table} where minute between {first} and {last})"
            each = measure(self._duck, metrics, "minute", tables=_every(within))
            for minute, numbers in each.items():
                if minute:
                    minutes.setdefault(int(minute), {}).update(numbers)
        return minutes

    def counts(self, first: int, last: int, table: str = LIVE) -> dict[int, int]:
        """How many records there are of each minute."""
        if table not in self._tables:
            return {}
        rows = self._duck.query(
            f"select minute, sum(times)::bigint from {table} "
            f"where minute between {first} and {last} group by minute order by minute"
        )
        return {whole(minute): whole(count) for minute, count in rows}

    def _begins(self, table: str, metrics: Iterable[Metric], minute: int) -> dict[str, int]:
        """Where the rolling window of each metric begins; 0 where an hour has too few samples."""
        names = [metric.name for metric in metrics]
        if not names:
            return {}
        # Only a row that could have failed is a sample.
        counted = ", ".join(
            f"coalesce(sum(times) filter (({metric.of}) and ({metric.tested})), 0)::bigint"
            for metric in metrics
        )
        rows = self._duck.query(
            f"select minute, {counted} from {table} "
            f"where minute between {minute - HOUR + 1} and {minute} group by minute"
        )
        by_minute = {whole(row[0]): row[1:] for row in rows}
        return {
            name: self._begin(minute, {each: whole(row[at]) for each, row in by_minute.items()})
            for at, name in enumerate(names)
        }

    def _begin(self, minute: int, counts: Mapping[int, int]) -> int:
        samples = 0
        for back in range(HOUR):
            samples += counts.get(minute - back, 0)
            if back + 1 >= self._settings.minutes and samples >= self._settings.samples:
                return minute - back
        return 0

    def _index_hashes(self, minute: int) -> Value:
        """The most hashes of the index that one build answered with, within the last minutes."""
        since = minute - self._settings.minutes + 1
        rows = self._duck.query(f"""
            select count(distinct index_hash), build, sum(times)::bigint from {LIVE}
            where minute between {since} and {minute} and index_hash is not null
            group by build order by 1 desc, build limit 1
        """)
        if not rows:
            return Value(None)
        hashes, build, samples = rows[0]
        named = f"build {text(build)}" if build else "no build is named"
        return Value(float(whole(hashes)), whole(samples), since, named)

    def _slowest(self, minute: int, values: Mapping[str, Value]) -> Value:
        """The stage whose p95 is furthest above its baseline."""
        worst = Value(None)
        for stage in STAGES:
            now = values.get(f"p95_{stage}", Value(None))
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
        named = dict(self._settings.baseline)
        if named:
            return named.get(stage)
        metric = p95_of(stage)
        slow = ", ".join(map(str, sorted(self._slow))) or "0"
        usual = f"(select * from {LIVE} where minute not in ({slow}))"
        measured = self.measured([metric], since - HOUR, since - 1, usual)[metric.name]
        return measured.value if measured.denominator >= self._settings.samples else None

    def _late_share(self, minute: int, counts: Mapping[int, int]) -> Value:
        """Of the records that were heard of, how many came after their minute was closed."""
        late = self.counts(minute - HOUR + 1, minute, LATE)
        heard = {each: late.get(each, 0) + counts.get(each, 0) for each in {*late, *counts}}
        since = self._begin(minute, heard)
        if not since:
            return Value(None)
        samples = sum(count for each, count in heard.items() if each >= since)
        missed = sum(count for each, count in late.items() if each >= since)
        return Value(missed / samples, samples, since, f"{missed:,} of {samples:,} records")

    def _traffic(self, minute: int, counts: Mapping[int, int]) -> Value:
        """The records of the last minutes over what the hour before had in as many."""
        since = minute - self._settings.minutes + 1
        before = sum(count for each, count in counts.items() if each < since)
        if before < self._settings.samples:
            return Value(None)
        now = sum(counts.values()) - before
        # Where records began to come within the hour, it is as long as they came.
        usual = before * self._settings.minutes / (since - min(counts))
        return Value(now / usual, before, since, f"{now:,} records, usually {usual:,.0f}")


def _every(rows: str) -> Callable[[str], str]:
    """The same rows for whatever a metric is over."""
    return lambda _: rows


def value_of(measured: Measured, since: int) -> Value:
    """A metric of a window as rules read it."""
    missed = None
    if isinstance(measured.metric, Ratio) and measured.numerator is not None:
        missed = float(measured.denominator - measured.numerator)
    elif isinstance(measured.metric, Mean) and measured.value is not None:
        missed = (1 - measured.value) * measured.denominator
    return Value(measured.value, measured.denominator, since, "", missed)
