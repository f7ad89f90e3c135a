"""What an answer says and cites, whichever way it is written."""

from __future__ import annotations

import pytest

from ragstone.contracts.answer_texts import citations_of, claim_of

pytestmark = pytest.mark.python

SENTENCES = [
    {"text": "A.", "citations": ["p2", "p1"]},
    {"text": "B."},
    {"text": "", "citations": None},
]


@pytest.mark.parametrize(
    ("answer", "claim", "citations"),
    [
        ({}, None, []),
        ({"claim": None, "citations": None, "claims": None}, None, []),
        ({"claim": "So.", "citations": ["p1", "p1"]}, "So.", ["p1"]),
        ({"claims": SENTENCES}, "A. B. ", ["p2", "p1"]),
        ({"claims": SENTENCES, "claim": "So.", "citations": ["p9"]}, "A. B. ", ["p9", "p2", "p1"]),
        ({"claims": [], "claim": "So."}, "So.", []),
    ],
)  # fmt: skip
def test_the_claim_and_the_citations(answer, claim, citations):
    assert claim_of(answer) == claim
    assert citations_of(answer) == citations
