"""Where people read, a metric has its plain name, and a question what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_history import gate, keep, recording
from report.bare_names import bare_names, sections_of_page
from serve.board_pages import addresses, answered, board_over

from ragstone.serve.drawn_pages import live
from ragstone.serve.live_board import JudgedNumber, LivePage, LiveVerdict, UnwatchedGate
from ragstone.serve.live_names import NUMBERS, title_of
from ragstone.serve.page_routes import PAGES, Board
from ragstone.serve.run_pages import _TILES
from ragstone.suites.metric_titles import metrics_of
from ragstone.suites.registry import suites
from ragstone.suites.step_words import not_passed, step_words


def bare_in(page: str) -> dict[str, list[str]]:
    return {part[:60]: bare for part in sections_of_page(page) if (bare := bare_names(part))}


OF_RUNS = [kind.path for kind in PAGES if not kind.path.startswith("/live")]


@pytest.mark.parametrize("path", OF_RUNS)
def test_nobody_meets_a_name_without_its_plain_name(
    board: Board, ledger: tuple[Path, list[str]], path: str
) -> None:
    status, page = answered(board, addresses(ledger[1])[path])
    assert status in (200, 303)
    assert bare_in(page) == {}


@pytest.mark.parametrize("suite", [*suites()], ids=lambda suite: suite.name)
@pytest.mark.parametrize("whole", [False, True], ids=["alone", "with others"])
def test_runs_name_every_metric_in_plain_words(tmp_path: Path, suite, whole: bool) -> None:
    metrics = metrics_of(suite)
    front = f"{suite.name}." if whole else ""
    every = [metrics[at : at + _TILES] for at in range(0, len(metrics), _TILES)]
    for number, some in enumerate(every):
        folder = tmp_path / str(number)
        gates = {f"{front}{each.name}": gate(0.5, of=each.name) for each in some}
        keep([recording(0, gates, suite="gate" if whole else suite.name)], folder / ".ragstone")
        _, page = answered(board_over(folder), "/runs")
        assert bare_in(page) == {}
        # A tile for each, and the first three of what does not pass beside the recording.
        for at, each in enumerate(some):
            both = f"{each.title} ({each.name})"
            assert page.replace("&#39;", "'").count(both) >= (2 if whole or at >= 3 else 3)


def test_the_live_board_names_every_number_in_plain_words() -> None:
    judged = tuple(
        JudgedNumber(suite.name, each.name, 0.5, 10, "> 0.1", "FAIL")
        for suite in suites()
        if suite.name in ("audit", "answers")
        for each in metrics_of(suite)
    )
    nothing = dict.fromkeys(("standing", "alerts", "numbers", "records", "budgets"), ())
    page = LivePage(
        minute="2026-11-17T05:30Z",
        verdict=LiveVerdict("UNMEASURABLE", "Watch closely", f"{title_of('answers.chr')} is 0.5."),
        roll_back=False,
        judged=judged,
        unwatched=tuple(
            UnwatchedGate(name, title_of(name), "windows have no slices", required=True)
            for name in ("answers.support", "answers.chr[level=1]")
        ),
        late=0,
        left_out={},
        fault="",
        refresh=0,
        canary=None,
        **nothing,
    )
    drawn = live(page, None)
    assert bare_in(drawn) == {}
    assert "<td>cites the right evidence (chr)</td>" in drawn
    assert "Cites the right evidence (answers.chr[level=1])" in drawn


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_of_the_live_board_begins_with_plain_words(name: str) -> None:
    title, what = NUMBERS[name]
    assert bare_names(title) == bare_names(what) == []
    assert "_" not in title.partition(" (")[0]
    assert len(title) <= 60


@pytest.mark.parametrize("suite", [*suites()], ids=lambda suite: suite.name)
def test_every_step_says_what_is_wrong(suite) -> None:
    assert [*step_words(suite)] == [*suite.steps]
    for step, said in step_words(suite).items():
        assert not_passed(suite.name, step) == f"{said} ({step})"


def test_a_question_says_what_is_wrong_with_it(
    board: Board, ledger: tuple[Path, list[str]]
) -> None:
    for path in ("/questions", "/question"):
        _, page = answered(board, addresses(ledger[1])[path])
        assert "the answer does not say what is expected (contained)" in page
        assert "does not cite the right evidence (cited)" in page
