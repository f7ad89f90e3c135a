"""Citation precision, recall and F1, and the sentences that cite nothing."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from builders import gold, refusal, trace

import ragstone
from ragstone.contracts.gold_evidence import gold_groups

Line = dict[str, Any]
IDS = ("p1", "p2", "p3", "p4")
NAMES = ("citation_precision", "citation_recall", "citation_f1")
RETRIEVED = ("p1", "p2", "p3", "p4")


def figures(items: list[Line], lines: list[Line]) -> dict[str, Any]:
    told = json.loads(ragstone.score(items, lines).to_json())
    return {name: told.get(name) for name in (*NAMES, "uncited", "chr", "precision")}


def test_the_worked_example():
    """Two of three cited ids are evidence, of which there are four pieces: 2/3, 2/4, 4/7."""
    item = gold(gold_citations=["p1", "p2", "p5"], gold_citations_any=[["p6", "p7"]])
    found = figures([item], [trace(cites=["p1", "p2", "p3", "p3"], retrieved=RETRIEVED)])
    assert [found[name] for name in NAMES] == pytest.approx([2 / 3, 2 / 4, 4 / 7])


def test_who_cites_everything_retrieved_loses_precision_and_gains_recall():
    items = [gold(f"A{n}", gold_citations=["p2", "p4"]) for n in range(3)]
    some = [trace(each["qid"], cites=["p2"], retrieved=RETRIEVED) for each in items]
    everything = [trace(each["qid"], cites=RETRIEVED, retrieved=RETRIEVED) for each in items]
    one, two = figures(items, some), figures(items, everything)
    assert (one["chr"], one["precision"]) == (two["chr"], two["precision"]) == (1, 1)
    assert (one["citation_precision"], two["citation_precision"]) == (1, 0.5)
    assert (one["citation_recall"], two["citation_recall"]) == (0.5, 1)


def test_only_shipped_answers_to_answerable_questions_with_evidence_count():
    items = [
        gold("A1", gold_citations=["p1"]),
        gold("A2", gold_citations=[]),
        gold("A3", gold_citations=None),
        gold("A4", gold_citations=["p1"]),
        gold("A5", gold_citations=["p1"], answerable=False),
        gold("A6", gold_citations=["p1"]),
        gold("A7", gold_citations=["p1"]),
    ]
    lines = [trace(f"A{n}", cites=["p1", "p2"], retrieved=RETRIEVED) for n in (1, 2, 3, 5)]
    silent = trace("A7", cites=[], retrieved=RETRIEVED)
    report = ragstone.score(items, [*lines, refusal("A4"), silent])
    for name, value in zip(NAMES, (0.25, 0.5, 1 / 3), strict=True):
        assert report[name].value == pytest.approx(value)
        assert report[name].denominator == 2


def expected(groups: set[frozenset[str]], cites: set[str]) -> list[float]:
    """One answer's values, from the definitions."""
    right = {id for id in cites if any(id in group for group in groups)}
    precision = len(right) / len(cites) if cites else 0
    recall = sum(bool(group & cites) for group in groups) / len(groups)
    both = precision + recall
    return [precision, recall, 2 * precision * recall / both if both else 0]


def test_every_answer_has_the_values_of_the_definitions():
    chance = Random(15)
    items = []
    for number in range(300):
        listed = chance.choices(IDS, k=chance.randint(1, 3))
        groups = [chance.choices(IDS, k=chance.randint(1, 3)) for _ in range(2)]
        fields = chance.choice(({"gold_citations_any": groups}, {}))
        items.append(gold(f"{number:03}", gold_citations=listed, **fields))
    lines = [
        trace(each["qid"], cites=chance.choices((*IDS, "p9"), k=chance.randint(0, 4)))
        for each in items
    ]
    rows = ragstone.score(items, lines).rows().to_pylist()
    for each, line, row in zip(items, lines, rows, strict=True):
        groups = {frozenset(group) for group in gold_groups(each)}
        wanted = expected(groups, set(line["answer_json"]["citations"]))
        assert [row[name] for name in NAMES] == pytest.approx(wanted), (each, line)


def test_uncited_is_the_mean_share_of_sentences_without_a_citation():
    items = [gold(f"A{n}") for n in range(3)]
    said = [
        [{"text": "A.", "citations": ["p1#2"]}, {"text": "B."}, {"text": " "}],
        [{"text": "A.", "citations": []}, {"text": "B.", "citations": None}],
    ]
    lines = [{"qid": f"A{n}", "answer_json": {"claims": some}} for n, some in enumerate(said)]
    report = ragstone.score(items, [*lines, trace("A2", cites=[])])
    assert report["uncited"].value == pytest.approx((1 / 2 + 1) / 2)
    assert report["uncited"].denominator == 2


def test_without_sentences_there_is_nothing_to_say_of_them():
    assert figures([gold()], [trace()])["uncited"] is None
