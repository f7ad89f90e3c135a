"""What readings say: the cause that explains most rows first, in plain sentences."""

import re
from typing import Any

import pytest
from builders import gold, trace
from suites.test_plain_names import JARGON

import ragstone
from ragstone.suites.registry import suites
from ragstone.suites.signs import Rule

RULES = [
    pytest.param(rule, id=f"{suite.name}: {rule.pattern}")
    for suite in suites()
    for rule in suite.readings
]
# What a person types or looks up, and the statement of a metric as the page of metrics has it.
NAMES = ("constraints_echo", "ragstone gold check", "gold set")


def nothing_found(qid: str) -> dict[str, Any]:
    return gold(qid, answerable=False, gold_claim_substr=[], gold_citations=[])


def readings(items: list[Any], lines: list[Any]) -> list[Any]:
    return list(ragstone.score(items, lines).data["reading"])


@pytest.mark.parametrize("rule", RULES)
def test_a_reading_says_what_is_wrong_and_what_to_do_in_plain_sentences(rule: Rule) -> None:
    sentences = re.split(r"(?<=\.) ", rule.reading)
    assert len(sentences) >= 2
    for each in sentences:
        assert each[0].isupper() and each.endswith("."), each
        assert len(each.split()) <= 25, each
    said = rule.reading
    for name in NAMES:
        said = said.replace(name, "")
    assert JARGON.search(said) is None
    assert "`" not in said
    assert JARGON.search(rule.title or rule.pattern) is None


def test_the_cause_of_most_rows_stands_first() -> None:
    """Missing refusals make precision and chr low too; one bad citation explains little."""
    items = [nothing_found("U1"), nothing_found("U2"), nothing_found("U3"), gold("A1"), gold("A2")]
    lines = [trace(item["qid"]) for item in items[:4]]
    lines.append(trace("A2", cites=["p1#1"]))
    first, second, *_ = readings(items, lines)
    assert (first["pattern"], first["rows"]) == ("under_refusal high", 3)
    assert first["title"] == "questions without an answer are answered"
    assert (second["pattern"], second["rows"]) == ("precision low, chr low", 1)
    assert [each["rows"] for each in readings(items, lines)] == [3, 1, 1]


def test_a_reading_without_a_row_of_its_own_says_so() -> None:
    items = [gold("A1"), gold("A2")]
    lines = [trace("A1"), trace("A2", cites=["p1#1"])]
    first, second = readings(items, lines)
    assert (first["qids"], second["qids"]) == (["A2"], ["A2"])
    same = "These rows are all among those of a reading above: mend that first."
    assert (same in first["reading"], same in second["reading"]) == (False, True)
