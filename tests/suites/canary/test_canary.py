"""A shadow index beside the live one: the drop, what flipped, logs that do not belong together."""

from __future__ import annotations

from typing import Any

import pytest
from suites.retrieval.retrieval_builders import OWN, chunk, full, item

from ragstone.api import canary
from ragstone.errors import ConfigError, InputError
from ragstone.gates.gate import Status


def test_a_canary_needs_more_than_a_two_point_drop_to_fail() -> None:
    gold = [item(f"q{n}") for n in range(50)]
    live = [line for n in range(50) for line in full(f"q{n}")]
    shadow = [dict(line) for line in live]
    for line in shadow:
        if line["qid"] == "q0":
            line["topk"] = [{"id": "x"}, *line["topk"][1:]]
    report: Any = canary(gold, live, shadow)
    assert report.data["deltas"]["R@5"]["value"] == pytest.approx(-0.02)
    assert report.data["verdict"] == "ELIGIBLE"
    for line in shadow:
        if line["qid"] == "q1":
            line["topk"] = [{"id": "x"}, *line["topk"][1:]]
    worse: Any = canary(gold, live, shadow)
    assert worse.data["verdict"] == "NOT ELIGIBLE"
    assert [g.name for g in worse.gates if g.status is Status.FAIL] == ["R@5_delta"]
    assert worse.data["flips"]["found@5"]["lost"] == ["q0", "q1"]
    proven: Any = canary(gold, live, shadow, confidence=0.95)
    (gate,) = [g for g in proven.gates if g.metric == "R@5_delta"]
    assert "more questions would settle it" in gate.note
    assert worse.data["non_inferiority"]["proof"] == "undecided"


def dropped(names: set[str], ids: list[str], n: int = 50) -> tuple[list[Any], list[Any], list[Any]]:
    """A gold set, the live log, and a shadow log that retrieves these ids for the named ones."""
    gold = [item(f"q{number}") for number in range(n)]
    live = [line for number in range(n) for line in full(f"q{number}")]
    topk = [{"id": each} for each in ids]
    shadow = [{**line, "topk": topk} if line["qid"] in names else line for line in live]
    return gold, live, shadow


def test_any_recall_may_be_held_against_the_live_index() -> None:
    gold, live, shadow = dropped({"q0", "q1"}, ["x", OWN])
    assert canary(gold, live, shadow).data["verdict"] == "ELIGIBLE"
    named: Any = canary(gold, live, shadow, max_drop=["R@1=0.02", "R@10=0"])
    assert [gate.name for gate in named.gates if gate.status is Status.FAIL] == ["R@1_delta"]
    assert named.data["drops"]["R@1_delta"]["margin"] == 0.02
    assert named.data["drops"]["R@10_delta"]["margin"] == 0.0
    wider: Any = canary(gold, live, shadow, max_drop=["R@1=0.04"])
    assert wider.data["verdict"] == "ELIGIBLE"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("R@7=0.02", "max_drop: there is no recall 'R@7'; did you mean"),
        ("R@5", "max_drop R@5: expected a number from 0 to 1, as in R@5=0.02"),
        ("R@5=2", "max_drop R@5: expected a number from 0 to 1"),
        ("R@5=nan", "max_drop R@5: expected a number from 0 to 1"),
    ],
)
def test_a_drop_that_cannot_be_is_refused(word: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        canary([item()], full(), full(), max_drop=[word])


def test_no_loss_is_proven_from_189_questions_on_and_a_loss_never_helps() -> None:
    proofs = []
    for lost in (set(), {"q0"}):
        gold, live, shadow = dropped(lost, ["x", "y"], 189)
        report: Any = canary(gold, live[::6], shadow[::6], confidence=0.95)
        proofs.append(report.data["non_inferiority"]["proof"])
    assert proofs == ["proven small", "undecided"]


def test_asking_a_question_more_often_proves_nothing() -> None:
    gold, live, shadow = dropped({"q0"}, ["x", "y"], 60)
    often: Any = canary(gold, live * 3, shadow * 3).data["non_inferiority"]
    once: Any = canary(gold, live, shadow).data["non_inferiority"]
    assert often == once
    assert once["needed"] > 0


def test_a_different_normaliser_is_refused_unless_allowed() -> None:
    live, shadow = full(normalizer="nfc"), full(normalizer="nfkc")
    with pytest.raises(InputError, match="the normaliser differs: live nfc; shadow nfkc"):
        canary([item()], live, shadow)
    assert canary([item()], live, shadow, allow_mismatch=True).warnings


def test_index_hashes_that_should_differ_or_agree_are_reported() -> None:
    mixed = full(index_hash="a")[:3] + full(index_hash="b")[3:]
    said = " ".join(canary([item()], mixed, full(index_hash="a")).warnings)
    assert "live: the log holds 2 different index_hash" in said
    assert "live and shadow have the same index_hash: a" in said


def test_each_log_has_the_scale_of_its_own_delta_s() -> None:
    """A line that was calibrated for the shadow's embedder says nothing about the live log's ΔS."""
    chunks = [chunk(text="null keys in X are allowed")]
    computed = [{k: v for k, v in line.items() if k != "ΔS"} for line in full()]
    report: Any = canary(
        [item()],
        full(ΔS=[0.5, 0.5]),
        computed,
        manifest=chunks,
        delta_s_line=0.9,
        delta_s_line_for="ngram/1",
    )
    assert report.data["live"]["delta_s_over"] == 1.0
    assert report.data["delta_s"]["line"] == 0.9
    assert any("different sources: live log, shadow computed" in said for said in report.warnings)


def test_questions_that_were_run_in_one_log_alone_count_for_it() -> None:
    gold = [item("a"), item("b"), item("c")]
    live = full("a") + full("b")
    shadow = full("a") + full("c", ids=["x"], cites=[{"id": "x"}])
    report: Any = canary(gold, live, shadow)
    assert report.data["live"]["lambda_convergence"] == 1.0
    assert report.data["shadow"]["lambda_convergence"] == 0.5
    delta = report.data["deltas"]["lambda_convergence"]
    assert (delta["value"], delta["questions"]) == (-0.5, 3)


def test_flips_stop_at_ten_and_count_all() -> None:
    gold = [item(f"q{n:02}") for n in range(12)]
    live = [line for n in range(12) for line in full(f"q{n:02}")]
    shadow = [{**line, "topk": [{"id": "x"}, {"id": "y"}]} for line in live]
    flip: Any = canary(gold, live, shadow).data["flips"]
    assert (len(flip["found@5"]["lost"]), flip["found@5"]["lost_total"]) == (10, 12)
    everything: Any = canary(gold, live, shadow, all=True).data["flips"]
    assert len(everything["found@5"]["lost"]) == 12


@pytest.mark.parametrize("field", ["reranker", "normalizer"])
def test_a_reranker_that_one_log_alone_names_is_told(field: str) -> None:
    gold, plain = [item()], full()
    naming = full(**{field: "bge-2"})
    word = {"reranker": "reranker", "normalizer": "normaliser"}[field]
    for live, shadow, named, other in (
        (naming, plain, "live", "shadow"),
        (plain, naming, "shadow", "live"),
    ):
        report: Any = canary(gold, live, shadow)
        assert [each for each in report.warnings if word in each] == [
            f"only the {named} log names a {word} (bge-2): the {other} log does not say whether it "
            "had the same"
        ]
    assert not [each for each in canary(gold, naming, naming).warnings if word in each]
