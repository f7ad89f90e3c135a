"""The embedder, calibration, migration and lint of the retrieval suite."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suites.retrieval.retrieval_builders import OWN, chunk, full, item, run

from ragstone.api_retrieval import retrieval
from ragstone.cli.calibrate import with_keys
from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError
from ragstone.suites.retrieval.calibrate import Scores, learn
from ragstone.suites.retrieval.embed import Ngram, delta_s, find
from ragstone.suites.retrieval.lint import lint
from ragstone.suites.retrieval.migrate import mapped, rewritten
from ragstone.suites.retrieval.sections import install, natural

texts = st.text(max_size=60)


@given(texts, texts)
def test_delta_s_is_symmetric_and_lies_between_nought_and_one(one: str, other: str) -> None:
    left, right = Ngram().embed([one, other])
    assert 0.0 <= delta_s(left, right) <= 1.0
    assert delta_s(left, right) == delta_s(right, left)
    assert delta_s(left, left) in (0.0, 1.0) or delta_s(left, left) < 1e-12


@given(st.lists(texts, max_size=8))
def test_the_default_embedder_does_not_hear_the_batch(batch: list[str]) -> None:
    alone = [Ngram().embed([text])[0] for text in batch]
    assert alone == list(Ngram().embed(batch))


def test_a_text_without_words_is_as_far_as_can_be() -> None:
    empty, full_one = Ngram().embed(["?!", "null keys"])
    assert delta_s(empty, full_one) == delta_s(empty, empty) == 1.0


def test_an_unknown_embedder_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="did you mean 'ngram'"):
        find("ngrams")


def chunks() -> list[dict[str, Any]]:
    return [
        chunk(text="X rejects null keys in every map.", offsets=[0, 33]),
        chunk("S.4.3.p.Bk001", text="Bananas ripen in the sun.", offsets=[33, 58]),
    ]


def test_a_computed_delta_s_is_shown_and_gated_only_after_calibration() -> None:
    lines = [{k: v for k, v in line.items() if k != "ΔS"} for line in full()]
    shown: Any = retrieval([item()], lines, manifest=chunks())
    assert shown.data["delta_s"]["source"] == "computed"
    assert shown["delta_s_median"].value is not None
    assert "delta_s_over" not in {gate.name for gate in shown.gates}
    gated: Any = retrieval(
        [item()], lines, manifest=chunks(), delta_s_line=0.9, delta_s_line_for="ngram/1"
    )
    assert gated.data["delta_s"]["line"] == 0.9
    assert "delta_s_over" in {gate.name for gate in gated.gates}
    other: Any = retrieval(
        [item()], lines, manifest=chunks(), delta_s_line=0.9, delta_s_line_for="other/1"
    )
    assert not other.data["delta_s"]["calibrated"]


def test_a_logged_delta_s_keeps_the_lines_of_the_spec() -> None:
    report: Any = retrieval([item()], full(), delta_s_line=0.9, delta_s_line_for="ngram/1")
    assert report.data["delta_s"] == {**report.data["delta_s"], "source": "log", "line": 0.45}


@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 9).map(lambda n: n / 10), min_size=1, max_size=4),
            st.lists(st.integers(0, 9).map(lambda n: n / 10), min_size=1, max_size=4),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_the_area_is_the_share_of_pairs_in_the_right_order(scores: Any) -> None:
    found = learn("x", [Scores(tuple(a), tuple(b)) for a, b in scores])
    pairs = [(x, y) for a, _ in scores for x in a for _, b in scores for y in b]
    won = sum((x < y) + (x == y) / 2 for x, y in pairs)
    assert found.auc == pytest.approx(won / len(pairs))
    low, high = found.interval
    assert 0.0 <= low <= found.auc + 1e-12 and found.auc <= high + 1e-12 <= 1.0 + 1e-9
    best = found.sensitivity + found.specificity
    for line in (0.05, 0.25, 0.55, 0.95):
        right = [x for a, _ in scores for x in a]
        other = [y for _, b in scores for y in b]
        here = sum(x <= line for x in right) / len(right) + sum(y > line for y in other) / len(
            other
        )
        assert best >= here - 1e-12


def test_the_line_is_written_and_every_other_line_kept() -> None:
    before = '# mine\n[answers]\nk = 3\n\n[retrieval]\ndelta_s_line = 0.1\nunit = "bytes"\n[map]\n'
    after = with_keys(before, {"delta_s_line": "0.7", "embedder": '"ngram"'})
    table = tomllib.loads(after)
    assert table["retrieval"] == {"delta_s_line": 0.7, "embedder": "ngram", "unit": "bytes"}
    assert table["answers"] == {"k": 3} and "# mine" in after and "map" in table
    assert tomllib.loads(with_keys("", {"delta_s_line": "0.7"}))["retrieval"]


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


def test_lint_names_what_is_weak() -> None:
    gold = [item("a", paraphrases=["one"], negatives=[]), item("b", relevant=[OWN, "lost"])]
    found = lint(gold, [chunk(), chunk("t", type="table")])
    assert {(weak.qid, weak.rule) for weak in found} == {
        ("", "few_items"), ("", "type_without_questions"), ("a", "few_paraphrases"),
        ("a", "no_negatives"), ("b", "not_in_manifest"),
    } | {("b", "not_in_manifest")}  # fmt: skip


def test_the_dialects_and_the_title_tree_of_the_spec() -> None:
    named = {
        "S.4.2.p.Bk011a": "S.4.2",
        "A.3.1.bk012": "A.3.1",
        "doc|r=2|s=2.4.1|p=3|b=1": "2.4.1",
        "docA#s03#p002": "s03",
        "p1#2": None,
        "anything": None,
    }
    apart = {("S.4.2", "S.4.3"): 2, ("S.4.2", "S.4"): 1, ("S.4", "S.4"): 0, ("S.1", "A.1"): 4}
    below = {("S.4.2", "S.4"): True, ("S.42", "S.4"): False, ("S.4", "S.4.2"): False}
    with Duck(1) as duck:
        install(duck)
        sections = {name: duck.one("select dialect($id)", {"id": name})[0] for name in named}
        steps = {two: duck.one(f"select tree_distance{two}")[0] for two in apart}
        inside = {two: duck.one(f"select within{two}")[0] for two in below}
    assert (sections, steps, inside) == (named, apart, below)
    assert sorted(["1.10", "1.2", "1"], key=natural) == ["1", "1.2", "1.10"]


def test_readings_name_the_rows_that_triggered_them() -> None:
    gold = [item(f"q{n}") for n in range(4)]
    lines = [run(f"q{n}", ids=["S.9.9.p.Bk999", OWN], cites=[{"id": "S.9.9.p.Bk999"}])
             for n in range(4)]  # fmt: skip
    report: Any = retrieval(gold, lines)
    said = {found["pattern"]: found["qids"] for found in report.data["reading"]}
    assert said["ΔS stable, evidence not relevant"] == ["q0", "q1", "q2", "q3"]
    assert said["hard negatives stand above the evidence"] == ["q0", "q1", "q2", "q3"]
    assert any("not on top" in pattern for pattern in said)
