"""An index with other ids is no regression: when that is said, and what it does to the gates."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import Record, gold, trace
from two_runs import two_runs

from ragstone.comparison.changed_labels import ChangedLabels, changed_labels, without_verdict
from ragstone.gates.gate import Judged, Status, Threshold, decide

ITEMS = [gold(f"A{n}", gold_citations=[f"d{n}"]) for n in range(10)]
BEFORE = [
    trace(item["qid"], cites=item["gold_citations"], retrieved=["x", f"d{n}"])
    for n, item in enumerate(ITEMS)
]


def after(gone: int, elsewhere: int = 0) -> list[Record]:
    """What B retrieved: the ids of `gone` questions are not there, or only `elsewhere`."""
    said = []
    for n, item in enumerate(ITEMS):
        ids = [f"new{n}"] if n < gone else [f"d{n}"]
        said.append(trace(item["qid"], cites=ids, retrieved=ids))
    said[-1]["retrieved_ids"] += [f"d{n}" for n in range(elsewhere)]
    return said


@pytest.mark.parametrize(
    ("gone", "elsewhere", "most", "found"),
    [
        (0, 0, 0.2, None),
        (2, 0, 0.2, None),
        (3, 0, 0.2, (10, 3)),
        # An id that B still retrieves, for whichever question, is in use.
        (5, 3, 0.2, None),
        (5, 2, 0.2, (10, 3)),
        (10, 0, 1.0, None),
        (1, 0, 0.0, (10, 1)),
    ],
)
def test_labels_changed_where_many_ids_of_gold_are_gone(
    tmp_path: Path, gone: int, elsewhere: int, most: float, found: tuple[int, int] | None
) -> None:
    with two_runs(tmp_path, ITEMS, BEFORE, after(gone, elsewhere)) as kept:
        labels = changed_labels(kept.duck, most=most)
    assert (labels and (labels.ids, labels.gone)) == found


def test_ids_that_were_never_retrieved_are_not_gone(tmp_path: Path) -> None:
    never = [trace(item["qid"], retrieved=["x"]) for item in ITEMS]
    with two_runs(tmp_path, ITEMS, never, after(10)) as kept:
        assert changed_labels(kept.duck) is None


def test_only_a_broken_protected_question_still_decides() -> None:
    labels = ChangedLabels(10, 3, 0.2)
    failed = {
        name: Judged(name, name, Threshold("=", 0), 1.0, 1.0, None, Status.FAIL)
        for name in ("precision", "protected")
    }
    assert decide(without_verdict([failed["precision"]], labels)) is Status.UNMEASURABLE
    assert decide(without_verdict([*failed.values()], labels)) is Status.FAIL
    assert decide(without_verdict([], labels)) is Status.UNMEASURABLE
    assert "ragstone migrate" in without_verdict([], labels)[0].note
