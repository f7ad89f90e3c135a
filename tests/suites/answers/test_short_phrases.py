"""A phrase under five characters is judged as what it is, where that can be told."""

from __future__ import annotations

import json

import pytest
from builders import gold, trace
from command import Command, Folder

import ragstone
from ragstone import score_eval


def is_right(phrases: list[str], question: str, claim: str) -> bool:
    item = gold("A1", question=question, gold_claim_substr=phrases)
    return ragstone.score([item], [trace("A1", claim)])["containment"].value == 1


@pytest.mark.parametrize(
    ("phrase", "question", "right", "wrong"),
    [
        # numbers, by value where the question asks for one
        ("9.90", "How much is shipping?", "Shipping is 9.9 euros.", "Shipping is 19.90 euros."),
        ("9.90", "Which line?", "It says 9.90.", "It says 19.90 or 9.905."),
        ("10", "How many floors?", "It has 10 floors.", "It has 100 floors."),
        ("-6", "What is the change?", "It is -6.", "It is 6."),
        # dates
        ("2009", "When was it?", "In May 2009.", "In May 2019."),
        ("2009", "Which model?", "The 2009 one.", "The 12009 one."),
        # yes and no, only where the question asks
        ("No", "Is it allowed?", "No, it is not.", "Yes, it is."),
        ("ja", "Ist das erlaubt?", "Ja, immer.", "Nein."),
        # capitals and digits, as whole words; capitals alone with their case
        ("UK", "Where is it?", "In the UK.", "In the ukulele shop, uk"),
        ("US", "Where is it?", "In the US.", "Do contact us."),
        ("U.S.", "Where is it?", "In the U.S. of old.", "It is u.s. of old."),
        ("A4", "Which paper?", "Use a4 paper.", "Use A40 paper."),
        ("5%", "What share?", "It is 5%.", "It is 15%."),
        ("A", "Which one?", "It is A.", "It is a dog."),
    ],
)
def test_a_short_phrase_that_says_what_it_means(
    phrase: str, question: str, right: str, wrong: str
) -> None:
    assert is_right([phrase], question, right)
    assert not is_right([phrase], question, wrong)
    # The scorer that has no dependency keeps the floor.
    item, said = gold("A1", question=question, gold_claim_substr=[phrase]), trace("A1", right)
    assert score_eval.score({"A1": item}, {"A1": said}, 5, False)["precision"] == 0
    assert "can never be right" not in " ".join(ragstone.score([item], [said]).warnings)


@pytest.mark.parametrize(
    ("phrase", "question", "claim"),
    [
        ("keys", "What does it take?", "It takes keys."),
        ("Visa", "Which card?", "Visa and Mastercard."),
        ("No", "Which band sang it?", "No, it was Doubt."),
        ("yes", "", "Yes."),
    ],
)
def test_any_other_short_phrase_keeps_the_floor_and_is_told_of(
    phrase: str, question: str, claim: str, command: Command, folder: Folder
) -> None:
    assert not is_right([phrase], question, claim)
    folder.write("gold.jsonl", [gold("A1", question=question or None, gold_claim_substr=[phrase])])
    folder.write("trace.jsonl", [trace("A1", claim)])
    line = f'"gold_answer": {json.dumps({"any": [phrase]})}'
    score = ("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--no-config")
    for words in (score, ("check", "gold.jsonl"), ("gold", "lint", "gold.jsonl")):
        told = " ".join(command(*words).text.split())
        assert line in told
        assert "can never be right" in told or "no answer can be right" in told


def test_a_phrase_that_is_long_enough_leaves_the_short_ones_as_they_were() -> None:
    phrases = ["UK", "United Kingdom"]
    assert is_right(phrases, "Where?", "In the United Kingdom.")
    assert not is_right(phrases, "Where?", "In the UK.")


def test_what_gold_says_itself_goes_first() -> None:
    item = gold("A1", gold_claim_substr=["UK"], gold_answer={"any": ["Britain"]})
    report = ragstone.score([item], [trace("A1", "In the UK.")])
    assert report["containment"].value == 0


def test_capitals_keep_their_case_in_every_list_of_words() -> None:
    for word, held in (
        ("US", False),
        ("NATO", False),
        ("AT&T", True),
        ("Us", True),
        ("COVID", True),
    ):
        item = gold("A1", gold_claim_substr=None, gold_answer={"any": [word]})
        report = ragstone.score([item], [trace("A1", f"Do contact {word.lower()} now.")])
        assert (report["containment"].value == 1) == held, word
