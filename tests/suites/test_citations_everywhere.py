"""Sentences with citations, and markers in a text, in every suite that checks answers."""

from __future__ import annotations

from typing import Any

import pytest
from builders import gold, trace

import ragstone

Line = dict[str, Any]
PATTERN = r"\[(\d+)\]"
PLAIN = trace("A1")
# Each says and cites what the plain trace does: the second of what was retrieved.
FORMS: dict[str, Line] = {
    "sentences": {"claims": [{"text": "X rejects"}, {"text": "null keys.", "citations": ["p1#2"]}]},
    "markers": {"claim": "X rejects null keys [2]."},
    "both": {"claims": [{"text": "X rejects [2]"}, {"text": "null keys."}]},
}


def figures(answer: Line, pattern: str | None = PATTERN) -> list[float | None]:
    items, line = [gold("A1")], {**PLAIN, "answer_json": answer}
    sample = {**line, "config": "c", "rps": 1, "latency_ms": 5.0}
    run = {**line, "seed": 1, "jitter": "none", "run_id": "r"}
    return [
        ragstone.score(items, [line], cite_pattern=pattern)["chr"].value,
        ragstone.latency(items, [sample], cite_pattern=pattern)["chr"].value,
        ragstone.stability(items, [run], cite_pattern=pattern)["cghc"].value,
        ragstone.agreement(gold=items, trace=[line], cite_pattern=pattern)[
            "percent_agreement"
        ].value,
    ]


@pytest.mark.parametrize("form", FORMS)
def test_every_suite_sees_what_is_cited(form: str) -> None:
    assert figures(FORMS[form]) == figures(PLAIN["answer_json"]) == [1, 1, 1, 1]


def test_a_marker_is_read_only_where_its_pattern_is_given() -> None:
    """Without it the answer cites nothing: wrong to the scholar, and to the auditor as well."""
    assert figures(FORMS["markers"], pattern=None) == [0, 0, 0, 1]
