"""What is wrong with a question that did not pass a step, in plain words.

A step is not a check of the same name. The check `refused` finds what was refused and has an
answer; the step `refused` is passed by what has none and was refused.
"""

from __future__ import annotations

from ragstone.suites.declaration import AnySuite
from ragstone.suites.registry import entries, find_suite

_WORDS = {
    "claimed": "the trace has no answer for it",
    "refused": "answered, but the question has no answer",
    "reachable@k": "none of its evidence is among the first k retrieved",
    "shipped": "refused, but the question has an answer",
    "cited": "does not cite the right evidence",
    "contained": "the answer does not say what is expected",
    "intact": "does not keep its constraints",
    "not forbidden": "says what the question's must_not forbids",
    "no error": "the request failed",
    "logged": "the log never ran it",
    "found@10 in all runs": "at least one run has nothing relevant in the first 10",
    "found@5 in all runs": "at least one run has nothing relevant in the first 5",
    "retrieved": "nothing was retrieved for it",
    "any_ref": "none of its documents were retrieved",
    "all_refs": "some of its documents were not retrieved",
    "found": "nothing relevant was retrieved for it",
}
# What is said of a question that was asked several times.
_OF_RUNS = {
    "asked": "it was never run",
    "contained": "some runs do not say what is expected",
    "cited": "some runs do not cite the right evidence",
    "refused": "some runs answer, but the question has no answer",
    "intact": "some runs do not keep its constraints",
}


def step_words(suite: AnySuite) -> dict[str, str]:
    """By step of a suite what is wrong with a question that did not pass it."""
    words = _OF_RUNS if "asked" in suite.steps else _WORDS
    return {step: words[step] for step in suite.steps if step in words}


def not_passed(suite: str, step: str) -> str:
    """What is wrong, then the step in brackets; the step alone where the words are not known.

    >>> not_passed("answers", "cited"), not_passed("gone", "other")
    ('does not cite the right evidence (cited)', 'other')
    """
    known = suite in {entry.name for entry in entries()}
    said = step_words(find_suite(suite)).get(step, "") if known else ""
    return f"{said} ({step})" if said else step
