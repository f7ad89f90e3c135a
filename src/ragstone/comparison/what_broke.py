"""The questions that two runs disagree about: what broke, was mended, or only one run has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragstone.engine.duck import Duck, text, whole
from ragstone.report.document.blocks import Answered, QuestionPair
from ragstone.report.document.question_list import MOST
from ragstone.suites.gathered import Gathered
from ragstone.suites.statements import sql_of

PACKAGE = "ragstone.comparison"

BROKE, MENDED, ONLY_A, ONLY_B = LISTS = ("broke", "mended", "only_a", "only_b")
_JUDGED = "rows of B that are judged"


# A step that the right answer did not pass either is not what made the other one wrong.
_LOST_AT = """
    create or replace temp macro lost_at(is_right, own, other) as case
        when coalesce(is_right, true) then null
        else coalesce(
            list_filter(own, lambda step: not list_contains(coalesce(other, []), step))[1], own[1]
        )
    end
"""


@dataclass(frozen=True, slots=True)
class Turned:
    """The first questions of one list, the worst first, and how many there are in all."""

    rows: tuple[QuestionPair, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class WhatBroke:
    """What became of the questions, list by list.

    A question is right when every one of its rows is. It broke where it was right in A and is not
    in B; what only one set has is in no comparison, and is listed all the same. Without gold
    nothing is `judged`, and nothing can break. `turned` has the list of every question that broke
    or was mended, as far as a page lists questions.
    """

    lists: Mapping[str, Turned] = field(default_factory=dict)
    judged: bool = False
    turned: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Turned:
        return self.lists.get(name, Turned())


def tell_turned(duck: Duck, told: Gathered, most: int) -> None:
    """How long the lists are, from `rows_a`, `rows_b`, `gold_pairs` and `protected_questions`.

    Fills `turned` with every question of every list, and adds the first of them to `first_turned`.
    """
    duck.run(sql_of(PACKAGE, "turned.sql"))
    told.count(_JUDGED, duck.count("select count(is_right) from rows_b"))
    for name, number in duck.query("select list, count(*) from turned group by list"):
        told.count(text(name), whole(number))
    for name in (BROKE, MENDED):
        qids = duck.query(f"select qid from turned where list = '{name}' order by qid limit {MOST}")
        told.keep_first(f"every {name}", [(text(qid),) for (qid,) in qids], MOST)
    duck.fill("first_turned", f"select * exclude (place) from turned where place <= {most}")


def what_broke(duck: Duck, told: Gathered, most: int) -> WhatBroke:
    """The lists of all questions; what is shown of the first is looked up in all rows."""
    judged = told.counted(_JUDGED) > 0
    if not any(map(told.counted, LISTS)):
        return WhatBroke(judged=judged)
    duck.run(_LOST_AT)
    found: dict[str, list[QuestionPair]] = {}
    for row in duck.dicts(sql_of(PACKAGE, "listed.sql", most=str(most))):
        found.setdefault(str(row["list"]), []).append(_pair(row))
    turned = {qid: name for name in (BROKE, MENDED) for (qid,) in told.rows(f"every {name}")}
    lists = {name: Turned(tuple(found.get(name, ())), told.counted(name)) for name in LISTS}
    return WhatBroke(lists, judged, turned)


def earlier_answers(duck: Duck, qids: Sequence[str]) -> dict[str, Answered]:
    """What A answered to these questions: of repeats a wrong row where there is one."""
    rows = duck.dicts(
        """
        select *, count(*) over (partition by qid) as rows_a,
            count(*) filter (is_right) over (partition by qid) as right_a
        from rows_a where qid in (select unnest($qids::varchar[]))
        qualify row_number() over (
            partition by qid order by is_right, not_passed, claim, citations, retrieved
        ) = 1
        """,
        {"qids": list(qids)},
    )
    return {
        str(row["qid"]): Answered(
            claim=_text(row["claim"]),
            citations=tuple(dict.fromkeys(_texts(row["citations"]))),
            retrieved_ids=_texts(row["retrieved"]),
            right_rows=whole(row["right_a"]),
            rows=whole(row["rows_a"]),
        )
        for row in rows
    }


def _pair(row: Mapping[str, object]) -> QuestionPair:
    kind = row["list"]
    return QuestionPair(
        qid=str(row["qid"]),
        question=_text(row["question"]),
        before=None if kind == ONLY_B else _answered(row, "a"),
        after=None if kind == ONLY_A else _answered(row, "b"),
        gold_claim_substr=_texts(row["wanted_phrases"]),
        gold_citations=_texts(row["wanted_ids"]),
        lost_at=_text(row["lost_at"]),
        protected=bool(row["protected"]),
    )


def _answered(row: Mapping[str, object], side: str) -> Answered:
    return Answered(
        claim=_text(row[f"claim_{side}"]),
        citations=tuple(dict.fromkeys(_texts(row[f"citations_{side}"]))),
        retrieved_ids=_texts(row[f"retrieved_{side}"]),
        right_rows=whole(row[f"right_{side}"]),
        rows=whole(row[f"rows_{side}"]),
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
