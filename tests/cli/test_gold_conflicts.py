"""`ragstone gold lint`: items in each other's way, and what the corpus says of a gold set."""

from __future__ import annotations

from typing import Any

import pytest
from builders import gold, trace
from command import Command, Folder

BARE: dict[str, Any] = {"gold_claim_substr": [], "gold_citations": []}
RULES = (
    *("paraphrase_leak", "paraphrase_gives_answer", "contradicting_items"),
    *("question_in_corpus", "phrase_not_in_evidence"),
)


def found(command: Command, *words: str) -> list[tuple[str, str, str]]:
    ran = command("gold", "lint", "gold.jsonl", "--json", *words)
    assert ran.code == 0, ran.err
    weak = ran.json["weaknesses"]
    return [(each["qid"], each["rule"], each["says"]) for each in weak if each["rule"] in RULES]


def wording(qid: str, *paraphrases: str, relevant: str = "p1") -> dict[str, Any]:
    return {"qid": qid, "paraphrases": list(paraphrases), "relevant": [relevant]}


def asked(qid: str, **fields: Any) -> dict[str, Any]:
    return gold(qid, question="How long are the files kept?", **fields)


CONTRADICTING = {
    "only one of them is answerable": (asked("A"), asked("B", answerable=False, **BARE)),
    "one expects yes and the other no": (
        asked("A", gold_answer={"yesno": True}, **BARE),
        asked("B", gold_answer=[{"yesno": False}], **BARE),
    ),
    "expects another answer": (
        asked("A", gold_answer={"number": 30, "unit": "day"}, **BARE),
        asked("B", gold_answer={"number": "90", "unit": "day"}, **BARE),
    ),
    "expects another phrase": (
        asked("A", gold_claim_substr=["30 days"]),
        asked("B", gold_claim_substr=["90 days", "three months"]),
    ),
    "cites other evidence": (
        asked("A"),
        asked("B", gold_citations_any=[["p7"]], gold_citations=[]),
    ),
}


@pytest.mark.parametrize("why", CONTRADICTING)
def test_the_same_question_with_another_answer(why: str, command: Command, folder: Folder) -> None:
    one, two = CONTRADICTING[why]
    # The same but for words that a question can do without.
    folder.write("gold.jsonl", [one, {**two, "question": "how long are files KEPT"}])
    assert found(command) == [("B", "contradicting_items", f"asks what A asks, and {why}")]


@pytest.mark.parametrize(
    "other",
    [
        asked("B"),
        asked("B", gold_claim_substr=["X rejects null keys entirely"]),
        asked("B", gold_citations=["p1#2", "p9"]),
        gold("B", question="How long are the files not kept?", gold_claim_substr=["never ever"]),
        gold("B", question="Where are the files kept?", gold_claim_substr=["at home"]),
        gold("B", question="How long are the files kept in 2023?", gold_citations=["p9"]),
    ],
)
def test_another_question_or_the_same_answer_contradicts_nothing(
    other: dict[str, Any], command: Command, folder: Folder
) -> None:
    folder.write("gold.jsonl", [asked("A"), other])
    assert found(command) == []


def test_equal_numbers_in_other_spellings_are_the_same_answer(
    command: Command, folder: Folder
) -> None:
    numbers = (30, 30.0, "30")
    items = [asked(f"A{n}", gold_answer={"number": each}, **BARE) for n, each in enumerate(numbers)]
    folder.write("gold.jsonl", items)
    assert found(command) == []


def test_a_wording_of_two_items_with_other_evidence_is_a_leak(
    command: Command, folder: Folder
) -> None:
    folder.write(
        "gold.jsonl",
        [
            wording("A", "How long is a file kept?", "When do files go away?"),
            wording("B", "What is kept?", "how long is THE file kept", relevant="p2"),
            wording("C", "How long is a file kept?"),
            wording("D", "Who keeps files?", relevant="p3"),
        ],
    )
    says = "'how long is THE file kept' is asked by A too, with other evidence"
    assert found(command) == [("B", "paraphrase_leak", says)]


def test_a_paraphrase_of_answers_gold_must_not_be_another_question_or_hold_the_answer(
    command: Command, folder: Folder
) -> None:
    folder.write(
        "gold.jsonl",
        [
            gold(
                "A",
                question="Are null keys taken?",
                paraphrases=["Is it right that X rejects null keys?"],
            ),
            gold(
                "B",
                question="Who did it?",
                paraphrases=["Are null keys taken"],
                gold_citations=["p2"],
            ),
        ],
    )
    assert [(qid, rule) for qid, rule, _ in found(command)] == [
        ("A", "paraphrase_gives_answer"),
        ("B", "paraphrase_leak"),
    ]


def manifest(**texts: str) -> list[dict[str, Any]]:
    fields = {"section_id": "S.1", "offsets": [0, 10], "type": "prose"}
    return [{"id": name, "text": text, **fields} for name, text in texts.items()]


def test_a_question_that_stands_in_the_corpus_word_by_word(
    command: Command, folder: Folder
) -> None:
    folder.write("docs/faq.md", "# FAQ\n\n## How long are\nfiles kept here?\n\nThirty days.\n")
    folder.write("docs/b.md", "# B\n\nWhy so? We asked how long are FILES\n  kept here and why.\n")
    folder.write(
        "gold.jsonl",
        [
            gold("A", question="How long are files kept here?"),
            gold("B", question="How long are the files kept here?"),
            gold("C", question="Why so?"),
        ],
    )
    (weak,) = found(command, "--docs", "docs")
    assert weak[:2] == ("A", "question_in_corpus")
    assert "'How long are files kept here?' stands word by word in " in weak[2]
    folder.write("m.jsonl", manifest(p1="I asked: how long are files kept here, and why?"))
    assert found(command, "--manifest", "m.jsonl") == [
        ("A", "question_in_corpus", "'How long are files kept here?' stands word by word in p1")
    ]
    assert found(command) == []


def test_phrases_that_no_cited_text_holds(command: Command, folder: Folder) -> None:
    folder.write(
        "gold.jsonl",
        [
            gold("A", gold_citations=["p1"], gold_claim_substr=["kept for 30 days"]),
            gold("B", gold_citations=["p1"], gold_claim_substr=["thirty days", "30 days"]),
            gold("C", gold_citations=["p1", "p2"], gold_claim_substr=["90 days"]),
            gold("D", gold_citations=["p1", "unknown"], gold_claim_substr=["90 days"]),
            gold("E", gold_citations=["p1"], gold_claim_substr=["for 30 d", "0 days"]),
            gold("F", gold_citations=["p2"], gold_claim_substr=["0 days"]),
        ],
    )
    texts = {"p1": "Files are KEPT\nfor 30 days.", "p2": "Or for 190 days."}
    folder.write("texts.jsonl", [{"id": name, "text": text} for name, text in texts.items()])
    expected = [
        ("C", "phrase_not_in_evidence", "'90 days' is not in p1, p2"),
        ("F", "phrase_not_in_evidence", "'0 days' is not in p2"),
    ]
    assert found(command, "--texts", "texts.jsonl") == expected
    folder.write("m.jsonl", manifest(**texts))
    assert found(command, "--manifest", "m.jsonl") == expected
    # Texts that traces carry are not the corpus.
    told = {**trace("A", retrieved=["p2"]), "retrieved_texts": ["Nothing."]}
    folder.write("t.jsonl", [told])
    assert found(command, "--trace", "t.jsonl") == []


def test_ten_thousand_items_are_linted_without_comparing_all_pairs(
    command: Command, folder: Folder
) -> None:
    count = 10_000
    items = [
        gold(
            f"A{n}",
            question=f"What does option{n} do for a user?",
            paraphrases=[f"What is option{n} for?"],
            gold_citations=[f"p{n}"],
            gold_claim_substr=[f"it sets value{n} of it"],
        )
        for n in range(count)
    ]
    items[-1] = {**items[-1], "paraphrases": ["What is option7 for?"]}
    folder.write("gold.jsonl", items)
    texts = [{"id": f"p{n}", "text": f"There it sets value{n} of it."} for n in range(count)]
    folder.write("texts.jsonl", texts)
    assert [(qid, rule) for qid, rule, _ in found(command, "--texts", "texts.jsonl")] == [
        (f"A{count - 1}", "paraphrase_leak")
    ]
