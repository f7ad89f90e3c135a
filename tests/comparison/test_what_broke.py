"""Which questions broke, were mended, or are in one run only, and what a person sees of them."""

from __future__ import annotations

from pathlib import Path

from builders import gold, refusal, trace
from two_runs import two_runs

from ragstone.comparison.what_broke import WhatBroke, what_broke

WRONG = "X takes any key."


def qids(found: WhatBroke) -> dict[str, list[str]]:
    return {name: [row.qid for row in turned.rows] for name, turned in found.lists.items()}


def test_a_question_breaks_where_it_was_right_and_is_wrong_now(tmp_path: Path) -> None:
    items = [gold(f"A{n}") for n in range(5)]
    items += [gold("U1", answerable=False), gold("U2", answerable=False)]
    before = [trace("A0"), trace("A1"), trace("A2", WRONG), trace("A3", WRONG), trace("A4")]
    after = [trace("A0"), trace("A1", WRONG), trace("A2"), trace("A3", WRONG)]
    before += [refusal("U1"), trace("U2")]
    after += [trace("U1"), refusal("U2")]
    with two_runs(tmp_path, items, before, after) as kept:
        found = what_broke(kept.duck, kept.told, kept.most)
    assert qids(found) == {
        "broke": ["A1", "A4", "U1"],
        "mended": ["A2", "U2"],
        "only_a": [],
        "only_b": [],
    }
    assert [row.lost_at for row in found["broke"].rows] == ["contained", "claimed", "refused"]
    assert [row.lost_at for row in found["mended"].rows] == ["contained", "refused"]


def test_a_step_that_neither_run_passed_is_not_where_it_was_lost(tmp_path: Path) -> None:
    # The evidence is sixth in both, so it is not among the first five of either.
    retrieved = [*(f"p9#{n}" for n in range(5)), "p1#2"]
    before, after = trace("A1", retrieved=retrieved), trace("A1", WRONG, retrieved=retrieved)
    with two_runs(tmp_path, [gold("A1")], [before], [after]) as kept:
        (row,) = what_broke(kept.duck, kept.told, kept.most)["broke"].rows
    assert row.lost_at == "contained"


def test_both_claims_and_the_evidence_are_shown(tmp_path: Path) -> None:
    after = trace("A1", WRONG, cites=["p2#1", "p2#1"], retrieved=["p2#1"])
    with two_runs(tmp_path, [gold("A1")], [trace("A1")], [after], limit=10) as kept:
        (row,) = what_broke(kept.duck, kept.told, kept.most)["broke"].rows
    assert row.before is not None
    assert row.after is not None
    assert (row.before.claim, row.after.claim) == ("X rejects null keys.", WRONG)
    assert row.after.citations == row.after.retrieved_ids == ("p2#1",)
    assert row.gold_claim_substr == ("rejects null keys",)
    assert row.gold_citations == ("p1#2",)
    assert row.question == "Does X take null keys? (A1)"


def test_a_question_is_right_only_when_all_its_repeats_are(tmp_path: Path) -> None:
    items = [gold("A1"), gold("A2"), gold("A3")]
    before = [trace(item["qid"]) for item in items for _ in range(2)]
    after = [trace("A1"), trace("A1"), trace("A2"), trace("A2", WRONG)]
    after += [trace("A3", WRONG), trace("A3", "a wrong one")]
    with two_runs(tmp_path, items, before, after, keep="all") as kept:
        broke = what_broke(kept.duck, kept.told, kept.most)["broke"].rows
    # The one that is wrong in both repeats comes first.
    assert [row.qid for row in broke] == ["A3", "A2"]
    assert [(row.after.right_rows, row.after.rows) for row in broke if row.after] == [
        (0, 2),
        (1, 2),
    ]
    assert broke[1].after is not None
    assert broke[1].after.claim == WRONG


def test_what_only_one_run_has_is_listed_with_what_it_said(tmp_path: Path) -> None:
    shared = [gold(f"S{n}") for n in range(4)]
    said = [trace(item["qid"]) for item in shared]
    old, new = [*shared, gold("A9")], [*shared, gold("B8"), gold("B9")]
    answers = [*said, trace("B8"), trace("B9", WRONG)]
    with two_runs(tmp_path, old, [*said, trace("A9")], answers, new) as kept:
        found = what_broke(kept.duck, kept.told, kept.most)
    # Of what only one has, wrong ones come first.
    assert qids(found)["only_b"] == ["B9", "B8"]
    (only_a,) = found["only_a"].rows
    assert (only_a.qid, only_a.after, only_a.lost_at) == ("A9", None, None)


def test_a_question_whose_gold_changed_did_not_break(tmp_path: Path) -> None:
    items = [gold("A1"), gold("A2"), gold("A3")]
    changed = [gold("A1", gold_claim_substr=["something else"]), *items[1:]]
    said = [trace(item["qid"]) for item in items]
    with two_runs(tmp_path, items, said, said, changed) as kept:
        found = what_broke(kept.duck, kept.told, kept.most)
    assert kept.told.rows("changed") == [("A1",)]
    assert found["broke"].total == 0


def test_a_list_is_bounded_counts_all_and_begins_with_protected_questions(tmp_path: Path) -> None:
    items = [gold(f"A{n}") for n in range(9)]
    before = [trace(item["qid"]) for item in items]
    after = [trace(item["qid"], WRONG) for item in items]
    with two_runs(tmp_path, items, before, after, protect=["A7"], limit=3) as kept:
        broke = what_broke(kept.duck, kept.told, kept.most)["broke"]
    assert [row.qid for row in broke.rows] == ["A7", "A0", "A1"]
    assert [row.protected for row in broke.rows] == [True, False, False]
    assert broke.total == 9
