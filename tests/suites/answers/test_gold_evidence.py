"""Evidence as a list, with grades, or in groups: what counts, and which forms are equal."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from builders import gold, trace, write_jsonl

import ragstone
from ragstone.contracts.gold_evidence import gold_groups
from ragstone.errors import ContractError
from ragstone.suites.answers.lint import lint
from ragstone.tools.moved_evidence import move_evidence

Line = dict[str, Any]
IDS = ("p1", "p2", "p3", "p4")
FIGURES = ("precision", "chr", "recall@k", "recall_any@k", "recall_frac@k", "chr_bound@k")
CASES = 400


def some_ids(chance: Random, least: int = 0) -> list[str]:
    return chance.choices(IDS, k=chance.randint(least, 3))


def evidence(chance: Random) -> Line:
    """Evidence in any form, or in none."""
    graded = {id: chance.choice((0, 0.5, 1, 3, -1, None)) for id in some_ids(chance)}
    groups = [some_ids(chance, 1) for _ in range(chance.randint(0, 3))]
    return {
        "gold_citations": chance.choice((None, some_ids(chance), some_ids(chance), graded)),
        "gold_citations_any": chance.choice((None, groups)),
    }


def item(qid: str = "A1", /, **fields: Any) -> Line:
    return {"qid": qid, "answerable": True, **fields}


def figures(items: list[Line], traces: list[Line], **options: Any) -> dict[str, Any]:
    told = json.loads(ragstone.score(items, traces, **options).to_json())
    return {name: told[name] for name in FIGURES}


def expected(groups: set[frozenset[str]], written: bool, line: Line) -> dict[str, float]:
    """One question's values, counted over sets from the definitions; k is 2."""
    cites = set(line["answer_json"]["citations"])
    first = set(line["retrieved_ids"][:2])
    found = sum(bool(group & first) for group in groups)
    right = any(group & cites for group in groups) if groups else not cites
    cited = cites <= set(line["retrieved_ids"]) and (right or not written)
    return {
        "precision": cited,
        "chr": cited,
        "recall@k": found == len(groups),
        "recall_any@k": found > 0 or not groups,
        "recall_frac@k": found / len(groups) if groups else 1,
        "chr_bound@k": found > 0 or not groups,
    }


def test_one_of_each_group_is_enough():
    chance = Random(12)
    items = [item(f"{n:03}", **evidence(chance)) for n in range(CASES)]
    lines = [
        trace(each["qid"], retrieved=some_ids(chance), cites=some_ids(chance)) for each in items
    ]
    rows = ragstone.score(items, lines, k=2).rows().to_pylist()
    for each, line, row in zip(items, lines, rows, strict=True):
        groups = {frozenset(group) for group in gold_groups(each)}
        written = each["gold_citations"] is not None or each["gold_citations_any"] is not None
        assert row["qid"] == each["qid"]
        assert {name: row[name] for name in FIGURES} == expected(groups, written, line), each


def test_lists_grades_of_one_and_groups_of_one_are_equal():
    chance = Random(13)
    lines = [
        trace(f"{n:03}", retrieved=some_ids(chance), cites=some_ids(chance)) for n in range(CASES)
    ]
    wanted = {line["qid"]: some_ids(chance) for line in lines}
    lists = [item(qid, gold_citations=ids) for qid, ids in wanted.items()]
    graded = [
        item(qid, gold_citations={**dict.fromkeys(ids, 1), "p9": 0}) for qid, ids in wanted.items()
    ]
    groups = [item(qid, gold_citations_any=[[id] for id in ids]) for qid, ids in wanted.items()]
    assert figures(graded, lines) == figures(groups, lines) == figures(lists, lines)


def test_the_order_of_ids_changes_no_byte():
    chance = Random(14)

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            return dict(shuffled(list(value.items())))
        if isinstance(value, list):
            return [shuffled(each) for each in chance.sample(value, len(value))]
        return value

    items = [item(f"{n:03}", **evidence(chance)) for n in range(CASES)]
    others = [{name: shuffled(value) for name, value in each.items()} for each in items]
    lines = [trace(each["qid"], retrieved=["p4"], cites=["p4"]) for each in items]
    assert others != items
    one, two = (ragstone.score(gold, lines, all=True).to_json() for gold in (items, others))
    assert one == two


def test_an_offender_names_the_ids_of_a_group_together():
    grouped = item(gold_citations=["p9"], gold_citations_any=[["p3", "p2"]])
    told = json.loads(ragstone.score([grouped], [trace(retrieved=["p1"], cites=["p1"])]).to_json())
    assert told["offenders"][0]["gold_citations"] == ["p2 or p3", "p9"]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"gold_citations": {"p1": 1, "p2": "2"}}, 'found "2" at "p2"'),
        ({"gold_citations": ["p1", 2]}, "found 2 at position 1"),
        ({"gold_citations_any": [["p1"], []]}, "found [] at position 1"),
        ({"gold_citations_any": ["p1"]}, 'found "p1" at position 0'),
    ],
)
def test_what_is_no_evidence_is_named_by_its_place(fields, says):
    with pytest.raises(ContractError) as error:
        figures([item(**fields)], [trace()])
    assert says in str(error.value)


def test_a_large_file_of_grades_is_read_as_one_of_lists(tmp_path: Path):
    """So many lines that they are checked in SQL; some spell the key with an escape."""
    ids = ["p1#2", "p2#1"]
    lists = [gold(f"A{n}", gold_citations=ids) for n in range(3000)]
    graded = [{**each, "gold_citations": {"p1#1": 0, **dict.fromkeys(ids, 2)}} for each in lists]
    one = write_jsonl(tmp_path / "lists.jsonl", lists)
    two = write_jsonl(tmp_path / "grades.jsonl", graded)
    escaped = two.read_text().replace('"gold_citations"', '"gold\\u005fcitations"', 9)
    two.write_text(escaped, encoding="utf-8")
    line = [trace("A7", retrieved=("p1#2",))]
    assert ragstone.score(one, line)["recall_frac@k"].value == pytest.approx(0.5 / 3000)
    assert ragstone.score(two, line)["recall_frac@k"].value == pytest.approx(0.5 / 3000)
    two.write_text(two.read_text().replace('"p1#1": 0', '"p1#2": 0', 1), encoding="utf-8")
    with pytest.raises(ContractError, match=r"grades.jsonl:1: "):
        ragstone.score(two, line)


def rules(**fields: Any) -> list[str]:
    question = {"question": "Why?", "gold_claim_substr": ["null keys"]}
    return [found.rule for found in lint([item(**question, **fields)], {"p1"})]


def test_lint_knows_groups_and_grades():
    assert rules(gold_citations_any=[["p2", "p1"]]) == []
    assert rules(gold_citations_any=[["p1", "p1"]]) == ["repeated_citation"]
    assert rules(gold_citations_any=[["p2", "p3"], ["p1"]]) == ["never_retrieved"]
    assert rules(gold_citations={"p1": 1, "p2": 0}) == []
    assert rules(gold_citations={"p2": 2}) == ["never_retrieved"]
    assert rules(gold_citations={"p1": 0}) == ["no_gold_grade"]


def test_evidence_moves_in_every_form():
    heirs = {"a": ["x", "y"], "b": ["x"], "c": []}
    named = {
        "gold_citations": {"a": 1, "b": 3, "c": 2},
        "gold_citations_any": [["a", "b"], ["c"]],
    }
    moved = move_evidence(named, lambda ids, name: [new for id in ids for new in heirs[id]])
    assert moved.fields["gold_citations"] == {"x": 3, "y": 1}
    assert moved.fields["gold_citations_any"] == [["x", "y", "x"], ["c"]]
    assert moved.heirs == ["x", "y", "x", "y", "x"]
