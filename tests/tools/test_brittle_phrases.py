"""`gold lint` shows which right answers a phrase would reject, and what to write instead."""

from __future__ import annotations

import json

import pytest
from builders import gold

from ragstone.tools.brittle_phrases import brittle
from ragstone.tools.shared_surnames import lint_surnames


@pytest.mark.parametrize(
    ("question", "phrase", "rejected", "form"),
    [
        ("Who?", "Wilhelm Conrad Röntgen", "Wilhelm Röntgen", "name"),
        ("Who?", "Wilhelm Conrad Röntgen", "Wilhelm C. Röntgen", "name"),
        ("Who?", "Anders Celsius", "A. Celsius", "name"),
        ("Which part?", "rear-view mirror", "rearview mirror", "words"),
        ("Which band?", "the prodigy", "prodigy", "text"),
        ("What?", "children's book", "children’s book", "words"),
        ("Where?", "cafés", "cafes", "text"),
        ("How?", "twenty-five steps", "25 steps", "words"),
        ("Where?", "in Paris, France", "in Paris", "words"),
        ("What?", "rear mirror", "rear mirrors", None),
    ],
)
def test_a_brittle_phrase_is_told_with_the_form_to_write(question, phrase, rejected, form):
    found = brittle([gold(question=question, gold_claim_substr=[phrase])])
    if form is None:
        assert not found
        return
    (weak,) = found
    assert weak.rule == "brittle" and repr(rejected) in weak.says
    assert form in json.loads(weak.says.rpartition("write ")[2])


@pytest.mark.parametrize("phrase", ["rejects null keys", "$1,577 million", "v2.1", "42"])
def test_what_rejects_nothing_is_sound(phrase):
    assert not brittle([gold(gold_claim_substr=[phrase])])


def test_what_is_typed_already_is_not_brittle():
    assert not brittle([gold(gold_claim_substr=None, gold_answer={"name": "Anders Celsius"})])


def test_a_surname_that_two_items_share_is_told_unless_it_is_not_enough():
    names = [("q1", {"name": "Ann Lee"}), ("q2", {"name": "Bob Lee", "surname": False})]
    names += [("q3", {"any": [{"name": "Carl Moe"}, {"name": "C. Moe"}]})]
    items = [gold(qid, gold_claim_substr=None, gold_answer=answer) for qid, answer in names]
    assert [(weak.qid, weak.rule) for weak in lint_surnames(items)] == [("q1", "shared_surname")]
