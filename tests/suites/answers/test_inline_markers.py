"""Citations in the text of an answer: positions in what was retrieved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import gold, trace, write_jsonl
from context_files import ragstone as command

import ragstone
from ragstone.api import audit  # type: ignore[attr-defined]
from ragstone.errors import ConfigError
from ragstone.report.document.blocks import Offender
from ragstone.suites.answers.inline_markers import Markers, with_markers

Line = dict[str, Any]
PATTERN = r"\[(\d+(?:,\s*\d+)*)\]"
IDS = ("p1", "p2", "p3")


def scored(line: Line, **options: Any) -> dict[str, Any]:
    item = gold(gold_citations=["p2"])
    told: dict[str, Any] = json.loads(
        ragstone.score(
            [item], [line], **{"cite_pattern": PATTERN, "gates": {"missing": 1}, **options}
        ).to_json()
    )
    return told


def said(claim: str, cites: tuple[str, ...] = (), retrieved: tuple[str, ...] = IDS) -> Line:
    return trace(claim=claim, cites=cites, retrieved=retrieved)


@pytest.mark.parametrize(
    ("claim", "base", "ids"),
    [
        ("No [2].", 1, ["p2"]),
        ("No [2].", 0, ["p3"]),
        ("No [1, 3] and [2][1].", 1, ["p1", "p3", "p2"]),
        ("No [02].", 1, ["p2"]),
        ("No [0].", 1, ["[0]"]),
        ("No [0].", 0, ["p1"]),
        ("No [4], [3].", 1, ["[4]", "p3"]),
        ("No [3].", 0, ["[3]"]),
        ("No [2147483647,2147483648,99999999999999999999].", 0,
         ["[2147483647]", "[2147483648]", "[99999999999999999999]"]),
        ("No [x] (2) 2.", 1, []),
    ],
)  # fmt: skip
def test_a_marker_is_a_position_in_what_was_retrieved(claim, base, ids):
    line = said(f"{claim} Nor here.")
    told = scored(line, cite_base=base)
    assert told["offenders"][0]["citations"] == ids
    assert told["unscoped"] == any(id.startswith("[") for id in ids)


def test_what_is_cited_otherwise_is_cited_too():
    (row,) = scored(said("No [1, 2].", cites=("p3", "p1")))["offenders"]
    assert row["citations"] == ["p3", "p1", "p2"]


def test_a_marker_that_points_nowhere_is_no_retrieved_id_of_that_name():
    (row,) = scored(said("No [9].", retrieved=("[9]", "p2")))["offenders"]
    assert row["citations"] == ["[9] (points nowhere)"]


PAGES = ("a.pdf#page=1", "b.pdf", "Other.pdf#page=3", "d", "e", "f", "plan.pdf#page=7")


@pytest.mark.parametrize(
    ("claim", "ids", "unscoped"),
    [
        ("Covered [plan.pdf#page=7].", ["plan.pdf#page=7"], 0),
        # ids are compared letter by letter, and what was not retrieved is unscoped
        ("Covered [Plan.pdf#page=7].", ["Plan.pdf#page=7"], 1),
        ("Covered [plan.pdf#page=7, b.pdf].", ["plan.pdf#page=7", "b.pdf"], 0),
        ("Covered [2; plan.pdf#page=7].", ["b.pdf", "plan.pdf#page=7"], 0),
        ("Covered [7] and [d].", ["plan.pdf#page=7", "d"], 0),
        ("Covered [99, d].", ["[99]", "d"], 1),
        ("Covered [Smith, 2020.pdf].", ["Smith, 2020.pdf"], 1),
        ("Covered [so].", ["so"], 1),
        ("Covered [1, 2 and 4].", ["a.pdf#page=1", "b.pdf", "d"], 0),
        ("Covered [ ].", ["[]"], 1),
        ("Covered [,].", [","], 1),
        ("Covered [1-3] [2/4].", ["a.pdf#page=1", "Other.pdf#page=3", "b.pdf", "d"], 0),
    ],
)
def test_what_is_no_list_of_numbers_is_the_id_itself(
    claim: str, ids: list[str], unscoped: int
) -> None:
    told = scored(said(claim, retrieved=PAGES), cite_pattern=r"\[([^\]]+)\]")
    assert (told["offenders"][0]["citations"], told["unscoped"]) == (ids, unscoped)


def test_markers_are_no_part_of_the_compared_claim():
    line = said("X rejects [2] null\u00a0keys[2] [1].")
    item = gold(gold_claim_substr=["X rejects null\u00a0keys."], gold_citations=["p2"])
    assert ragstone.score([item], [line], cite_pattern=PATTERN)["precision"].value == 1
    assert ragstone.score([item], [line])["precision"].value == 0


def test_a_refusal_with_a_marker_is_one_and_markers_alone_say_nothing():
    assert scored(said("not in context [2]"))["refused"] == 1
    assert scored(said("[1] [2]"))["missing"] == 1


def test_the_report_shows_the_claim_as_it_was_written():
    (row,) = scored(said("No [3]\n and no [1, 2]."))["offenders"]
    assert row["claim"] == "No [3]\n and no [1, 2]."


def test_markers_of_a_sentence_are_its_citations():
    claims = [
        {"text": "X rejects [2]."},
        {"text": "Null keys."},
        {"text": "So.", "citations": ["p2"]},
    ]
    line = {**said(""), "answer_json": {"claims": claims}}
    told = scored(line)
    assert (told["uncited"], told["citation_precision"]) == (pytest.approx(1 / 3), 1)
    assert scored(line, cite_pattern=None)["uncited"] == pytest.approx(2 / 3)


def test_the_older_shape_has_markers_too():
    item = gold(question="Why?", gold_citations=["b"])
    line = {"q": "Why?", "chunks": [{"id": "a"}, {"id": "b"}], "answer": "X rejects null keys [2]."}
    assert ragstone.score([item], [line], cite_pattern=PATTERN)["precision"].value == 1


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(a", "is not a regular expression of RE2"),
        (r"\[\d+\]", "has no groups; expected one"),
        (r"\[(\d)(\d)\]", "has 2 groups; expected one"),
        (r"(\d*)", "matches where nothing is written"),
        (r"(\d)(?=x)", "looks around with (?="),
    ],
)
def test_a_pattern_that_cannot_be_is_named(pattern, says):
    with pytest.raises(ConfigError, match=r"^cite_pattern: ") as error:
        scored(said("No."), cite_pattern=pattern)
    assert says in str(error.value)


def test_the_base_is_0_or_1():
    with pytest.raises(ConfigError, match="cite_base: expected a whole number from 0 to 1"):
        scored(said("No."), cite_base=2)


def test_flags_and_file_say_the_same(tmp_path: Path):
    write_jsonl(tmp_path / "gold.jsonl", [gold(gold_citations=["p1"])])
    write_jsonl(tmp_path / "trace.jsonl", [said("X rejects null keys [0].")])
    words = ("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json")
    flags = ("--cite-pattern", PATTERN, "--cite-base", "0")
    one = command(*words, "--no-config", *flags, cwd=tmp_path)
    (tmp_path / "ragstone.toml").write_text(
        f"[answers]\ncite_pattern = '{PATTERN}'\ncite_base = 0\n"
    )
    assert json.loads(one)["precision"] == 1
    assert command(*words, cwd=tmp_path) == one


def test_the_audit_reads_them_as_well():
    lines = [said("It was 5 [1].", retrieved=("p1",)), said("It was so.", retrieved=("p1",))]
    texts = [{"id": "p1", "text": "It was 5, in all."}]
    report = audit(lines, texts=texts, cite_pattern=PATTERN)
    assert report["uncited"].value == 0.5
    assert report["support"].value == 1
    assert audit(lines, texts=texts)["uncited"].value == 1


def test_places_in_the_claim_move_with_the_markers():
    removed = Markers(PATTERN).removed
    written = "So [1] it is 5 [2]."
    found = Offender("A1", (), (), claim="So it is 5.", found_at=((0, 2), (9, 10), (3, 10)))
    moved = with_markers(found, written, removed)
    assert moved.claim == written
    assert [written[a:b] for a, b in moved.found_at] == ["So", "5", "it is 5"]
    assert with_markers(found, "something else", removed) == found
