"""The records behind an alert: those of its window that are on the wrong side, worst first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ragstone.engine.duck import Duck, quoted
from ragstone.ledger.recording import written_at
from ragstone.measure.metric import Count, Mean, Metric, Quantile, Ratio
from ragstone.report.private_texts import Texts
from ragstone.serve.asked import Asked
from ragstone.serve.frames import Stored
from ragstone.serve.live_board import ShownAlert, shown_alert
from ragstone.serve.live_metrics import STAGES
from ragstone.serve.live_names import gated_metric
from ragstone.serve.live_source import LiveSource
from ragstone.serve.minute_rows import Line, judged_lines
from ragstone.serve.moments import MINUTE, minute_in
from ragstone.serve.page_fields import Missing, says
from ragstone.serve.shown_texts import cut
from ragstone.serve.stored_lines import lines_of, value_of
from ragstone.serve.window_spool import joined_traces

SHOWN = 100
# So much of a window is looked at: records, and bytes of them.
MOST = 20_000
_BYTES = 64 * 1024 * 1024
# The spans of a trace may have begun so long before its root ended.
_BEFORE = 10 * MINUTE
# A window of an alert that names no beginning: the rolling window's least.
_LEAST = 5


@dataclass(frozen=True, slots=True)
class CausingRow:
    """A record that is on the wrong side of a rule."""

    id: str = says("the record's id")
    at: str = says("when it was, in UTC")
    qid: str = says("the question's id, where it has one")
    why: str = says("what of it is on the wrong side")
    question: str = says("what was asked")
    claim: str = says("what was answered")
    citations: tuple[str, ...] = says("what the answer cites")
    retrieved: tuple[str, ...] = says("the first ten that were retrieved")
    build: str = says("the build of the pipeline")
    index_hash: str = says("the build of the index")
    moment: int = says("the same moment, in milliseconds")


@dataclass(frozen=True, slots=True)
class AlertRowsPage:
    """An alert, and the records that caused it."""

    alert: ShownAlert = says("the alert")  # noqa: RUF009 (what it makes is a field)
    rows: tuple[CausingRow, ...] = says("the records behind it, worst first")
    total: int = says("how many records of the window are behind it")
    looked_at: int = says("how many records of the window were looked at")
    more: bool = says("whether the window has more records than are looked at")
    gone: bool = says("whether the records of the window are no longer kept")


def alert_rows_page(live: LiveSource | None, asked: Asked, texts: Texts) -> AlertRowsPage:
    """The records behind the alert that is asked for, by its id."""
    wanted = asked.text("id")
    known = {str(each["id"]): each for each in (live.alerts() if live else ())}
    if live is None or wanted not in known:
        raise Missing(404, "there is no such alert; /live lists the last of them")
    alert = shown_alert(known[wanted])
    last = minute_in(alert.minute)
    first = minute_in(alert.since) if alert.since else last - _LEAST + 1
    read = _Reading(live, first, last)
    with Duck(1) as duck:
        some = judged_lines(duck, read.lines(), live.judging)
        if alert.alert.startswith("answers.") and live.judging.answers is None:
            raise Missing(404, "these records are known by gold: start the server with --gold")
        found = _causes(duck, alert, known[wanted]) if some else []
        total = duck.count("select count(*) from causes") if some else 0
    return AlertRowsPage(
        alert=alert,
        rows=tuple(_row(each, read.texts, texts) for each in found),
        total=total,
        looked_at=read.count,
        more=read.more,
        gone=not some,
    )


class _Reading:
    """The records of a window, up to a limit; `texts` are those that were read, by their id."""

    def __init__(self, live: LiveSource, first: int, last: int) -> None:
        self._live, self._first, self._last = live, first, last
        self.count, self._bytes, self.more = 0, 0, False
        self.texts: dict[str, str] = {}

    def lines(self) -> Iterator[Line]:
        since, until = self._first * MINUTE, (self._last + 1) * MINUTE
        spans: list[str] = []
        for record, line in lines_of(self._limited(self._live.records(since - _BEFORE, until))):
            if record.kind == "span":
                spans.append(f"{line}\n")
            elif record.moment >= since:
                yield self._seen(Line(record.moment, record.id, line))
        for trace in joined_traces(spans, Counter()):
            if since <= trace.moment < until:
                yield self._seen(trace)

    def _limited(self, records: Iterable[Stored]) -> Iterator[Stored]:
        for number, record in enumerate(records):
            self._bytes += len(record.text)
            if number >= MOST or self._bytes > _BYTES:
                self.more = True
                return
            yield record

    def _seen(self, line: Line) -> Line:
        self.count += 1
        self.texts[line.id] = line.text
        return line


def _causes(duck: Duck, alert: ShownAlert, said: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Fills the table `causes`, and gives the worst of it."""
    limit = float(str(said["rule"]).split()[1])
    metric = gated_metric(alert.alert)
    where, order, why = _wrong(alert, limit) if metric is None else _of_gate(alert, metric, limit)
    duck.run(f"create temp table causes as select *, {why} as why from judged where {where}")
    return duck.dicts(f"from causes order by {order}, moment, id limit {SHOWN}")


def _wrong(alert: ShownAlert, limit: float) -> tuple[str, str, str]:
    """Which records are behind a rule, which of them is worst, and what to say: as SQL."""
    match alert.alert:
        case "coverage":
            return "covered < 1", "covered", "'coverage ' || round(covered, 4)"
        case "citation_accuracy":
            return "not accurate", "minute", "'cites what it should not'"
        case "delta_s_p90" | "delta_s_median":
            return f"delta_s >= {limit}", "delta_s desc", "'ΔS ' || round(delta_s, 4)"
        case "divergence":
            return "divergent", "minute", "'a state of λ is not →'"
        case "top_ten_tau":
            return f"tau < {limit}", "tau", "'tau ' || round(tau, 4) || ' with the time before'"
        case "index_hashes":
            build = alert.detail.removeprefix("build ") if alert.detail.startswith("build ") else ""
            own = f"build = {quoted(build)}"
            # The index that most records met is the one that should be there.
            usual = f"(select mode(index_hash) from judged where {own})"
            return f"{own} and index_hash <> {usual}", "minute", "'index ' || index_hash"
        case "worker_faults" | "late_share" | "traffic":
            # No record of a window is behind it.
            return "false", "minute", "''"
    stage = alert.detail.partition(":")[0]
    column = f"{stage if stage in STAGES else 'all'}_ms"
    said = f"'{column.removesuffix('_ms')} ' || round({column})::bigint || ' ms'"
    before = re.search(r"baseline ([0-9]+) ms", alert.detail)
    slow = limit * float(before[1]) if before else 0.0
    return f"{column} > {slow}", f"{column} desc", said


def _of_gate(alert: ShownAlert, metric: Metric, limit: float) -> tuple[str, str, str]:
    """The same of a gate: the rows that cost its metric something."""
    # Of a number over all rows at once, every row of its set is a cause.
    wrong = metric.offenders if isinstance(metric, Ratio | Count | Mean) else metric.of
    order = "minute"
    if isinstance(metric, Quantile):
        wrong, order = f"({wrong}) and {metric.value} > {limit}", f"{metric.value} desc"
    if alert.alert.startswith("answers."):
        wrong = f"trace_row in (select trace_row from by_gold where {wrong})"
    else:
        wrong = f"audited and ({wrong})"
    return wrong, order, quoted(metric.title or metric.name)


def _row(found: Mapping[str, Any], lines: Mapping[str, str], texts: Texts) -> CausingRow:
    value = value_of(lines[str(found["id"])])
    answer = value.get("answer_json") or {}
    claim = answer.get("claim") if isinstance(answer, dict) else None
    cites = answer.get("citations") if isinstance(answer, dict) else None
    return CausingRow(
        id=str(found["id"]),
        at=written_at(datetime.fromtimestamp(found["moment"] / 1000, UTC)),
        qid=str(value.get("qid") or value.get("q_id") or ""),
        why=str(found["why"]),
        question=cut(value.get("q"), texts),
        claim=cut(claim, texts),
        citations=tuple(str(each) for each in (cites if isinstance(cites, list) else ())[:10]),
        retrieved=tuple(str(each) for each in (found["top"] or ())),
        build=str(found["build"] or ""),
        index_hash=str(found["index_hash"] or ""),
        moment=int(found["moment"]),
    )
