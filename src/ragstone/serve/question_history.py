"""One question over all recordings: right or wrong, and what was said, cited and retrieved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from ragstone.comparison.row_sets import reading_rows
from ragstone.engine.duck import Duck, quoted
from ragstone.errors import InputError
from ragstone.ledger import trend_words
from ragstone.ledger.kept_report import read_state
from ragstone.ledger.recording import Recording
from ragstone.report.document.blocks import Offender
from ragstone.report.private_texts import Texts, with_texts
from ragstone.scratch import make_folder, remove_folder
from ragstone.serve.asked import Asked
from ragstone.serve.known_runs import KnownRuns
from ragstone.serve.page_fields import Missing, says
from ragstone.serve.shown_texts import cut

# Recordings that are looked at, and rows of one run that are shown.
MOST = 60
_ROWS = 20


@dataclass(frozen=True, slots=True)
class AnsweredOnce:
    """What one recorded run did with the question, in one of its rows."""

    run: str = says("the digest of the run")
    at: str = says("when it was recorded, in UTC")
    suite: str = says("the suite")
    system: str = says("the system, where the run has several")
    state: str = says("right, wrong, or not judged")
    rows: int = says("how many rows the question has in this run")
    right_rows: int = says("how many of them are right")
    failed: tuple[str, ...] = says("the steps that the row did not pass")
    claim: str = says("what was answered")
    citations: tuple[str, ...] = says("what the answer cites")
    retrieved: tuple[str, ...] = says("what was retrieved, best first")
    labels: Mapping[str, str] = says("what --label said of the recording")
    commit: str = says("the commit, with a star where files differed from it")
    gold_item: str = says("the hash of the gold item that it was judged by")
    as_before: bool = says("whether the recording before it did the very same", False)

    @property
    def short(self) -> str:
        return self.run[:8]

    @property
    def when(self) -> str:
        return f"{self.at[:10]} {self.at[11:16]}"


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """One question, with its history."""

    qid: str = says("the question's id")
    question: str = says("what is asked")
    wanted_phrases: tuple[str, ...] = says("what the gold says")
    wanted_ids: tuple[str, ...] = says("what the gold cites")
    suite: str = says("only this suite, where one is asked for")
    suites: tuple[str, ...] = says("the suites that have the question")
    history: tuple[AnsweredOnce, ...] = says("each recording, newest first")
    turned: str = says("when it last turned, in words; nothing where it never did")
    gold_changed: bool = says("whether the gold item changed on the way")
    looked_at: int = says("how many recordings were looked at, newest first")
    left_out: int = says("older recordings that were not looked at")


def question_page(
    runs: KnownRuns, asked: Asked, texts: Texts
) -> tuple[QuestionPage, Offender | None]:
    """The question that is asked for, and its card in the newest run where it is an offender."""
    qid = asked.text("qid")
    looked = runs.look()
    recordings = looked.recordings[:MOST]
    rows = _rows(runs, recordings, qid)
    every = [row for each in recordings for row in rows.get(each.run, ())]
    if not qid or not every:
        raise Missing(404, "no recorded run has this question; /questions lists those there are")
    suites = tuple(sorted({str(row["suite"]) for row in every}))
    suite = asked.one_of("suite", suites)
    listed = [
        _answered(each, row, texts)
        for each in recordings
        for row in rows.get(each.run, ())
        if suite in ("", row["suite"])
    ]
    history = tuple(_marked(listed))
    newest = next(row for row in every if suite in ("", row["suite"]))
    page = QuestionPage(
        qid=qid,
        question=cut(newest["question"], texts),
        wanted_phrases=tuple(cut(each, texts) for each in newest["wanted_phrases"] or () if each)
        if texts != "none"
        else (),
        wanted_ids=tuple(newest["wanted_ids"] or ()),
        suite=suite,
        suites=suites,
        history=history,
        turned=_turned(history),
        gold_changed=_gold_changed(history),
        looked_at=len(recordings),
        left_out=len(looked.recordings) - len(recordings) + looked.older,
    )
    return page, _card(runs, history[0].run, qid, texts)


def _rows(
    runs: KnownRuns, recordings: Sequence[Recording], qid: str
) -> dict[str, list[dict[str, Any]]]:
    """By run the rows of a question; a run whose files are damaged has none."""
    found: dict[str, list[dict[str, Any]]] = {}
    scratch = make_folder()
    try:
        with Duck(1) as duck:
            for digest in dict.fromkeys(each.run for each in recordings):
                try:
                    files = runs.rows_of(runs.find(digest), scratch)
                    found[digest] = [*_rows_in(duck, files, qid)]
                except (InputError, Missing):
                    # Damaged, or pruned in the meantime: the other runs are shown all the same.
                    continue
    finally:
        remove_folder(scratch)
    return found


def _rows_in(duck: Duck, files: Mapping[str, Path], qid: str) -> Iterator[dict[str, Any]]:
    """The rows of a question in one run, suite by suite: of repeats the worst of each system."""
    for suite, path in files.items():
        with reading_rows(duck, {suite: path}):
            yield from duck.dicts(
                f"""
                select
                    {quoted(suite)} as suite, arm, is_right, not_passed, claim, citations,
                    retrieved, question, wanted_phrases, wanted_ids, gold_item,
                    count(*) over (partition by arm) as rows,
                    count(*) filter (is_right) over (partition by arm) as right_rows,
                from read_parquet({quoted(str(path))}) where qid = $qid
                qualify row_number() over (
                    partition by arm order by is_right, not_passed, claim, citations, retrieved
                ) = 1
                order by arm limit {_ROWS}
                """,
                {"qid": qid},
            )


def _answered(each: Recording, row: Mapping[str, Any], texts: Texts) -> AnsweredOnce:
    state = {True: "right", False: "wrong"}.get(row["is_right"], "not judged")
    return AnsweredOnce(
        run=each.run,
        at=each.at,
        suite=str(row["suite"]),
        system=str(row["arm"] or ""),
        state=state,
        rows=int(row["rows"]),
        right_rows=int(row["right_rows"]),
        failed=tuple(row["not_passed"] or ()),
        claim=cut(row["claim"], texts),
        citations=tuple(row["citations"] or ()),
        retrieved=tuple(row["retrieved"] or ()),
        labels=dict(each.labels),
        commit=trend_words.commit(each),
        gold_item=str(row["gold_item"] or ""),
    )


def _marked(newest_first: Sequence[AnsweredOnce]) -> Iterator[AnsweredOnce]:
    """Each says whether the one before it of its suite and system did the very same."""
    for at, each in enumerate(newest_first):
        older = (other for other in newest_first[at + 1 :] if _whose(other) == _whose(each))
        before = next(older, None)
        yield replace(each, as_before=before is not None and _did(before) == _did(each))


def _whose(each: AnsweredOnce) -> tuple[str, str]:
    return each.suite, each.system


def _did(each: AnsweredOnce) -> tuple[object, ...]:
    return each.state, each.failed, each.claim, each.citations, each.retrieved


def _series(history: Iterable[AnsweredOnce]) -> dict[tuple[str, str], list[AnsweredOnce]]:
    found: dict[tuple[str, str], list[AnsweredOnce]] = {}
    for each in history:
        found.setdefault(_whose(each), []).append(each)
    return found


def _turned(history: Sequence[AnsweredOnce]) -> str:
    """`wrong since 2026-11-17 05:30, right before` of the newest suite; else nothing."""
    if not history:
        return ""
    own = _series(history)[_whose(history[0])]
    now = own[0]
    for newer, older in pairwise(own):
        if older.state != now.state:
            return f"{now.state} since {newer.when} UTC, {older.state} before"
    return ""


def _gold_changed(history: Sequence[AnsweredOnce]) -> bool:
    series = _series(history).values()
    return any(len({each.gold_item for each in own if each.gold_item}) > 1 for own in series)


def _card(runs: KnownRuns, digest: str, qid: str, texts: Texts) -> Offender | None:
    """The card of the question in a run's report; None where it is no offender there."""
    report = with_texts(read_state(runs.find(digest)), texts)
    return next((row for row in report.shown_offenders() if row.qid == qid), None)
