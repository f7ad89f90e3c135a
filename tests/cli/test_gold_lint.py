"""`ragstone gold lint`: what is weak about a gold set that no contract forbids."""

from __future__ import annotations

from typing import Any

import pytest
from builders import gold, trace
from command import Command, Folder
from hypothesis import given
from hypothesis import strategies as st

from ragstone.suites.answers.lint import lint


def typed(answer: Any, **fields: Any) -> dict[str, Any]:
    """An item with a typed answer beside its phrase."""
    return gold("A1", gold_answer=answer, **fields)


WEAK: dict[str, list[dict[str, Any]]] = {
    "short_substring": [gold("A1", gold_claim_substr=["null"])],
    "trivial_substring": [gold("A1", gold_claim_substr=["it is the"])],
    "substring_in_question": [gold("A1", gold_claim_substr=["TAKE null keys"])],
    "repeated_citation": [gold("A1", gold_citations=["p1", "p1"])],
    "unanswerable_with_citations": [gold("A1", answerable=False, gold_claim_substr=[])],
    "unanswerable_with_substrings": [gold("A1", answerable=False, gold_citations=[])],
    "nothing_to_check": [gold("A1", gold_claim_substr=[], gold_citations=[])],
    "regex_matches_everything": [typed({"regex": "x*"})],
    "scale_in_number": [typed({"number": "1.577 billion", "unit": "USD"})],
    "trivial_answer": [typed([{"yesno": True}, {"yesno": False}])],
    "contradictory_answer": [typed({"all": [{"yesno": True}, {"yesno": False}]})],
    "answer_in_question": [typed({"any": ["null"]})],
    "expected_and_forbidden": [typed({"any": ["v2.1"]}, must_not=[{"regex": "v[0-9]"}])],
    "short_phrase": [typed({"all": ["two words", {"number": 5}]}, must_not=["KPMG"])],
    "unanswerable_with_answer": [
        typed({"number": 5}, answerable=False, gold_claim_substr=[], gold_citations=[])
    ],
    "no_vital_nugget": [
        gold("A1", gold_claim_substr=[], nuggets=[{"id": "a", "any": ["Rome"], "vital": False}])
    ],
    "no_question": [gold("A1", question=None)],
    "duplicate_question": [gold("A1", question="Why so?"), gold("A2", question="why, SO")],
    "near_duplicate": [
        gold("A1", question="How long are deleted files of a team kept?"),
        gold("A2", question="How long are deleted files of the team kept?"),
    ],
}


def found(command: Command, *words: str) -> list[tuple[str, str]]:
    ran = command("gold", "lint", "gold.jsonl", "--json", *words)
    assert ran.code == 0
    return [(weak["qid"], weak["rule"]) for weak in ran.json["weaknesses"]]


@pytest.mark.parametrize("rule", WEAK)
def test_each_weakness_is_found(rule: str, command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", WEAK[rule])
    assert found(command) == [(WEAK[rule][-1]["qid"], rule)]


def test_typed_answers_are_something_to_check(command: Command, folder: Folder) -> None:
    bare = {"gold_claim_substr": [], "gold_citations": []}
    nuggets = [{"id": "a", "number": 5}, {"id": "b", "all": ["two words", {"date": "2023"}]}]
    items = [
        typed({"number": "1577.00", "unit": "USD million", "rel": 0.01}, **bare),
        {**typed([{"yesno": True}, "not yet"], must_not=["no idea"], **bare), "qid": "A2"},
        gold("A3", nuggets=nuggets, must_not=[{"number": 6}], **bare),
        typed({"number": "1.577,5"}, **bare) | {"qid": "A4"},
    ]
    for number, item in enumerate(items):
        item["question"] = ("Why?", "Who said so?", "Where is it?", "Which one?")[number]
    folder.write("gold.jsonl", items)
    assert found(command) == []


def test_ids_that_no_trace_has_are_found(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", [gold("A1", gold_citations=["p1", "p2", "p3", "p9"])])
    folder.write("a.jsonl", [trace("A1", retrieved=["p1"], cites=["p2"])])
    folder.write("b.jsonl", [{"q": "?", "chunks": [{"id": "p3"}], "answer": "x"}])
    assert found(command, "--trace", "a.jsonl", "b.jsonl") == [("A1", "never_retrieved")]
    assert found(command) == []


def test_a_sound_gold_set_passes_and_a_weak_one_fails_under_strict(
    command: Command, folder: Folder
) -> None:
    folder.fill()
    folder.write("gold.jsonl", [gold("A1")])
    ran = command("gold", "lint", "gold.jsonl", "--exit-code")
    assert (ran.code, ran.text.splitlines()[0]) == (0, "1 item, all sound")
    folder.write("gold.jsonl", WEAK["short_substring"])
    ran = command("gold", "lint", "gold.jsonl")
    assert ran.code == 0
    assert ran.text.startswith(
        "A1: short_substring: 'null' is under 5 characters: never matches, "
        'so no answer can be right; write "gold_answer": {"any": ["null"]}\n'
    )
    assert command("gold", "lint", "gold.jsonl", "--exit-code").code == 1


def test_the_path_and_the_names_of_the_file_hold(command: Command, folder: Folder) -> None:
    folder.write(
        "gold.jsonl", [{**gold("A1"), "gold_citations": None, "refs": {"ids": ["p1", "p1"]}}]
    )
    folder.write(
        "ragstone.toml", "[paths]\ngold = 'gold.jsonl'\n[map]\ngold_citations = 'refs.ids'\n"
    )
    assert [weak["rule"] for weak in command("gold", "lint", "--json").json["weaknesses"]] == [
        "repeated_citation"
    ]
    folder.write("t.jsonl", [{"qid": "A1", "out": {"docs": ["p1"]}}])
    words = ("--trace", "t.jsonl", "--map", "retrieved_ids=out.docs")
    assert found(command, *words) == [("A1", "repeated_citation")]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{,}\n", "gold.jsonl:1: json: "),
        (b'{"qid": "A1"}\n', "gold.jsonl:1: answerable: expected true or false, found nothing"),
        (b'{"qid": "A1", "answerable": true}\n' * 2, 'gold.jsonl:2: qid: "A1" was already given'),
        (b"", "gold.jsonl:1: qid: the gold file holds no item"),
    ],
)
def test_a_broken_gold_set_is_an_error_and_not_a_weakness(
    content: bytes, says: str, command: Command, folder: Folder
) -> None:
    folder.write("gold.jsonl", content)
    ran = command("gold", "lint", "gold.jsonl")
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith(says)


def test_one_gold_set_at_a_time(command: Command, folder: Folder) -> None:
    folder.write("a.jsonl", [gold("A1")])
    folder.write("b.jsonl", [gold("A1")])
    assert "matches 2 files; lint one gold set at a time" in command("gold", "lint", "*.jsonl").err
    assert command("gold", "lint").err.startswith("ragstone: no gold set: give its file")
    assert command("gold").err.startswith("ragstone: the following arguments are required: ACTION")


def test_nothing_of_the_data_acts_on_the_terminal(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", [gold("\x1b[31m\x9bA", gold_claim_substr=["\x1b\x9b"])])
    for words in ((), ("--json",)):
        out = command("gold", "lint", "gold.jsonl", *words).text
        assert "\x1b" not in out and "\x9b" not in out


def test_two_characters_of_a_script_without_spaces_are_long_enough(
    folder: Folder, command: Command
) -> None:
    folder.write("gold.jsonl", [gold("A1", gold_claim_substr=["東京", "京"])])
    ran = command("gold", "lint", "gold.jsonl")
    assert ran.text.startswith("A1: short_substring: '京' is under 5 characters: never matches\n")
    assert "東京" not in ran.text


@given(st.lists(st.frozensets(st.sampled_from("abcdefghij"), min_size=1), max_size=12))
def test_no_near_duplicate_is_missed(bags: list[frozenset[str]]) -> None:
    questions = [gold(f"{n:02}", question=" ".join(sorted(bag))) for n, bag in enumerate(bags)]
    found = {(w.qid, w.says) for w in lint(questions) if w.rule == "near_duplicate"}
    # Of questions that are the same, only the first is looked at.
    first = [n for n, bag in enumerate(bags) if bag not in bags[:n]]
    pairs = {(a, b): len(bags[a] & bags[b]) / len(bags[a] | bags[b]) for b in first for a in first}
    expected = {
        (f"{b:02}", f"shares {share:.0%} of its words with {a:02}")
        for (a, b), share in pairs.items()
        if a < b and share >= 0.8
    }
    assert found == expected
