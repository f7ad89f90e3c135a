"""The retrieval engine against a plain oracle that shares no code with it, on generated logs."""

from __future__ import annotations

import random
from typing import Any

import pytest
from against.retrieval_oracle import expected
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from long_runs import examples

from ragstone.api import canary, retrieval
from ragstone.suites.retrieval.metrics import METRICS

# Not shrunk: each step would be a run of the engine, and the assertion shows the case.
quick = {"deadline": None, "suppress_health_check": list(HealthCheck)}
unshrunk = (Phase.explicit, Phase.generate)
often = settings(max_examples=examples(5, long=120), phases=unshrunk, **quick)

IDS = (
    "S.4.2.p.Bk011a", "S.4.2.p.Bk012", "S.4.3.p.Bk001", "S.4.bk1", "A.3.1.bk012", "A.3.bk2",
    "doc|r=1|s=2.4.1|p=1|b=1", "doc|r=1|s=2.4|p=1|b=2", "docA#s03#p002", "docA#s04#p001",
    "plain", "p1#2", "é\"|s=2.4.1",
)  # fmt: skip
SECTIONS = ("S.4.2", "S.4", "S", "A.3.1", "2.4.1", "2.4", "s03", "s3", "X.1")
STATES = ("→", "←", "<>", "×", "->", "<-", "x", "â†’", "‚Üí", "Ã—", "√ó")
ids = st.sampled_from(IDS)
spans = st.tuples(st.integers(0, 300), st.integers(0, 60)).map(lambda s: [s[0], s[0] + s[1]])
types = st.sampled_from((None, "prose", "code", "table", "figure", "caption", "formula"))


@st.composite
def items(draw: Any, number: int) -> dict[str, Any]:
    relevant = draw(st.lists(ids, min_size=1, max_size=4))
    item: dict[str, Any] = {
        "qid": f"q{number}",
        "paraphrases": ["one", "two", "three"],
        "relevant": relevant,
    }
    if draw(st.booleans()):
        item["anchor_section"] = draw(st.sampled_from(SECTIONS))
    if draw(st.booleans()):
        item["negatives"] = draw(st.lists(ids, max_size=3))
    if draw(st.booleans()):
        item["relevant_offsets"] = {chunk: draw(spans) for chunk in relevant}
    return item


@st.composite
def cases(draw: Any) -> tuple[list[Any], list[Any], list[Any]]:
    size = draw(st.integers(1, 12))
    gold = [draw(items(number)) for number in range(size)]
    manifest = [
        {"id": chunk, "section_id": draw(st.sampled_from(SECTIONS)), "offsets": draw(spans),
         "type": draw(types.filter(bool))}
        for chunk in draw(st.lists(ids, unique=True, max_size=6))
    ]  # fmt: skip
    kinds = {chunk: draw(types) for chunk in IDS}
    answers, measured = draw(st.sampled_from(("all", "some", "none"))), draw(st.booleans())
    logged = draw(st.booleans())
    log = []
    for number in range(-1, size):
        for paraphrase in range(draw(st.integers(0, 3))):
            for seed in range(draw(st.integers(1, 2))):
                log.append(draw(runs(number, paraphrase, seed, kinds, answers, measured, logged)))
    # A log of other questions alone is refused.
    assume(not log or any(line["qid"] != "unknown" for line in log))
    return gold, log, manifest


@st.composite
def runs(
    draw: Any, number: int, paraphrase: int, seed: int, kinds: dict[str, Any], answers: str,
    measured: bool, logged: bool,
) -> dict[str, Any]:  # fmt: skip
    found = draw(st.lists(ids, max_size=13))
    line: dict[str, Any] = {
        "qid": f"q{number}" if number >= 0 else "unknown",
        "query": ("one", "two", "three")[paraphrase],
        "paraphrase": paraphrase,
        "seed": seed,
        "topk": [
            {"id": chunk, "score": 0.5, "type": kinds[chunk]}
            if kinds[chunk] and place < 10
            else {"id": chunk}
            for place, chunk in enumerate(found)
        ],
    }
    if measured:
        name = draw(st.sampled_from(("ΔS", "delta_s", "dS", "Î”S", "Î\x94S", "ŒîS")))
        line[name] = [draw(st.sampled_from((0.1, 0.3, 0.4, 0.45, 0.6, 0.77, 1))) for _ in found]
    if logged and draw(st.booleans()):
        name = draw(st.sampled_from(("λ_state", "lambda_state", "Î»_state", "Œª_state")))
        line[name] = draw(st.sampled_from(STATES))
    if answers == "all" or (answers == "some" and draw(st.booleans())):
        line["answer_citations"] = draw(st.lists(citations(), max_size=3))
    return line


@st.composite
def citations(draw: Any) -> dict[str, Any]:
    cited: dict[str, Any] = {"id": draw(ids)}
    if draw(st.booleans()):
        cited["offsets"] = draw(spans)
    if draw(st.integers(0, 5)) == 0:
        cited["section_id"] = draw(st.sampled_from(SECTIONS))
    return cited


def same(got: float | None, want: Any) -> bool:
    if want is None or got is None:
        return want is None and got is None
    return got == pytest.approx(float(want), abs=1e-12)


@often
@given(cases())
def test_the_engine_agrees_with_the_plain_oracle(case: Any) -> None:
    gold, log, manifest = case
    report = retrieval(gold, log, manifest=manifest or None, all=True)
    says = expected(gold, log, manifest)
    data: Any = report.data
    for metric in METRICS:
        found = report.metrics[metric.name]
        if metric.name in ("missing", "citation_iou") or found.vacuous:
            continue
        if metric.name.startswith("citation_accuracy") and found.value is None:
            # No gold span at all: the oracle counts misses where the engine says it cannot know.
            assert not says[metric.name]
            continue
        assert same(found.value, says[metric.name]), (metric.name, found.value, says[metric.name])
    assert data["bad_qids"] == says["bad_qids"]
    assert {s: n for s, n in data["lambda"]["states"].items() if n} == says["states"]
    assert data["lambda"]["scattered"] == says["scattered"]
    counts = {kind: row["missing"]["denominator"] for kind, row in data["by_type"].items()}
    kinds = list(says["types"].values())
    assert counts == {kind: kinds.count(kind) for kind in set(kinds)}


@settings(max_examples=examples(2, long=40), phases=unshrunk, **quick)
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_lines_and_the_number_of_threads_change_nothing(
    case: Any, draw: random.Random
) -> None:
    from ragstone.report.formats import render

    gold, log, manifest = case
    shuffled = [list(gold), list(log), list(manifest)]
    for lines in shuffled:
        draw.shuffle(lines)
    one = retrieval(gold, log, manifest=manifest or None, threads=1)
    two = retrieval(shuffled[0], shuffled[1], manifest=shuffled[2] or None, threads=2)
    for form in ("json", "html"):
        assert render(one, form) == render(two, form)


@settings(max_examples=examples(2, long=50), phases=unshrunk, **quick)
@given(cases(), st.data())
def test_swapping_live_and_shadow_mirrors_the_comparison(case: Any, data: Any) -> None:
    gold, log, _ = case
    other = [data.draw(runs(int(line["qid"][1:]), line["paraphrase"], line["seed"],
                            dict.fromkeys(IDS), "all", True, False))
             for line in log if line["qid"] != "unknown"]  # fmt: skip
    if not other:
        return
    one: Any = canary(gold, log, other, all=True)
    two: Any = canary(gold, other, log, all=True)
    for name, delta in one.data["deltas"].items():
        back = two.data["deltas"][name]
        assert (delta is None) == (back is None)
        if delta is None:
            continue
        assert delta["value"] == pytest.approx(-back["value"], abs=1e-12)
        if delta["interval"] is not None:
            for end, mirrored in zip(delta["interval"], back["interval"][::-1], strict=True):
                assert (end is None) == (mirrored is None)
                assert end is None or end == pytest.approx(-mirrored, abs=1e-9)
    for name, flip in one.data["flips"].items():
        assert flip["gained"] == two.data["flips"][name]["lost"]
        assert flip["p"] == two.data["flips"][name]["p"]
    for k in (1, 3, 5, 10):
        assert one.data["overlap"][f"overlap@{k}"] == two.data["overlap"][f"overlap@{k}"]
    moved = "gold_rank_displacement"
    assert one.data["overlap"][moved] == pytest.approx(-two.data["overlap"][moved])
