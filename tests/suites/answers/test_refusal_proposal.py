"""Where a pipeline refuses in words of its own, the report says so, and nothing else changes."""

from __future__ import annotations

import random
from typing import Any

import pytest
from builders import gold, refusal, trace

import ragstone
from ragstone.report.formats import render

LINE = "put under [answers] in ragstone.toml: “refusal = {}”"


def scored(claims: list[str], **options: Any) -> ragstone.Report:
    items = [gold(f"Q{n:05}", gold_claim_substr=["the number"]) for n in range(len(claims))]
    said = [trace(f"Q{n:05}", claim) for n, claim in enumerate(claims)]
    return ragstone.score(items, said, **options)


def proposals(report: ragstone.Report) -> list[str]:
    return [warning for warning in report.warnings if "ragstone.toml" in warning]


def answers(count: int) -> list[str]:
    return [f"It is {n}." for n in range(count)]


def test_a_pack_that_would_fire_on_many_claims_is_proposed() -> None:
    claims = answers(90) + [f"I don't know number {n}." for n in range(10)]
    (said,) = proposals(scored(claims))
    assert said.startswith("0 of 100 claims are refusals, but the language pack @en would fire on ")
    assert "fire on 10% of them" in said
    assert said.endswith(LINE.format('["not in context", "@en"]'))


def test_a_text_that_many_claims_repeat_is_proposed() -> None:
    (said,) = proposals(scored(answers(90) + [" Pass. ", "PASS."] * 5))
    assert "10% of them are “PASS.”" in said
    assert said.endswith(LINE.format('["not in context", "PASS."]'))
    (hidden,) = proposals(scored(answers(90) + ["Pass."] * 10, report_texts="none"))
    assert "Pass" not in hidden


def test_a_repeated_text_that_the_pack_knows_needs_no_line_of_its_own() -> None:
    (said,) = proposals(scored(answers(90) + ["I don't know."] * 10))
    assert said.endswith(LINE.format('["not in context", "@en"]'))


def test_claims_in_two_languages_need_both_packs() -> None:
    (said,) = proposals(scored(answers(60) + ["我不知道。"] * 20 + ["I don't know."] * 10))
    assert said.endswith(LINE.format('["not in context", "@zh", "@en"]'))


@pytest.mark.parametrize(
    "claims",
    [
        answers(100),
        answers(95) + ["I don't know."] * 5,
        # what is expected is an answer, however often it is given
        ["It is the number."] * 100,
        # the pipeline does keep to the token
        answers(88) + ["I don't know."] * 10 + ["not in context"] * 2,
        # too few to speak of shares
        ["I don't know."] * 19,
    ],
)
def test_no_more_is_said_than_there_is(claims: list[str]) -> None:
    assert proposals(scored(claims)) == []


def test_what_is_in_force_is_not_proposed() -> None:
    assert proposals(scored(answers(90) + ["I don't know."] * 10, refusal="@en")) == []


def test_a_trace_that_says_it_does_not_refuse_is_believed_here_too() -> None:
    items = [gold(f"Q{n}") for n in range(20)]
    said = [trace(item["qid"], "I don't know.", refused=False) for item in items]
    assert proposals(ragstone.score(items, said)) == []


def test_a_part_of_a_large_input_is_looked_at_whatever_its_order() -> None:
    """Of 12,000 claims every second one or so: the share that is said is that of the part."""
    items = [{"qid": f"Q{n}", "answerable": True} for n in range(12_000)]
    said = [
        {"qid": f"Q{n}", "answer_json": {"claim": "I don't know." if n % 8 == 0 else f"It is {n}."}}
        for n in range(12_000)
    ]
    first = ragstone.score(items, said)
    (warning,) = proposals(first)
    assert any(f"would fire on {part}% of them" in warning for part in (12, 13))
    mixed = random.Random(3)
    mixed.shuffle(said)
    mixed.shuffle(items)
    assert ragstone.score(items, said).to_json() == first.to_json()


def test_each_refusal_is_explained_by_its_rule() -> None:
    items = [gold(f"A{n}") for n in range(5)]
    said = [
        trace("A0", "I don't know."),
        refusal("A1"),
        trace("A2", None, refused=True),
        trace("A3", "Pass!"),
        trace("A4"),
    ]
    words = ("Not in context", "re:^pass", "@en")
    report = ragstone.score(items, said, refusal=words, explain_refusals=True)
    found = report.to_dict()
    assert [(each["qid"], each["rule"].partition(" \\b")[0]) for each in found["refusals"]] == [
        ("A0", "@en:"),
        ("A1", "Not in context"),
        ("A2", "refused = true"),
        ("A3", "re:^pass"),
    ]
    assert found["refusals"][3]["claim"] == "Pass!"
    assert found["refusals_total"] == 4
    assert "re:^pass" in render(report, "terminal")
    assert "refusals" not in ragstone.score(items, said, refusal=words).to_dict()


def test_the_list_of_refusals_is_as_long_as_every_list() -> None:
    items = [gold(f"A{n:02}") for n in range(12)]
    said = [refusal(item["qid"]) for item in items]
    short = ragstone.score(items, said, explain_refusals=True).to_dict()
    whole = ragstone.score(items, said, explain_refusals=True, all=True).to_dict()
    assert (len(short["refusals"]), short["refusals_total"]) == (10, 12)
    assert len(whole["refusals"]) == 12
