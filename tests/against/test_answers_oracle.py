"""Two scorers that share no code must agree, and the oracle must say what the spec says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pytest
from against.answers_oracle import Share, Step, expected
from builders import WORKED_GOLD, WORKED_TRACE, gold, refusal, trace, write_jsonl
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Case, cases

from ragstone import score_eval

SIZES = ("answered", "refused", "answerable", "unanswerable")
RATIOS = ("precision", "chr", "under_refusal", "over_refusal", "recall@k")


def values(result: Mapping[str, Any]) -> dict[str, Any]:
    """The ratios of an oracle's result as plain fractions."""
    return {name: share.value for name, share in result.items() if isinstance(share, Share)}


# The stdlib scorer against the oracle


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cases")


@settings(max_examples=400, deadline=None)
@given(case=cases(), k=st.integers(1, 8), scu=st.booleans())
def test_score_eval_and_the_oracle_agree(folder: Path, case: Case, k: int, scu: bool) -> None:
    items, traces = case
    scored = score_eval.score(
        score_eval.load(str(write_jsonl(folder / "gold.jsonl", items)), gold=True),
        score_eval.load(str(write_jsonl(folder / "trace.jsonl", traces)), gold=False),
        k,
        scu,
    )
    wanted = expected(items, traces, k=k, missing="answered", scu=scu)
    assert {name: scored[name] for name in SIZES} == {name: wanted[name] for name in SIZES}
    for name in RATIOS:
        share = wanted[name]
        numerator = share.numerator if share.denominator else share.empty
        assert scored[name] == numerator / (share.denominator or 1), name


@settings(max_examples=200, deadline=None)
@given(case=cases())
def test_keeping_all_or_one_is_the_same_without_repeats(case: Case) -> None:
    items, traces = case
    once = list({trace.get("qid") or trace.get("q_id"): trace for trace in traces}.values())
    last, first, every = (expected(items, once, keep=keep) for keep in ("last", "first", "all"))
    assert last == first == every


@settings(max_examples=200, deadline=None)
@given(case=cases(), k=st.integers(1, 8))
def test_the_oracle_keeps_the_inequalities_between_metrics(case: Case, k: int) -> None:
    result = expected(*case, k=k)
    value = values(result)
    assert all(0 <= number <= 1 for number in value.values())
    assert value["recall@k"] <= value["recall_frac@k"] <= value["recall_any@k"]
    assert value["precision"] <= value["chr"]
    left = [result["answerable"], *(step.left for step in result["funnel"])]
    assert left == sorted(left, reverse=True)
    assert result["inputs"]["lines"] == sum(result["inputs"].values()) - result["inputs"]["lines"]


def corners(case: Case) -> dict[str, bool]:
    """Which of the awkward things this case holds."""
    items, traces = case
    result = expected(items, traces, scu=True)
    value = values(result)
    claims = [(line.get("answer_json") or {}).get("claim") or "" for line in traces]
    return {
        "a qid repeated": result["inputs"]["superseded"] > 0,
        "an unknown qid": result["inputs"]["unknown_qid"] > 0,
        "no qid": result["inputs"]["no_qid"] > 0,
        "a near refusal": bool(result["near_refusals"]),
        "a broken echo": result["scu_violations"] > 0,
        "a huge claim": any(len(claim) > 5000 for claim in claims),
        "a blank claim": any(claim and not claim.strip() for claim in claims),
        "a null field": any(None in row.values() for row in (*items, *traces)),
        "an absent field": any("gold_citations" not in item for item in items),
        "one citation of two recalled": 0 < value["recall_frac@k"] < value["recall_any@k"],
        **{f"a hit of {name}": result[name].numerator > 0 for name in value},
        **{f"a miss of {name}": value[name] < 1 for name in value},
        **{f"a step lost at {step.name}": bool(step.lost) for step in result["funnel"]},
    }


def test_the_generated_cases_reach_every_corner() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=500, deadline=None, derandomize=True, database=None)
    @given(case=cases())
    def look(case: Case) -> None:
        seen.update({name: int(holds) for name, holds in corners(case).items()})

    look()
    assert [name for name, times in seen.items() if times == 0] == []


# The oracle against the words of the spec


def test_the_oracle_holds_the_worked_example() -> None:
    result = expected(WORKED_GOLD, WORKED_TRACE)
    assert {name: result[name] for name in SIZES} == {
        "answered": 2,
        "refused": 1,
        "answerable": 2,
        "unanswerable": 1,
    }
    assert values(result) == {
        "precision": 1,
        "chr": 1,
        "under_refusal": 0,
        "over_refusal": 0,
        "recall@k": 1,
        "recall_any@k": 1,
        "recall_frac@k": 1,
        "chr_bound@k": 1,
        "containment": 1,
        "scu": 0,  # the constraint of A0001 is not echoed
        "missing": 0,
        "unscoped": 0,
    }
    assert (result["scu_violations"], result["near_refusals"]) == (1, [])
    assert result["funnel"][-1] == Step("intact", 1, ("A0001",))
    at_one = expected(WORKED_GOLD, WORKED_TRACE, k=1)
    assert (at_one["recall@k"].value, at_one["chr_bound@k"]) == (Fraction(1, 2), Share(1, 2, 1))


def test_refusing_everything_is_vacuously_precise() -> None:
    result = expected(WORKED_GOLD, [refusal(item["qid"]) for item in WORKED_GOLD])
    assert (result["precision"].value, result["precision"].vacuous) == (1, True)
    assert result["over_refusal"] == Share(2, 2, 0)


@pytest.mark.parametrize(
    ("policy", "answered", "precision"),
    [("fail", 1, Share(1, 1, 1)), ("answered", 3, Share(2, 3, 1))],
)
def test_a_missing_answer_is_its_own_bucket_or_shipped_empty(
    policy: Literal["fail", "answered"], answered: int, precision: Share
) -> None:
    items = [gold("A1"), gold("A2"), {"qid": "A3", "answerable": True}]
    result = expected(items, [trace("A1"), trace("A2", claim=" ")], missing=policy)
    assert (result["answered"], result["precision"]) == (answered, precision)
    assert (result["missing"], result["unscoped"].numerator) == (Share(2, 3, 0), 0)
    assert result["recall@k"] == Share(3, 3, 0)


@pytest.mark.parametrize(
    ("keep", "refused", "answered", "superseded"),
    [("last", 0, 1, 1), ("first", 1, 0, 1), ("all", 1, 1, 0)],
)
def test_which_lines_of_a_qid_are_scored(
    keep: Literal["last", "first", "all"], refused: int, answered: int, superseded: int
) -> None:
    lines = [trace("nobody"), refusal(), trace(), trace("")]
    result = expected([gold()], lines, keep=keep)
    assert (result["refused"], result["answered"]) == (refused, answered)
    assert result["inputs"] == {
        "lines": 4,
        "kept": 2 - superseded,
        "unknown_qid": 1,
        "no_qid": 1,
        "superseded": superseded,
    }


def test_every_refusal_token_counts_and_makes_near_refusals() -> None:
    items = [gold(f"A{number}") for number in range(1, 5)]
    claims = ["I DON'T KNOW ", "not in context", "Well, I don't know.", "Not in context!"]
    answers = [trace(item["qid"], claim) for item, claim in zip(items, claims, strict=True)]
    both = expected(items, answers, refusal=("not in context", "I don't know"))
    assert (both["refused"], both["near_refusals"]) == (2, ["A3", "A4"])
    assert expected(items, answers)["near_refusals"] == ["A4"]


def test_a_contradiction_breaks_an_answer_that_echoes() -> None:
    items = [gold("A1", constraints=["c"]), gold("A2", constraints=["c"])]
    answers = [trace("A1", echo=[" c"]), trace("A2", "X allows null keys.", echo=["c"])]
    by_qid = expected(items, answers, scu=True, contradicted={"A1"})
    assert (by_qid["scu_violations"], by_qid["scu"]) == (1, Share(1, 2, 1))
    assert by_qid["precision"] == Share(0, 2, 1)
    by_claim = expected(items, answers, scu=True, contradicted=lambda item, said: "allows" in said)
    assert by_claim["precision"] == Share(1, 2, 1)
    assert expected(items, answers, contradicted={"A1"})["precision"] == Share(1, 2, 1)


def test_the_funnel_names_what_is_lost_at_each_step() -> None:
    items = [
        *(gold(f"A{number}", constraints=["c"]) for number in range(1, 7)),
        gold("U1", answerable=False),
    ]
    answers = [
        trace("A6", echo=["c"]),
        trace("A5"),
        trace("A4", "X accepts null keys.", echo=["c"]),
        trace("A3", cites=["p1#1"], echo=["c"]),
        refusal("A2"),
        trace("A1", retrieved=["p1#1"], cites=["p1#1"], echo=["c"]),
        trace("U1"),
    ]
    result = expected(items, answers)
    assert result["funnel"] == [
        Step("reachable@k", 5, ("A1",)),
        Step("shipped", 4, ("A2",)),
        Step("cited", 3, ("A3",)),
        Step("contained", 2, ("A4",)),
        Step("intact", 1, ("A5",)),
    ]


def test_partial_recall_counts_distinct_gold_citations() -> None:
    items = [gold("A1", gold_citations=["a", "a", "b", "c"]), gold("A2", gold_citations=None)]
    result = expected(items, [trace("A1", retrieved=["a", "x", "b"])], k=2)
    assert result["recall_frac@k"] == Share(Fraction(4, 3), 2, 0)
    assert (result["recall@k"], result["recall_any@k"]) == (Share(1, 2, 0), Share(2, 2, 0))
