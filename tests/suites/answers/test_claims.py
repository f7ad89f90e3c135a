"""An answer in sentences is scored as the answer that says the same in one text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from builders import gold, trace

import ragstone
from ragstone.contracts.answer_texts import citations_of, claim_of
from ragstone.errors import ContractError

Line = dict[str, Any]
IDS = ("p1#1", "p1#2", "p2#1", "p9")


def said(*sentences: Line, **answer: Any) -> Line:
    return {**trace(), "answer_json": {**answer, "claims": list(sentences)}}


def scored(line: Line) -> dict[str, Any]:
    told = json.loads(ragstone.score([gold()], [line]).to_json())
    return {name: value for name, value in told.items() if name not in ("digest", "inputs")}


def plain(line: Line) -> Line:
    answer = line["answer_json"]
    return {**line, "answer_json": {"claim": claim_of(answer), "citations": citations_of(answer)}}


def sentences(chance: Random) -> Iterator[Line]:
    for _ in range(chance.randint(0, 3)):
        text = chance.choice(("X rejects", "null keys.", "", "not in context", "É"))
        cited = chance.choice((None, [], chance.choices(IDS, k=chance.randint(1, 3))))
        yield {"text": text, "citations": cited} if chance.random() < 0.8 else {"text": text}


def test_sentences_are_scored_as_their_text_and_citations():
    chance = Random(12)
    items = [gold(f"{n:03}") for n in range(300)]
    lines = [
        {
            **said(
                *sentences(chance),
                claim=chance.choice((None, "X rejects null keys.", "not in context")),
                citations=chance.choice((None, chance.choices(IDS, k=2))),
            ),
            "qid": each["qid"],
        }
        for each in items
    ]
    one, two = (
        json.loads(ragstone.score(items, some, all=True).to_json())
        for some in (lines, [plain(line) for line in lines])
    )
    for name in ("offenders", "precision", "chr", "missing", "unscoped", "over_refusal", "funnel"):
        assert one[name] == two[name]
    assert 0 < one["precision"] < one["chr"] < 1


def test_a_phrase_may_stand_in_two_sentences():
    line = said({"text": "X rejects"}, {"text": "null keys.", "citations": ["p1#2"]})
    assert scored(line)["precision"] == 1


def test_an_offender_shows_each_citation_once_in_order():
    line = said(
        {"text": "No.", "citations": ["p2#1", "p1#1"]}, {"text": "No.", "citations": ["p2#1"]}
    )
    (row,) = scored(line)["offenders"]
    assert (row["claim"], row["citations"]) == ("No. No.", ["p2#1", "p1#1"])


@pytest.mark.parametrize(
    "wrong", [{"citations": []}, {"text": 1}, {"text": "a", "citations": ["b", 7]}]
)
def test_a_sentence_that_is_none_is_named_by_its_position(wrong):
    with pytest.raises(ContractError) as error:
        scored(said({"text": "A."}, wrong))
    assert "answer_json.claims: expected a list of objects" in str(error.value)
    assert f"found {json.dumps(wrong)} at position 1" in str(error.value)


def test_one_bad_sentence_is_found_among_many_lines():
    """So many that the engine reads and checks them in SQL."""
    lines = [
        said({"text": "X rejects null keys.", "citations": ["p1#2"]}, {"text": "So."}, n=n)
        for n in range(2000)
    ]
    assert json.loads(ragstone.score([gold()], lines, keep="last").to_json())["precision"] == 1
    with pytest.raises(ContractError, match=r"<trace>:2001: answer_json.claims: .* at position 0"):
        ragstone.score([gold()], [*lines, said({"text": None})])
