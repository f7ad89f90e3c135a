"""Texts of the data that a report was asked to leave out are in none of its formats."""

import json
from collections.abc import Callable
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.report_builder import BLOCKS, GATES, PLACES, report

import ragstone
from ragstone.api import retrieval
from ragstone.report.build import combine
from ragstone.report.document.blocks import (
    Answered,
    Finding,
    Json,
    Offender,
    Offenders,
    Picture,
    QuestionPair,
    QuestionPairs,
    Reading,
)
from ragstone.report.document.blocks import Table as Grid
from ragstone.report.formats import FORMATS, render
from ragstone.report.model import Report
from ragstone.report.private_texts import KEYS, quoted, with_texts

MARK = "Zq7secret"
LONG = MARK + "x" * 71 + "TAIL" + "y" * 40  # the first 80 characters end before TAIL

MODES = ("clip", "none")


def offender(text: str, qid: str = "A0017") -> Offender:
    return Offender(
        qid=qid,
        costs=("precision",),
        failed_checks=("contained",),
        question=text,
        claim=text,
        gold_claim_substr=(text, "other"),
        gold_citations=("p1#2",),
        citations=("p9#4",),
        retrieved_ids=("p1#1",),
        constraints=(text,),
        constraints_echo=(text,),
        gold_answer=(text,),
        nuggets=(text,),
        must_not=(text,),
        why=text,
        found_at=((0, 3),),
        forbidden_at=((1, 2),),
        answerable=True,
    )


def pair(text: str) -> QuestionPair:
    side = Answered(text, ("p9#4",), ("p1#1",), 0, 1)
    return QuestionPair("A0099", text, side, side, (text,), ("p1#2",), "contained")


def private(text: str) -> Report:
    """A report in which every place that may hold a text of the data holds this one."""
    rows = (offender(text), offender(text, "A0042"))
    nested: list[Json] = [{"qid": "A0017", "inner": {key: text}} for key in sorted(KEYS)]
    return report(
        gates=(*GATES[:2],),
        blocks=(
            *(block for block in BLOCKS if not isinstance(block, Offenders)),
            Offenders("Offenders", rows, 2),
            Grid("Disagreements", ("qid", "says"), (("A0017", text),), "says", texts=("says",)),
            Reading("Reading", (Finding("repeated", f"One claim, {quoted(text)}.", ("A1",)),)),
            QuestionPairs("Broke", (pair(text),), 1, ("old", "new"), regressions=True),
            Picture("Drawn", "<svg/>", f"The claim {quoted(text)}."),
        ),
        data={
            "offenders": [{"qid": row.qid, "claim": text, "constraints": [text]} for row in rows],
            "deep": nested,
            "nuggets": [{"id": "n1", "any": [text]}],
        },
        warnings=(f"One text is repeated: {quoted(text)}",),
        offending={"precision": tuple(row.qid for row in rows)},
        places=PLACES,
    )


@pytest.mark.parametrize("name", FORMATS)
def test_the_texts_are_there_when_they_may_be(name: str) -> None:
    shown = render(private(LONG), name)
    assert MARK in shown
    assert render(with_texts(private(LONG), "all"), name) == shown


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=20, deadline=None)
@given(text=st.text(min_size=0, max_size=120))
def test_none_of_them_is_left_in_any_format(name: str, text: str) -> None:
    shown = render(with_texts(private(f"{MARK}{text}"), "none"), name)
    assert MARK not in shown


@pytest.mark.parametrize("name", FORMATS)
def test_a_clipped_text_ends_after_eighty_characters(name: str) -> None:
    shown = render(with_texts(private(LONG), "clip"), name)
    assert MARK in shown
    assert "TAIL" not in shown


@pytest.mark.parametrize("name", FORMATS)
def test_reports_of_several_suites_keep_no_text_either(name: str) -> None:
    both = combine([private(LONG), report(suite="retrieval")])
    assert MARK not in render(with_texts(both, "none"), name)


def test_a_state_holds_no_text_either() -> None:
    assert MARK not in with_texts(private(LONG), "none").to_state()


@pytest.mark.parametrize("mode", MODES)
def test_ids_checks_and_numbers_stay(mode: str) -> None:
    before, after = private(LONG), with_texts(private(LONG), mode)  # type: ignore[arg-type]
    for field in ("gates", "metrics", "figures", "digest", "settings", "places"):
        assert getattr(after, field) == getattr(before, field)
    (rows,) = [block.rows for block in after.blocks if isinstance(block, Offenders)]
    assert [row.qid for row in rows] == ["A0017", "A0042"]
    private_fields = {
        *("question", "claim", "gold_claim_substr", "constraints", "constraints_echo"),
        *("gold_answer", "nuggets", "must_not", "why", "found_at", "forbidden_at"),
    }
    for field in fields(Offender):
        if field.name not in private_fields:
            assert getattr(rows[0], field.name) == getattr(offender(LONG), field.name)


def test_what_broke_keeps_its_ids_and_where_it_was_lost() -> None:
    kept = with_texts(private(LONG), "none")
    (row,) = kept.shown_regressions()
    side = Answered("(left out)", ("p9#4",), ("p1#1",), 0, 1)
    assert row == QuestionPair("A0099", None, side, side, (), ("p1#2",), "contained")


def test_a_claim_that_was_left_out_is_not_told_as_missing() -> None:
    rows = (offender(LONG), Offender("A2", ("missing",), ("missing",), claim="", answerable=True))
    whole = report(blocks=(Offenders("Offenders", rows, 2),))
    shown = with_texts(whole, "none").to_markdown()
    assert "- **claim**: (left out)" in shown
    assert "- **claim**: _none_" in shown


def test_a_question_whose_id_is_spelled_like_a_key_is_kept() -> None:
    whole = report(data={"questions": {"claim": {"runs": 3, "fails": ["cited"]}}})
    kept = json.loads(with_texts(whole, "none").to_json())
    assert kept["questions"] == {"claim": {"runs": 3, "fails": ["cited"]}}


def test_a_quote_cannot_end_early() -> None:
    warning = f"Repeated: {quoted('so ” ' + MARK)}"
    assert with_texts(report(warnings=(warning,)), "none").warnings == ("Repeated: (left out)",)


def scored() -> Report:
    gold = {
        "qid": "Q1",
        "question": f"{MARK} which keys?",
        "answerable": True,
        "gold_claim_substr": [f"{MARK} rejects null keys"],
        "gold_citations": ["p1#2"],
        "constraints_locked": [f"{MARK} only once"],
    }
    trace = {
        "qid": "Q1",
        "question": f"{MARK} which keys?",
        "answer_json": {
            "claim": f"{MARK} takes any key",
            "citations": ["p9#9"],
            "constraints_echo": [f"{MARK} always"],
        },
        "retrieved_ids": ["p9#9"],
    }
    return ragstone.score([gold], [trace])


def retrieved() -> Report:
    gold = {"qid": "Q1", "paraphrases": [f"{MARK} one", f"{MARK} two"], "relevant": ["a"]}
    log = [
        {"qid": "Q1", "query": f"{MARK} {word}", "topk": [{"id": "b", "score": 1.0}], "ΔS": [0.9]}
        for word in ("one", "two")
    ]
    return retrieval([gold], log)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("made", [scored, retrieved])
def test_no_text_of_the_inputs_is_left_by_a_suite(made: Callable[[], Report], name: str) -> None:
    whole = made()
    assert MARK in whole.to_json()
    assert MARK not in render(with_texts(whole, "none"), name)
