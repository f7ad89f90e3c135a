"""`ragstone gold check`: whether the evidence of each item is alive, moved, changed or gone."""

from __future__ import annotations

from typing import Any

import pytest
from builders import gold, trace
from command import Command, Folder

DOCS = {
    "docs/keep.md": "# Relay\n\n## Events\n\nEvents are kept\nfor 30 days.\n",
    "docs/copies.md": "# Copies\n\n## Standby\n\nA standby is a second copy of the relay.\n",
}
PHRASE = {"gold_claim_substr": ["kept for 30 days"]}


def chunk(name: str, text: str | None = None, offsets: tuple[int, int] = (0, 10)) -> dict[str, Any]:
    found = {"id": name, "section_id": "S.1", "offsets": list(offsets), "type": "prose"}
    return found if text is None else {**found, "text": text}


def checked(command: Command, *words: str) -> dict[str, Any]:
    ran = command("gold", "check", "gold.jsonl", *words, "--json")
    assert ran.code == (0 if ran.json["pass"] else 1), ran.err
    return ran.json


def fates(command: Command, *words: str) -> list[tuple[str, str, str, list[str]]]:
    found = checked(command, *words)["evidence"]
    return [(each["qid"], each["id"], each["fate"], each["to"]) for each in found]


def test_evidence_of_documents_lives_until_they_change(command: Command, folder: Folder) -> None:
    for name, text in DOCS.items():
        folder.write(name, text)
    command("gold", "new", "--docs", "docs", "-o", "gold.jsonl", "--yes")
    ran = command("gold", "check", "gold.jsonl", "--docs", "docs")
    assert (ran.code, ran.text) == (0, "2 items: 2 alive\n")
    folder.write("docs/keep.md", "# Relay\n\n## Retention\n\nEvents are kept\nfor 30 days.\n")
    folder.write("docs/copies.md", "# Copies\n\n## Standby\n\nThere is none.\n")
    ran = command("gold", "check", "gold.jsonl", "--docs", "docs")
    assert ran.code == 1
    moved, gone = sorted(ran.text.splitlines()[:2], key=lambda line: ": gone: " in line)
    assert ": moved: docs" not in moved and "keep.md#retention" in moved
    assert "is not in the documents" in gone
    assert ran.text.splitlines()[-1] == "2 items: 1 moved, 1 gone"


def test_each_fate_by_a_manifest_with_texts(command: Command, folder: Folder) -> None:
    other = {"gold_claim_substr": ["a second copy"]}
    folder.write(
        "gold.jsonl",
        [
            gold("alive", gold_citations=["p1"], **PHRASE),
            gold("also", gold_citations={"p1": 2, "p3": 1, "x": 0}, **PHRASE),
            gold("moved", gold_citations=["p9"], **PHRASE),
            gold("away", gold_citations=["p3"], gold_citations_any=[["p3", "p2"]], **PHRASE),
            gold("changed", gold_citations=["p1"], gold_claim_substr=["kept for 90 days"]),
            gold("gone", gold_citations_any=[["p8", "p1"]], gold_citations=[], **PHRASE),
            gold("lost", gold_citations=["p9"], gold_claim_substr=["never written"]),
            gold("none", answerable=False, gold_citations=[], gold_claim_substr=[]),
            gold("short", gold_citations=["p2"], gold_claim_substr=["no"]),
            gold("second", gold_citations=["p2", "p1"], **other),
        ],
    )
    texts = {"p1": "Events are KEPT\nfor  30 days.", "p2": "A second copy.", "p3": "Nothing."}
    folder.write("manifest.jsonl", [chunk(name, text) for name, text in texts.items()])
    assert fates(command, "--manifest", "manifest.jsonl") == [
        ("moved", "p9", "moved", ["p1"]),
        ("away", "p3", "moved", ["p1"]),
        ("away", "p2", "moved", ["p1"]),
        ("changed", "p1", "changed", []),
        ("gone", "p8", "gone", []),
        ("lost", "p9", "gone", []),
    ]
    found = checked(command, "--manifest", "manifest.jsonl")
    assert [found[name] for name in ("alive", "moved", "changed", "gone")] == [4, 2, 1, 2]
    assert (found["items"], found["without_evidence"]) == (10, 1)
    lines = command("gold", "check", "gold.jsonl", "--manifest", "manifest.jsonl").text.splitlines()
    assert lines[0] == ("moved: moved: p9 is not in the manifest, and its proof is in p1")
    assert lines[2] == "changed: changed: p1 holds none of the expected phrases"
    assert lines[-1] == "10 items: 4 alive, 2 moved, 1 changed, 2 gone, 1 without evidence"


def test_a_recorded_span_tells_where_the_proof_went(command: Command, folder: Folder) -> None:
    def item(qid: str, name: str, span: list[int]) -> dict[str, Any]:
        asked = {"qid": qid, "paraphrases": [f"{qid}?"], "relevant": [name]}
        return {**asked, "relevant_offsets": {name: span}}

    folder.write(
        "gold.jsonl",
        [
            item("here", "d#1", [2, 8]),
            item("shifted", "d#1", [12, 18]),
            item("nowhere", "d#1", [90, 99]),
            item("renamed", "d#9", [12, 18]),
        ],
    )
    folder.write("m.jsonl", [chunk("d#1", None, (0, 10)), chunk("d#2", None, (10, 30))])
    assert fates(command, "--manifest", "m.jsonl") == [
        ("shifted", "d#1", "moved", ["d#2"]),
        ("nowhere", "d#1", "changed", []),
        ("renamed", "d#9", "moved", ["d#2"]),
    ]


def test_traces_say_which_ids_occur_and_some_of_their_texts(
    command: Command, folder: Folder
) -> None:
    folder.write("gold.jsonl", [gold("A", gold_citations=["p1"], **PHRASE), gold("B")])
    folder.write("t.jsonl", [trace("A", retrieved=["p1"], cites=["p1"])])
    assert fates(command, "--trace", "t.jsonl") == [("B", "p1#2", "gone", [])]
    told = trace("A", retrieved=["p1", "p2"], cites=["p1"])
    told["retrieved_texts"] = ["Nothing.", "Events are kept for 30 days."]
    older = {"q": "?", "chunks": [{"id": "p1#2", "text": "It rejects null keys."}], "answer": "x"}
    folder.write("t.jsonl", [told, older])
    assert fates(command, "--trace", "t.jsonl") == [("A", "p1", "moved", ["p2"])]
    # The manifest says which ids there are; traces only lend their texts.
    folder.write("m.jsonl", [chunk("p1")])
    words = ("--manifest", "m.jsonl", "--trace", "t.jsonl")
    assert fates(command, *words) == [("A", "p1", "moved", ["p2"]), ("B", "p1#2", "gone", [])]


def test_thousands_of_items_are_looked_for_in_thousands_of_chunks(
    command: Command, folder: Folder
) -> None:
    count = 5000
    items = [
        gold(f"A{n}", gold_citations=[f"old{n}"], gold_claim_substr=[f"the value{n} of it"])
        for n in range(count)
    ]
    folder.write("gold.jsonl", items)
    texts = [f"Word {'and word ' * 20} the value{n} of it." for n in range(count)]
    folder.write("m.jsonl", [chunk(f"new{n}", text) for n, text in enumerate(texts)])
    found = checked(command, "--manifest", "m.jsonl")
    assert (found["moved"], found["evidence"][7]["to"]) == (count, ["new7"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "what is the evidence looked for in? Give --docs, --manifest or --trace"),
        (("--docs", "none"), "none: there is no such folder"),
        (("--manifest", "none.jsonl"), "none.jsonl does not exist"),
        (("--manifest", "gold.jsonl"), "gold.jsonl:1: id: expected a string"),
        (("--trace", "gold.jsonl", "--chunk-size", "200"), "--chunk-size goes with --docs"),
        (("--docs", "docs", "--chunk-size", "1"), "--chunk-size 1: expected 100 to 100000"),
    ],
)
def test_what_is_missing_or_broken_is_one_sentence(
    words: tuple[str, ...], says: str, command: Command, folder: Folder
) -> None:
    folder.write("gold.jsonl", [gold("A1")])
    folder.write("docs/a.md", "Text.")
    ran = command("gold", "check", "gold.jsonl", *words)
    assert (ran.code, ran.out) == (2, b"")
    assert says in ran.err


def test_nothing_of_the_data_acts_on_the_terminal(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", [gold("\x1bA", gold_citations=["\x1b[2J"])])
    folder.write("m.jsonl", [chunk("\x9bp", "It rejects null keys.")])
    for words in ((), ("--json",)):
        out = command("gold", "check", "gold.jsonl", "--manifest", "m.jsonl", *words).text
        assert "\x1b" not in out and "\x9b" not in out
