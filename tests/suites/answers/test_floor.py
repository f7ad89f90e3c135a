"""A question whose every phrase is too short to match is warned of, with what to write instead."""

from __future__ import annotations

from typing import Any

import pytest
from builders import gold, trace
from command import Command, Folder

import ragstone

FORM = '“"gold_answer": {"any": ["keys"]}”'


@pytest.mark.parametrize(
    ("fields", "warned"),
    [
        ({"gold_claim_substr": ["keys"]}, True),
        ({"gold_claim_substr": ["keys", "keys and locks"]}, False),
        ({"gold_claim_substr": ["keys"], "gold_answer": {"yesno": True}}, False),
        ({"gold_claim_substr": []}, False),
        ({"gold_claim_substr": ["東京"]}, False),
    ],
)
def test_score_and_check_warn_with_the_typed_form(
    fields: dict[str, Any], warned: bool, command: Command, folder: Folder
) -> None:
    folder.write("gold.jsonl", [gold("A1", **fields), gold("A2")])
    folder.write("trace.jsonl", [trace("A1", "Yes"), trace("A2")])
    score = ("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--no-config", "--json")
    for said in (
        command(*score).json["warnings"],
        command("check", "gold.jsonl", "--json").json["warnings"],
    ):
        assert [FORM in each for each in said if "can never be right" in each] == [True] * warned
    text = command("check", "gold.jsonl").text
    assert ("1 question can never be right (A1): a phrase under 5" in text) == warned


@pytest.mark.parametrize(
    ("forbidden", "warned"),
    [
        (["KPMG", "maybe not"], True),
        ("KPMG", True),
        ([{"any": ["KPMG"]}], False),
        (["maybe not", "東京"], False),
    ],
)
def test_a_forbidden_phrase_that_is_too_short_is_warned_of(
    forbidden: Any, warned: bool, command: Command, folder: Folder
) -> None:
    folder.write("gold.jsonl", [gold("A1", must_not=forbidden), gold("A2")])
    report = ragstone.score("gold.jsonl", [trace("A1"), trace("A2")])
    for said in (report.warnings, command("check", "gold.jsonl", "--json").json["warnings"]):
        form = "1 question forbids a phrase under 5 characters, which never matches; write whole "
        form += 'words instead, for A1 “{"any": ["KPMG"]}” in must_not'
        assert [each.endswith(form) for each in said if "forbids" in each] == [True] * warned


def test_a_report_without_texts_does_not_quote_the_phrases() -> None:
    items = [gold(f"A{number}", gold_claim_substr=["Zq"]) for number in range(5)]
    report = ragstone.score(items, [trace("A1")], report_texts="none")
    (said,) = [each for each in report.warnings if "can never be right" in each]
    assert said.startswith("5 questions can never be right (A0, A1, A2, ...): a phrase under 5 ")
    assert "Zq" not in said
