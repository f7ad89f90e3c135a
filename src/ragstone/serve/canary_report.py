"""The watched canary as a report, so that every format of reports can show it."""

from __future__ import annotations

from collections.abc import Iterator

from ragstone._version import __version__
from ragstone.gates.gate import Judged, Status, Threshold
from ragstone.measure.metric import Mean, Measured
from ragstone.report.document.blocks import (
    Answered,
    Block,
    Cell,
    Json,
    QuestionPair,
    QuestionPairs,
    Table,
)
from ragstone.report.formats.json_text import plain
from ragstone.report.model import Report
from ragstone.report.private_texts import Texts, with_texts
from ragstone.serve.canary_chart import evidence_chart, state_in_words, wealth
from ragstone.serve.canary_evidence import Evidence, State, Verdict
from ragstone.serve.canary_page import CanaryPage
from ragstone.serve.canary_watch import CanaryWatch
from ragstone.serve.page_fields import as_data
from ragstone.suites.digest import digest_of

VERDICTS: dict[Status | None, str] = {
    Status.PASS: str(Verdict.PROMOTE),
    Status.FAIL: str(Verdict.ROLL_BACK),
    Status.UNMEASURABLE: str(Verdict.HOLD),
}
_STATUS = {
    State.PROVEN: Status.PASS,
    State.REFUTED: Status.FAIL,
    State.OPEN: Status.UNMEASURABLE,
    State.UNMEASURED: Status.UNMEASURABLE,
}
# What needs no test: one alarming window may be chance, and one index is what was to be tried.
_BUILDS = Mean(
    name="index_builds",
    title="builds of the shadow's index",
    value="",
    bounds=None,
    better="lower",
    says="How many builds of the index answered in the shadow arm.",
)
_ALERTS = Mean(
    name="alert_windows",
    title="two alert windows in a row",
    value="",
    bounds=None,
    better="lower",
    says="Whether two windows of the shadow arm, one after the other, had an alert (1), or not.",
)


def canary_report(watch: CanaryWatch, page: CanaryPage, gold: str, texts: Texts = "all") -> Report:
    """Everything a renderer needs, in one object; `gold` is the hash of the gold set."""
    plan = watch.setup.plan
    settings: dict[str, Json] = {
        "run": page.run,
        "confidence": plan.level,
        "max_questions": plan.most or None,
        "at_least_seconds": plan.at_least or None,
        "off": list(page.off),
        "report_texts": texts,
    }
    gates = (*(_gate(each, page) for each in watch.watched.evidence.values()), *_plain(watch))
    metrics = {each.condition.name: _measured(each) for each in watch.watched.evidence.values()}
    for metric, gate in zip((_BUILDS, _ALERTS), gates[-2:], strict=True):
        metrics[metric.name] = Measured(metric, gate.value, None, page.pairs, None, False)
    report = Report(
        suite="canary",
        version=__version__,
        figures={
            "questions": page.questions,
            "repeats": page.repeats,
            "failures": page.failures,
            "dropped": page.mirror.dropped,
            **{each.name: each.value for each in page.conditions},
        },
        metrics=metrics,
        gates=gates,
        digest=digest_of(
            {
                "suite": "watched canary",
                "pairs": watch.content,
                "gold": gold,
                "settings": settings,
                "gates": [[gate.name, str(gate.threshold)] for gate in gates],
            }
        ),
        settings=settings,
        data={"verdict": page.verdict, "because": page.because, "canary": plain(as_data(page))},
        blocks=tuple(_blocks(page)),
        warnings=page.warnings,
        verdicts=VERDICTS,
        notice=f"{page.verdict}: {page.because}.",
    )
    return with_texts(report, texts)


def _measured(found: Evidence) -> Measured:
    return Measured(
        found.condition.metric,
        found.value,
        None,
        found.questions,
        found.interval,
        vacuous=not found.questions,
    )


def _gate(found: Evidence, page: CanaryPage) -> Judged:
    shown = next(each for each in page.conditions if each.name == found.condition.name)
    limit = found.condition.limit
    about = "" if limit is None else f"of the questions, so many have a ΔS of at most {limit:g}"
    at = state_in_words(shown) if shown.at else ""
    note = "; ".join(filter(None, (about, at, shown.later, shown.note)))
    return Judged(
        name=shown.name,
        metric=shown.name,
        threshold=found.condition.line,
        value=found.value,
        judged_on=found.value,
        interval=found.interval,
        status=_STATUS[found.state],
        vacuous=False,
        proven=found.state is State.PROVEN if found.questions else None,
        note=note,
        denominator=found.questions,
        tested=found.questions,
    )


def _plain(watch: CanaryWatch) -> Iterator[Judged]:
    """What rolls back without a test, as gates; after a decision they decide nothing."""
    by, builds = watch.watched.decision.by, len(watch.tally.shadow_hashes)
    drifted = Status.FAIL if by == "index" else Status.PASS
    later = "seen after the decision" if builds > 1 and by != "index" else ""
    one = Threshold("<=", 1.0)
    yield Judged(_BUILDS.name, _BUILDS.name, one, builds, builds, None, drifted, note=later)
    alarmed, none = float(by == "alerts"), Threshold("=", 0.0)
    status = Status.FAIL if alarmed else Status.PASS
    yield Judged(_ALERTS.name, _ALERTS.name, none, alarmed, alarmed, None, status)


def _blocks(page: CanaryPage) -> Iterator[Block]:
    chart = evidence_chart(page)
    if chart is not None:
        yield chart
    yield _conditions(page)
    if page.worst:
        yield QuestionPairs(
            "Questions that show why",
            tuple(
                QuestionPair(
                    qid=each.qid or f"question {each.number}",
                    question=each.question or None,
                    before=Answered(citations=each.live_citations, right_rows=1, rows=1),
                    after=Answered(citations=each.shadow_citations, rows=1),
                    lost_at=", ".join(each.lost),
                )
                for each in page.worst
            ),
            len(page.worst),
            ("live", "shadow"),
            "The questions on which the shadow did worst: A is the live answer, B the shadow's.",
        )
    yield _mirror(page)


def _conditions(page: CanaryPage) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            each.title,
            each.value,
            each.questions,
            each.low,
            each.high,
            each.line,
            wealth(each.proving),
            wealth(each.refuting),
            state_in_words(each),
        )
        for each in page.conditions
    ]
    return Table(
        "What the shadow must keep",
        ("condition", "value", "questions", "from", "to", "line", "for", "against", "state"),
        tuple(rows),
        f"Proven where the evidence for it reaches {page.to_prove:g}, refuted where that against "
        f"it reaches {page.to_refute:g}; each end of the interval holds at its level, however "
        "often one looks." + "".join(f" {each}." for each in (page.plan, page.waits) if each),
    )


def _mirror(page: CanaryPage) -> Table:
    counted = {
        "pairs": page.pairs,
        "different questions": page.questions,
        "asked again, and not counted": page.repeats,
        "without an answer of the shadow, counted as wrong": page.failures,
        "live questions that the mirrors saw": page.mirror.seen,
        "left out by the share": page.mirror.left_out,
        "that could not be read": page.mirror.unread,
        "dropped": page.mirror.dropped,
        "answered by the shadow": page.mirror.answered,
        "that the shadow gave no answer to": page.mirror.failed,
        "still waiting": page.mirror.waiting,
    }
    return Table("What the mirror counted", ("what", "questions"), tuple(counted.items()))
