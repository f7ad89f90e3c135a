"""The records of files go into windows: all there are, or those that come while it watches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from ragstone.contracts.diagnose import numbered
from ragstone.contracts.record_lines import record_lines
from ragstone.contracts.sources import Source, find
from ragstone.engine.duck import Duck, identifier, listed, text
from ragstone.errors import ConfigError, Diagnostic, Diagnostics, InputError
from ragstone.formats.declared_format import Format
from ragstone.formats.translate import Limits, translate
from ragstone.scratch import keep
from ragstone.serve.alert_rules import BESIDE, Alert, Value
from ragstone.serve.batch_reader import Read, read_line
from ragstone.serve.frames import Stored
from ragstone.serve.known_ids import KnownIds
from ragstone.serve.live_state import live_state
from ragstone.serve.minute_rows import Line
from ragstone.serve.minute_windows import Closed, MinuteWindows, machine_clock
from ragstone.serve.moments import MINUTE
from ragstone.serve.otlp_spans import read_spans
from ragstone.serve.stored_lines import value_of

# A file whose last record is so near to now is one that a pipeline writes at the moment.
_LIVE = 10 * MINUTE
# Far ahead of any record: what is in a file may be of any time.
_EVER = 2**60


class WatchSession:
    """Adds lines to windows, and keeps account of those that could not be added."""

    def __init__(
        self,
        windows: MinuteWindows,
        format: Format | None,
        duck: Duck,
        allowed: Collection[str] = (),
    ) -> None:
        self._windows, self._format, self._duck = windows, format, duck
        self._allowed = allowed
        self.bad = Diagnostics()
        self.records = 0
        self.refused = 0
        self.without_time = 0
        self.raised: list[Alert] = []
        self.numbers: Mapping[str, Value] = {}
        # Whether a rule on what was answered was measured in any minute.
        self.judged = False
        # A file that is begun anew may hold what it held before.
        self._seen = KnownIds()

    def read_whole(self, files: list[str]) -> None:
        """Every record of files of any form and packing."""
        sources = find(files, "trace", self._duck.scratch)
        if self._format is not None:
            self._translated(sources)
            return
        for source in sources:
            if source.parquet:
                source.must_be_readable()
                raise ConfigError(f"{source.name}: watch reads lines; score and audit read Parquet")
            for number, line in numbered(record_lines(source)):
                self.add(source.name, [(number, line)])

    def add(self, name: str, lines: Iterable[tuple[int, bytes]]) -> None:
        """Lines of our own records, or of spans as the collector writes them."""
        found = Read()
        for number, line in lines:
            if not line.strip():
                continue
            if self._format is None:
                read_line(found, line, number, _EVER, allowed=self._allowed)
            else:
                _read_spans(found, line, number)
        self._take(found, name)

    def add_translated(self, name: str, lines: Iterable[tuple[int, bytes]]) -> None:
        """Lines of another tool's log, each of which is whole by itself."""
        some = [line + b"\n" for _, line in lines if line.strip()]
        if some:
            self._translated((Source(name, keep(self._duck.scratch, some)),))

    def _translated(self, sources: tuple[Source, ...]) -> None:
        if self._format is None:
            return
        made = translate(self._format, sources, self._duck.scratch, Limits(1))
        self._windows.losses.update({each.why: each.count for each in made.lost})
        if not made.came_out:
            return
        rows = f"read_parquet({listed([str(each.path) for each in made.sources])})"
        own = [
            identifier(each) for each in self._duck.columns(rows) if not each.startswith("from_")
        ]
        select = f"select {', '.join(own)} from {rows}"
        found = Read()
        merged = f"select json_merge_patch('{{}}', to_json(made)) from ({select}) as made"
        for number, (line,) in enumerate(self._duck.stream(merged), 1):
            read_line(found, text(line).encode(), number, _EVER)
        if is_spans(self._format):
            found.records = [_when_it_ended(record) for record in found.records]
        self._take(found, sources[0].name)

    def _take(self, found: Read, name: str) -> None:
        for record, line in zip(found.records, found.lines, strict=True):
            if record.id in self._seen:
                continue
            self._seen.add([record.id])
            self.records += 1
            if record.kind == "span":
                self._windows.add_span(line, record.moment)
            elif record.moment == _EVER:
                self.without_time += 1
            else:
                self._windows.add(Line(record.moment, record.id, line))
        self.refused += found.refused
        for each in found.problems:
            self.bad.add(Diagnostic(name, each.line, each.field, each.reason))

    def close_what_is_due(self, *, every: bool = False) -> list[Closed]:
        """Closes minutes; with `every`, also those that more could come for."""
        clock = None
        late = self._windows.settings.late
        now = machine_clock()
        if every:
            clock = self._windows.clock + late * 1000 + MINUTE
        elif self._windows.quiet and abs(now - self._windows.clock) < _LIVE:
            clock = now
        closed = self._windows.advance(clock)
        for each in closed:
            self.numbers = each.numbers
            rules = {rule.number for rule in self._windows.alerts.rules} - {*BESIDE}
            self.judged |= any(each.numbers[n].value is not None for n in rules & {*each.numbers})
            self.raised += [alert for alert in each.alerts if alert.raised]
        return closed

    def state(self) -> dict[str, object]:
        """What there is to say, as plain data."""
        return {
            "records": self.records,
            "refused": self.refused,
            "without_time": self.without_time,
            "alerts": [alert.as_dict() for alert in self.raised],
            "windows": live_state(self._windows, self.numbers) if self._windows.closed else {},
        }


def _read_spans(found: Read, line: bytes, number: int) -> None:
    """The spans of one line of the collector's file."""
    try:
        one = read_spans(line, _EVER, protobuf=False)
    except InputError as error:
        found.refuse([Diagnostic("", number, "json", str(error))])
        return
    found.records += one.records
    found.lines += one.lines
    found.refuse_all(replace(each, line=number) for each in one.problems)


def _when_it_ended(record: Stored) -> Stored:
    """A trace of spans is of the minute in which its root ended; its ts is when it began."""
    took = value_of(record.text).get("latency_ms")
    lasted = round(took) if isinstance(took, int | float) else 0
    return msgspec.structs.replace(record, moment=record.moment + lasted)


def must_be_followed(format: Format | None) -> None:
    """Refuses to follow files whose records are not lines."""
    if format is not None and not any(cut.kind == "lines" for cut in format.cuts):
        raise ConfigError(f"files of {format.name} are read as a whole: give --once")


def is_spans(format: Format | None) -> bool:
    """Whether lines are spans, which are joined to traces when a minute is closed."""
    return format is not None and format.name == "otel"


def paths_of(files: list[str]) -> list[Path]:
    """The files behind names and patterns."""
    import glob

    found = [
        Path(path)
        for name in files
        for path in (sorted(glob.glob(name)) if glob.has_magic(name) else [name])  # noqa: PTH207
    ]
    if not found:
        raise ConfigError(f"no file matches {', '.join(files)}")
    return found
