"""The questions of one run as a list, wrong ones first; by state, by step or by words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragstone.comparison.row_sets import reading_rows
from ragstone.engine.duck import Duck, quoted
from ragstone.report.private_texts import Texts
from ragstone.scratch import make_folder, remove_folder
from ragstone.serve.asked import Asked, pages_for
from ragstone.serve.known_runs import KnownRuns, newest_of_each
from ragstone.serve.page_fields import Missing, says
from ragstone.serve.shown_texts import cut

SHOWN = 50
_CHOICES = 100
STATES = ("wrong", "right", "not judged")


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """A question of a run."""

    qid: str = says("the question's id")
    state: str = says("wrong, right, or not judged; of repeats, wrong where one of them is")
    rows: int = says("how many rows it has")
    right_rows: int = says("how many of them are right")
    failed: tuple[str, ...] = says("the steps that it did not pass")
    question: str = says("what was asked")
    claim: str = says("what was answered")


@dataclass(frozen=True, slots=True)
class QuestionListPage:
    """The questions of one run and suite."""

    run: str = says("the digest of the run, or nothing where there is none")
    suite: str = says("the suite whose rows are listed")
    suites: tuple[str, ...] = says("the suites of the run that have rows")
    runs: tuple[str, ...] = says("the newest runs, to choose from")
    state: str = says("only questions in this state, where one is asked for")
    failed: str = says("only questions that did not pass this step")
    steps: tuple[str, ...] = says("the steps that some question did not pass")
    text: str = says("only questions with this text in id, question or answer")
    questions: tuple[ListedQuestion, ...] = says("the questions of this page, wrong ones first")
    total: int = says("how many questions fit")
    page: int = says("the number of this page, from 1")
    pages: int = says("how many pages there are")


def question_list_page(runs: KnownRuns, asked: Asked, texts: Texts) -> QuestionListPage:
    """The questions of the run that is asked for, or of the newest."""
    every = [each.run for each in newest_of_each(runs.look().recordings)][:_CHOICES]
    word = asked.text("run") or next(iter(every), "")
    state, failed = asked.one_of("state", STATES), asked.text("failed")
    page, words = asked.page(), asked.text("text")
    if not word:
        return QuestionListPage("", "", (), (), state, failed, (), words, (), 0, page, 1)
    found = runs.find(word)
    scratch = make_folder()
    try:
        files = runs.rows_of(found, scratch)
        suite = asked.one_of("suite", tuple(files)) or next(iter(files), "")
        if suite not in files:
            raise Missing(404, "this run has no rows: no question can be listed")
        listed = _Listed(files[suite], state, failed, words if texts != "none" else "")
        total, steps, questions = listed.read(page, texts)
    finally:
        remove_folder(scratch)
    pages = pages_for(total, SHOWN)
    if page > pages:
        raise Missing(404, f"there are only {pages} pages")
    return QuestionListPage(
        run=found.digest,
        suite=suite,
        suites=tuple(files),
        runs=tuple(every),
        state=state,
        failed=failed,
        steps=steps,
        text=words,
        questions=questions,
        total=total,
        page=page,
        pages=pages,
    )


@dataclass(frozen=True, slots=True)
class _Listed:
    """Which rows of a file are wanted."""

    path: Path
    state: str
    failed: str
    text: str

    def read(
        self, page: int, texts: Texts
    ) -> tuple[int, tuple[str, ...], tuple[ListedQuestion, ...]]:
        """How many questions fit, the steps that any of all did not pass, and those of a page."""
        with Duck(1) as duck, reading_rows(duck, {"the rows": self.path}):
            duck.run(f"""
                create temp table questions as select
                    qid,
                    case bool_and(is_right) when true then 'right' when false then 'wrong'
                        else 'not judged' end as state,
                    count(*) as rows,
                    count(*) filter (is_right) as right_rows,
                    list_distinct(flatten(list(coalesce(not_passed, [])))) as failed,
                    any_value(question) as question,
                    first(claim order by is_right, claim) as claim
                from read_parquet({quoted(str(self.path))}) group by qid
            """)
            steps = duck.texts("select distinct unnest(failed) as step from questions order by 1")
            wanted = {"state": self.state, "failed": self.failed, "text": self.text.lower()}
            where = """
                ($state = '' or state = $state)
                and ($failed = '' or list_contains(failed, $failed))
                and ($text = '' or contains(lower(qid), $text)
                    or contains(lower(coalesce(question, '')), $text)
                    or contains(lower(coalesce(claim, '')), $text))
            """
            total = duck.count(f"select count(*) from questions where {where}", wanted)
            order = "order by case state when 'wrong' then 0 when 'not judged' then 1 else 2 end"
            limit = f"limit {SHOWN} offset {(page - 1) * SHOWN}"
            found = duck.dicts(f"from questions where {where} {order}, qid {limit}", wanted)
            return total, steps, tuple(_question(row, texts) for row in found)


def _question(row: dict[str, Any], texts: Texts) -> ListedQuestion:
    return ListedQuestion(
        qid=str(row["qid"]),
        state=str(row["state"]),
        rows=int(row["rows"]),
        right_rows=int(row["right_rows"]),
        failed=tuple(sorted(row["failed"] or ())),
        question=cut(row["question"], texts),
        claim=cut(row["claim"], texts),
    )
