"""Where chunks went after re-chunking, and the gold set that is written for the new ones."""

from __future__ import annotations

from suites.retrieval.retrieval_builders import chunk, item

from ragstone.tools.migration import mapped, rewritten


def test_a_chunk_shifts_splits_merges_or_is_lost() -> None:
    old = [
        chunk("keep", offsets=[0, 100]),
        chunk("move", offsets=[100, 200]),
        chunk("cut", offsets=[200, 400]),
        chunk("m1", offsets=[400, 450]),
        chunk("m2", offsets=[450, 500]),
        chunk("gone", offsets=[900, 950]),
    ]
    new = [
        chunk("keep", offsets=[0, 100]),
        chunk("moved", offsets=[95, 195]),
        chunk("c1", offsets=[200, 300]),
        chunk("c2", offsets=[300, 400]),
        chunk("m", offsets=[400, 500]),
    ]
    found = mapped(old, new)
    assert {name: each.kind for name, each in found.items()} == {
        "keep": "same", "move": "shift", "cut": "split", "m1": "merge", "m2": "merge",
        "gone": "unmapped",
    }  # fmt: skip
    gold = [
        item("a", relevant=["move"], relevant_offsets={"move": [120, 130]}, negatives=["m1"]),
        item("b", relevant=["cut"], relevant_offsets={"cut": [310, 320]}),
        item("c", relevant=["gone", "keep"], relevant_offsets=None),
        item("d", relevant=["gone"], relevant_offsets=None, anchor_section="Z.1"),
    ]
    items, changes = rewritten(gold, found, new)
    assert [each["relevant"] for each in items] == [["moved"], ["c2"], ["keep"], ["gone"]]
    assert items[0]["relevant_offsets"] == {"moved": [120, 130]} and items[0]["negatives"] == ["m"]
    assert [bool(change.look) for change in changes] == [False, True, True, True]


def test_texts_find_a_chunk_that_moved_far() -> None:
    words = [f"word{n}" for n in range(60)]
    one, two = " ".join(words[:30]), " ".join(words[30:])
    old = [chunk("a", text=one, offsets=[0, 9]), chunk("b", text=two, offsets=[9, 20])]
    new = [chunk("y", text=two, offsets=[5000, 5011]), chunk("x", text=one, offsets=[7000, 7009])]
    found = mapped(old, new)
    assert [(found[n].heirs[0][0], found[n].kind) for n in "ab"] == [("x", "shift"), ("y", "shift")]
    joined = mapped(old, [chunk("z", text=f"{one} {two}")])
    assert {each.kind for each in joined.values()} == {"merge"}
