"""The engine against two oracles that share no code with it.

A run of the engine costs a tenth of a second whatever it scores, so many generated cases are scored
in one: each case's qids get its number as a prefix, and a slice by that number gives its metrics.
"""

from __future__ import annotations

from typing import Any

import pytest
from against.answers_oracle import Share, expected
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from long_runs import examples
from strategies import Case, cases

import ragstone
from ragstone import score_eval
from ragstone.suites.answers.metrics import METRICS

BATCH = 60
SHARED = ("precision", "chr", "under_refusal", "over_refusal", "recall@k")

# Extra metrics are there only where gold has the fields that they test.
PLAIN = [metric for metric in METRICS if not metric.extra]

batches = st.lists(cases(), min_size=BATCH, max_size=BATCH)
# A batch is not shrunk: the assertion names the case, and each step would be a run of the engine.
often = settings(
    max_examples=examples(6, long=200),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)


def prefixed(record: dict[str, Any], number: int) -> dict[str, Any]:
    """The record with the case's number before each qid it has."""
    changed = dict(record)
    for name in ("qid", "q_id"):
        if changed.get(name):
            changed[name] = f"{number}|{changed[name]}"
    return changed


def scored(batch: list[Case], **options: Any) -> dict[str, Any]:
    """The engine's metrics of every case, by the case's number."""
    gold = [
        {**prefixed(item, number), "case": number}
        for number, (items, _) in enumerate(batch)
        for item in items
    ]
    traces = [prefixed(line, number) for number, (_, lines) in enumerate(batch) for line in lines]
    report = ragstone.score(gold, traces, by=["case"], **options)
    slices: Any = report.data["slices"]
    return slices["case"]


@often
@given(batches, st.integers(1, 6), st.booleans())
def test_the_engine_agrees_with_the_vendored_scorer(batch: list[Case], k: int, scu: bool) -> None:
    found = scored(batch, k=k, scu=scu, missing="answered")
    for number, (items, lines) in enumerate(batch):
        gold = {item["qid"]: item for item in items}
        traces = {line.get("qid") or line.get("q_id"): line for line in lines}
        says = score_eval.score(gold, traces, k, scu)
        got = {name: found[str(number)][name]["value"] for name in SHARED}
        assert got == {name: says[name] for name in SHARED}, (items, lines)


@often
@given(
    batches,
    st.integers(1, 6),
    st.sampled_from(("fail", "answered")),
    st.sampled_from(("last", "first", "all")),
    st.booleans(),
)
def test_the_engine_agrees_with_the_plain_oracle(
    batch: list[Case], k: int, missing: Any, keep: Any, scu: bool
) -> None:
    options: dict[str, Any] = {"k": k, "missing": missing, "keep": keep, "scu": scu}
    options["refusal"] = ("not in context", "straße und STRASSE")
    found = scored(batch, **options)
    for number, (items, lines) in enumerate(batch):
        says = expected(items, lines, **options)
        for metric in PLAIN:
            got = found[str(number)][metric.name]
            want = says[metric.name]
            if not isinstance(want, Share):
                assert got["value"] == want, (metric.name, items, lines)
                continue
            assert got["denominator"] == want.denominator, (metric.name, items, lines)
            assert got["value"] == pytest.approx(float(want.value), abs=1e-12), (
                metric.name,
                items,
                lines,
            )


@settings(
    max_examples=examples(10, long=400), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(cases(max_items=6), st.sampled_from(("last", "first", "all")))
def test_counts_funnel_and_near_refusals_agree_with_the_plain_oracle(case: Case, keep: Any) -> None:
    items, lines = case
    says = expected(items, lines, keep=keep)
    if lines and says["inputs"]["unknown_qid"] + says["inputs"]["no_qid"] == len(lines):
        with pytest.raises(ragstone.InputError, match="share no question"):
            ragstone.score(items, lines, keep=keep)
        return
    report = ragstone.score(items, lines, keep=keep, all=True)
    data: Any = report.data
    assert {name: data["inputs"][name] for name in says["inputs"]} == says["inputs"]
    assert data["near_refusals"] == says["near_refusals"]
    got = [(step["step"], step["left"], set(step["qids"])) for step in data["funnel"]]
    assert got == [(step.name, step.left, set(step.lost)) for step in says["funnel"]]
    for name in ("answered", "refused", "answerable", "unanswerable"):
        assert report.figures[name] == says[name]
