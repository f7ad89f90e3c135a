"""Pages as HTML, from the templates of the report."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from ragstone._version import __version__
from ragstone.report.document.blocks import Offender
from ragstone.report.formats import html_page
from ragstone.report.model import Report
from ragstone.report.plain_names import recorded_name
from ragstone.serve.alert_rows import AlertRowsPage
from ragstone.serve.canary_chart import evidence_chart, state_in_words, wealth
from ragstone.serve.canary_page import CanaryPage
from ragstone.serve.compare_page import ComparePage
from ragstone.serve.listed_questions import STATES, QuestionListPage
from ragstone.serve.live_board import REFRESH, LivePage
from ragstone.serve.page_fields import Missing
from ragstone.serve.question_history import QuestionPage
from ragstone.serve.run_pages import DECISIONS, RunListPage, RunPage
from ragstone.serve.spark_line import HEIGHT, spark
from ragstone.suites.step_words import not_passed
from ragstone.tools.gold_diff import in_words

GOLD_SCRIPT = "gold_edit.js"
# A qid may hold anything, and one such as `..` would be lost in a path.
HISTORY = "/question?qid="


def question_link(qid: str) -> str:
    """The address of a question's page."""
    return HISTORY + quote(qid, safe="")


def _drawn(template: str, here: str, **values: Any) -> str:
    values = {"signs_out": False, "edits": False, "json": "", "query": "", **values}
    said = {"question_link": question_link, "called": recorded_name, "not_passed": not_passed}
    return html_page.page(f"{template}.html.j2", here=here, version=__version__, **said, **values)


def run_list(page: RunListPage, _: None, **more: Any) -> str:
    return _drawn(
        "board_runs",
        "Runs",
        page=page,
        decisions=DECISIONS,
        spark=spark,
        spark_height=HEIGHT,
        **more,
    )


def run(page: RunPage, report: Report, **more: Any) -> str:
    bar = _drawn("board_run_bar", "Runs", page=page, **more)
    return html_page.render(report, bar=bar, history=HISTORY)


def question_list(page: QuestionListPage, _: None, **more: Any) -> str:
    return _drawn("board_questions", "Questions", page=page, states=STATES, **more)


def question(page: QuestionPage, card: Offender | None, **more: Any) -> str:
    costs = [recorded_name(page.history[0].suite, name) for name in card.costs] if card else []
    return _drawn("board_question", "Questions", page=page, card=card, costs=costs, **more)


def compare(page: ComparePage, report: Report | None, **more: Any) -> str:
    form = _drawn("board_compare_form", "Compare", page=page, **more)
    if report is not None:
        return html_page.render(report, bar=form, history=HISTORY)
    return _drawn("board_compare", "Compare", page=page, form=Markup(form), **more)


def live(page: LivePage, _: None, **more: Any) -> str:
    return _drawn(
        "board_live", "Live", page=page, spark=spark, spark_height=HEIGHT, refreshes=REFRESH, **more
    )


def canary(page: CanaryPage, _: None, **more: Any) -> str:
    chart = evidence_chart(page)
    return _drawn(
        "board_canary",
        "Live",
        page=page,
        chart=chart,
        wealth=wealth,
        state_in_words=state_in_words,
        **more,
    )


def alert_rows(page: AlertRowsPage, _: None, **more: Any) -> str:
    return _drawn("board_alert", "Live", page=page, **more)


def missing(found: Missing, **more: Any) -> str:
    return _drawn("board_missing", "", reason=str(found), status_code=found.status, **more)


def sign_in(said: str, onward: str, *, edits: bool = False, wants: bool = False) -> str:
    return _drawn("board_sign_in", "", said=said, onward=onward, edits=edits, wants=wants)


def gold_edit(**values: Any) -> str:
    script = html_page.script_text(GOLD_SCRIPT)
    return _drawn("board_gold_edit", "Questions", script=script, **values)


def gold_review(**values: Any) -> str:
    return _drawn("board_gold_review", "Questions", in_words=in_words, **values)


def gold_saved(**values: Any) -> str:
    return _drawn("board_gold_saved", "Questions", **values)
