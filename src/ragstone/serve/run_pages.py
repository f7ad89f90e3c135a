"""The pages of runs: all of them with their trends, and one of them with its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragstone.ledger import trend_words
from ragstone.ledger.kept_report import kept_report
from ragstone.ledger.recording import Recording
from ragstone.ledger.trend_lines import Line, gated, trend_of
from ragstone.report.model import Report
from ragstone.report.private_texts import Texts, with_texts
from ragstone.serve.asked import Asked, pages_for
from ragstone.serve.known_runs import KnownRuns
from ragstone.serve.page_fields import Missing, says

SHOWN = 50
# Points that a tile has room for, and tiles that a reader has patience for.
_POINTS, _TILES = 40, 24
_CHOICES = 200
DECISIONS = ("PASS", "FAIL", "UNMEASURABLE", "NONE")


@dataclass(frozen=True, slots=True)
class RunRow:
    """A recording, as a line of a list."""

    run: str = says("the digest of the run")
    at: str = says("when it was recorded, in UTC")
    suite: str = says("the suite, or gate for several")
    decision: str = says("PASS, FAIL, UNMEASURABLE, or NONE without gates")
    passed: int = says("how many gates pass")
    gates: int = says("how many gates there are")
    failing: tuple[str, ...] = says("the gates that do not pass")
    commit: str = says("the commit, with a star where files differed from it")
    branch: str = says("the branch")
    labels: Mapping[str, str] = says("what --label said")
    names: tuple[str, ...] = says("what the run was accepted as")
    before: str = says("the run before it that has the same suite, or nothing")

    @property
    def short(self) -> str:
        return self.run[:8]

    @property
    def when(self) -> str:
        return f"{self.at[:10]} {self.at[11:16]}"


@dataclass(frozen=True, slots=True)
class TrendTile:
    """How one number went over the recordings that are listed."""

    suite: str = says("the suite")
    name: str = says("the metric, or the gate")
    value: str = says("the newest value, in words")
    change: str = says("its change since the first of these recordings, in words")
    status: str = says("what its gate came to, or nothing")
    limit: float | None = says("the threshold of its gate")
    values: tuple[float | None, ...] = says("the values, oldest first; null is not measured")


@dataclass(frozen=True, slots=True)
class RunListPage:
    """The recordings of the ledger, newest first."""

    runs: tuple[RunRow, ...] = says("the recordings of this page, newest first")
    trends: tuple[TrendTile, ...] = says("the gated numbers of all that fit")
    total: int = says("how many recordings fit")
    page: int = says("the number of this page, from 1")
    pages: int = says("how many pages there are")
    suite: str = says("only this suite, where one is asked for")
    branch: str = says("only this branch")
    decision: str = says("only this decision")
    label: str = says("only recordings with this label, NAME=TEXT")
    suites: tuple[str, ...] = says("the suites that there are")
    branches: tuple[str, ...] = says("the branches that there are")
    older: int = says("recordings that are too old to be listed")
    damaged: int = says("recordings that cannot be read")


@dataclass(frozen=True, slots=True)
class RunPage:
    """One run, with its report."""

    run: str = says("the digest of the run")
    recordings: tuple[RunRow, ...] = says("when it was recorded, newest first")
    before: str = says("the run before it that has the same suite, or nothing")
    after: str = says("the run after it, or nothing")
    report: Mapping[str, Any] = says("the report, as --json writes it")


def run_list_page(runs: KnownRuns, asked: Asked) -> RunListPage:
    """All runs that fit what is asked."""
    looked, names = runs.look(), runs.names()
    every = looked.recordings
    suites = sorted({suite for each in every for suite in (each.suite, *each.suites)})[:_CHOICES]
    branches = sorted({each.branch for each in every if each.branch})[:_CHOICES]
    suite, branch = asked.text("suite"), asked.text("branch")
    decision, label = asked.one_of("decision", DECISIONS), asked.text("label")
    found = [each for each in every if _fits(each, suite, branch, decision, label)]
    page, pages = asked.page(), pages_for(len(found), SHOWN)
    if page > pages:
        raise Missing(404, f"there are only {pages} pages")
    before = befores(every)
    listed = found[(page - 1) * SHOWN : page * SHOWN]
    return RunListPage(
        runs=tuple(run_row(each, names, before) for each in listed),
        trends=tiles(found[:_POINTS], suite),
        total=len(found),
        page=page,
        pages=pages,
        suite=suite,
        branch=branch,
        decision=decision,
        label=label,
        suites=tuple(suites),
        branches=tuple(branches),
        older=looked.older,
        damaged=looked.damaged,
    )


def _fits(each: Recording, suite: str, branch: str, decision: str, label: str) -> bool:
    name, _, text = label.partition("=")
    return (
        (not suite or suite in (each.suite, *each.suites))
        and (not branch or each.branch == branch)
        and (not decision or (each.decision or "NONE") == decision)
        and (not label or each.labels.get(name) == text)
    )


def befores(newest_first: Sequence[Recording]) -> dict[tuple[str, str], str]:
    """For each recording the run that was recorded before it, of the same suite; not itself."""
    found: dict[tuple[str, str], str] = {}
    last: dict[str, tuple[str, str]] = {}
    for each in reversed(newest_first):
        run, before = last.get(each.suite, ("", ""))
        before = before if run == each.run else run
        found[each.run, each.at] = before
        last[each.suite] = (each.run, before)
    return found


def run_row(
    each: Recording, names: Mapping[str, Sequence[str]], before: Mapping[tuple[str, str], str]
) -> RunRow:
    status = {name: str(gate["status"]) for name, gate in each.gates.items()}
    return RunRow(
        run=each.run,
        at=each.at,
        suite=each.suite,
        decision=each.decision or "NONE",
        passed=sum(word == "PASS" for word in status.values()),
        gates=sum(word != "NOT TESTED" for word in status.values()),
        failing=tuple(name for name, word in status.items() if word not in ("PASS", "NOT TESTED")),
        commit=trend_words.commit(each),
        branch=each.branch or "",
        labels=dict(each.labels),
        names=tuple(names.get(each.run, ())),
        before=before.get((each.run, each.at), ""),
    )


def tiles(newest_first: Sequence[Recording], suite: str) -> tuple[TrendTile, ...]:
    """The gated numbers of the newest recordings, a tile each."""
    wanted = {name: own for name, own in gated(newest_first).items() if suite in ("", name, "gate")}
    found = trend_of(newest_first, wanted)
    made = [_tile(section.suite, line) for section in found.sections for line in section.lines]
    # What fails is seen first.
    made.sort(key=lambda tile: tile.status in ("PASS", "NOT TESTED", ""))
    return tuple(made[:_TILES])


def _tile(suite: str, line: Line) -> TrendTile:
    newest = line.newest
    return TrendTile(
        suite=suite,
        name=line.name,
        value=trend_words.value(newest, line.unit),
        change=trend_words.changed(line) if len(line.points) > 1 else "",
        status=newest.status,
        limit=None if newest.threshold is None else newest.threshold.value,
        values=tuple(point.value for point in line.points),
    )


def run_page(runs: KnownRuns, asked: Asked, texts: Texts) -> tuple[RunPage, Report]:
    """One run, and the report that its page shows."""
    found = runs.find(asked.text("run"))
    report = with_texts(kept_report(found), texts)
    every, names = runs.look().recordings, runs.names()
    before = befores(every)
    own = [run_row(each, names, before) for each in every if each.run == found.digest]
    page = RunPage(
        run=found.digest,
        recordings=tuple(own[:SHOWN]),
        before=own[0].before if own else "",
        after=_after(every, found.digest),
        report=report.to_dict(),
    )
    return page, report


def _after(newest_first: Sequence[Recording], digest: str) -> str:
    """The run that was recorded after a run's newest recording, of the same suite."""
    after: dict[str, str] = {}
    for each in newest_first:
        if each.run == digest:
            return after.get(each.suite, "")
        after[each.suite] = each.run
    return ""
