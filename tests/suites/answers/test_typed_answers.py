"""Typed answers, nuggets and what must not be said, from gold to the verdict and the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from builders import gold, trace
from command import Command, Folder

import ragstone
from ragstone.report.formats import render
from ragstone.report.model import Report

NUMBER = {"number": "1577.00", "unit": "USD million"}
NUGGETS = [
    {"id": "city", "any": ["Rome"]},
    {"id": "year", "number": 1871},
    {"id": "king", "any": ["Victor Emmanuel"], "vital": False},
]


def asked(qid: str = "A1", **fields: Any) -> dict[str, Any]:
    """A question that has no phrases, and whose evidence nobody wrote down."""
    return {"qid": qid, "answerable": True, **fields}


def scored(item: dict[str, Any], claim: str | None, **options: Any) -> Report:
    return ragstone.score([item], [trace(item["qid"], claim)], **options)


def value(report: Report, name: str) -> Any:
    return report.metrics[name].value


@pytest.mark.parametrize(
    ("fields", "claim", "right"),
    [
        ({"gold_answer": NUMBER}, "It was $1.577 billion.", True),
        ({"gold_answer": NUMBER}, "It was $21,577 million.", False),
        ({"gold_answer": [NUMBER, {"any": ["n/a"]}]}, "It is n/a here", True),
        ({"gold_answer": [], "nuggets": [], "must_not": []}, "Anything goes", True),
        ({"gold_answer": NUMBER, "gold_claim_substr": ["a record"]}, "A record high", True),
        ({"gold_answer": NUMBER, "gold_claim_substr": ["a record"]}, "No idea", False),
        ({"gold_answer": NUMBER, "nuggets": NUGGETS}, "1,577 it was", True),
        ({"nuggets": NUGGETS}, "Rome, since 1871", True),
        ({"nuggets": NUGGETS}, "Rome, under Victor Emmanuel", False),
        ({"nuggets": NUGGETS[2:]}, "No idea", True),
        ({"gold_answer": NUMBER, "must_not": [{"number": 7}]}, "1,577 and not 8", True),
        ({"gold_answer": NUMBER, "must_not": [{"number": 7}]}, "1,577 and 7", False),
        ({"must_not": ["a wild guess"]}, "This is A WILD GUESS", False),
    ],
)
def test_an_answer_is_right_by_what_gold_gives(
    fields: dict[str, Any], claim: str, right: bool
) -> None:
    assert value(scored(asked(**fields), claim), "precision") == right


def test_nuggets_are_counted_in_shipped_answers_to_answerable_questions() -> None:
    items = [asked(f"A{number}", nuggets=NUGGETS) for number in range(4)]
    items[3]["answerable"] = False
    said = ["Rome", "Rome, 1871", "not in context", "Rome, 1871"]
    traces = [trace(f"A{number}", claim) for number, claim in enumerate(said)]
    report = ragstone.score(items, traces)
    assert value(report, "nugget_recall") == pytest.approx((1 / 3 + 2 / 3) / 2)
    assert value(report, "nugget_vital_recall") == 0.75
    assert value(report, "nugget_all_vital") == 0.5
    assert report.metrics["nugget_all_vital"].denominator == 2


def test_what_gold_does_not_ask_for_is_not_shown() -> None:
    report = ragstone.score([gold()], [trace()])
    assert not {"nugget_recall", "nugget_all_vital", "forbidden"} & set(report.metrics)
    report = scored(asked(must_not=["a wild guess"]), "no guess")
    assert (value(report, "forbidden"), report.metrics["forbidden"].tested) == (0, 1)
    assert report.metrics["containment"].tested == 0


def test_an_empty_claim_holds_nothing_and_says_nothing_that_it_must_not() -> None:
    item = asked(gold_answer={"regex": ".*"}, must_not=[{"regex": ".*"}])
    for claim in (None, " \u00a0"):
        report = scored(item, claim, missing="answered")
        assert (value(report, "containment"), value(report, "forbidden")) == (0, 0)


def test_the_decimal_mark_is_an_option_and_never_guessed() -> None:
    item = asked(gold_answer={"number": 1234.5})
    assert value(scored(item, "Es sind 1.234,5 Liter.", decimal=","), "containment") == 1
    assert value(scored(item, "Es sind 1.234,5 Liter."), "containment") == 0
    digests = {scored(item, "1234.5", decimal=mark).digest for mark in (".", ",")}
    assert len(digests) == 2


def test_a_number_that_the_run_cannot_read_is_an_error(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", [asked(gold_answer={"number": "1.234,5"})])
    folder.write("trace.jsonl", [trace("A1", "1234,5")])
    words = ("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--no-config")
    ran = command(*words)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err == (
        "ragstone: gold: question A1: gold_answer[0].number: expected a number, "
        "found \"1.234,5\" (decimal is '.')\n"
    )
    assert command(*words, "--decimal", ",").code == 0
    folder.write("ragstone.toml", "[answers]\ndecimal = ','\n")
    assert command(*words[:-1]).code == 0


def test_every_new_field_is_part_of_the_digest() -> None:
    fields: tuple[dict[str, Any], ...] = (
        *({}, {"gold_answer": {"number": 5}}, {"gold_answer": {"number": 6}}),
        *({"nuggets": NUGGETS}, {"must_not": ["a wild guess"]}),
    )
    digests = [scored(asked(**each), "x").digest for each in fields]
    assert len(set(digests)) == len(digests)


def test_an_offender_says_what_was_expected_and_what_was_found() -> None:
    claim = "It was 1,832 and 636, a wild guess."
    report = scored(asked(gold_answer=NUMBER, must_not=["a wild guess"]), claim)
    data: Any = report.data
    (row,) = data["offenders"]
    assert row["why"] == (
        "expected 1,577 USD million, the claim has 1,832 and 636; "
        "the claim says what it must not: “a wild guess”"
    )
    assert row["failed_checks"] == ["contained", "forbidden"]
    assert (row["gold_answer"], row["must_not"]) == (["1,577 USD million"], ["“a wild guess”"])
    ((begin, end),) = row["forbidden_at"]
    assert (claim[begin:end], row["found_at"]) == ("a wild guess", [])
    for text in (report.to_markdown(), report.to_html(), render(report, "text")):
        assert "expected 1,577 USD million, the claim has 1,832 and 636" in text
    assert '<mark class="forbidden"' in report.to_html()


def test_the_nuggets_that_were_not_found_are_named_and_the_others_marked() -> None:
    report = scored(asked(nuggets=NUGGETS), "Rome, under Victor Emmanuel")
    data: Any = report.data
    (row,) = data["offenders"]
    assert row["why"] == "2 of 3 nuggets found, not year (vital)"
    assert row["found_at"] == [[0, 4], [12, 27]]
    assert "<mark>Rome</mark>" in report.to_html()


def test_forms_that_only_python_checks_are_scored_like_those_that_sql_does() -> None:
    """Lines over 128 kB, of which some have a form that the pattern does not know."""
    plain = {"number": "1577.00", "unit": "USD million"}
    forms = (plain, {"unit": "USD million", "number": "1,577"}, {"all": [plain]})
    items = [
        asked(f"A{number:04}", gold_answer=forms[number % 3], notes="x" * 100)
        for number in range(999)
    ]
    said = ("It was $1,577 million", "It was 1,832")
    traces = [trace(f"A{number:04}", said[number % 2]) for number in range(999)]
    assert len(json.dumps(items)) > 150_000
    report = ragstone.score(items, traces)
    assert report.metrics["containment"].numerator == 500


def test_rows_cards_and_the_report_say_by_which_rule_an_answer_was_accepted(tmp_path: Path) -> None:
    items = [
        asked("A1", gold_answer={"name": "Anna Berg"}, gold_citations=["x"]),
        asked("A2", gold_answer={"list": ["red", "blue"]}),
        asked("A3", gold_answer="Rome"),
        asked("A4", gold_claim_substr=["in Rome"]),
    ]
    claims = ["It was Berg.", "red and green", "Rome or Paris", "It is in Rome."]
    said = [trace(item["qid"], claim) for item, claim in zip(items, claims, strict=True)]
    report = ragstone.score(items, said)
    found = json.loads(report.to_json())
    assert found["accepted_by"] == {"phrase": 1, "surname": 1}
    cards = {card["qid"]: card for card in found["offenders"]}
    assert cards["A1"]["accepted_by"] == "surname"
    assert "as one of several alternatives" in cards["A3"]["why"]
    report.save(str(tmp_path / "rows.parquet"))
    rows = pyarrow.parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    assert [row["accepted_by"] for row in rows] == ["surname", None, None, "phrase"]
    assert [row["hedged"] for row in rows] == [False, False, True, False]
    assert [row["list_found"] for row in rows] == [None, 0.5, None, None]


def test_a_report_of_phrases_alone_names_no_rule() -> None:
    report = ragstone.score([gold()], [trace("A1", "It is something else.")])
    found = json.loads(report.to_json())
    assert "accepted_by" not in found and "accepted_by" not in found["offenders"][0]
