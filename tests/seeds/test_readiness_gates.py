"""The readiness page: its trace, its ship gates at their thresholds, SCU, and the operational
suites with the figures that the spec works out for them.

Every figure is asked of a process. These tests are not edited when the code behind them is.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from command import Folder, Process, Ran

Line = dict[str, Any]
Shell = Callable[[str], Ran]
NOTED = "Entity+constraint co-located in p1#2"
FULL_TRACE: Line = {
    "ts": 1723430400,
    "qid": "A0001",
    "q": "Does X support null keys?",
    "retrieved_ids": ["p1#1", "p1#2", "p2#1"],
    "answer_json": {
        "claim": "X rejects null keys.",
        "citations": ["p1#2"],
        "constraints_echo": ["X rejects null keys."],
    },
    "ok": True,
    "reason": "ok",
}
FILES = "--gold ProblemMap/eval/gold.jsonl --trace runs/trace.jsonl"
GATES = "--gates precision=0.80 chr=0.75 under_refusal=0.05 over_refusal=0.10"


def claiming(claim: str, echo: list[str] | None = None, **more: Any) -> Line:
    """The page's trace with another claim, and another echo of the constraints."""
    given = {"claim": claim, "citations": ["p1#2"]}
    if echo is not None:
        given["constraints_echo"] = echo
    return {**FULL_TRACE, "answer_json": given, **more}


@pytest.fixture
def locked(gold: list[Line]) -> Line:
    """The gold item of the page, with its constraint and its note."""
    return {**gold[0], "notes": NOTED}


# The trace of the page, and its CI step


@pytest.mark.parametrize("command", ["ragstone.score_eval", "ragstone score"])
@pytest.mark.parametrize("flag", ["--scu_enforced", "--scu-enforced"])
def test_the_ci_step_of_the_page(
    folder: Folder, shell: Shell, locked: Line, command: str, flag: str
) -> None:
    """The page runs `python -m problemmap.eval.score_eval`; our module is ragstone.score_eval."""
    folder.write("ProblemMap/eval/gold.jsonl", [locked])
    folder.write("runs/trace.jsonl", [FULL_TRACE])
    step = f"python -m {command} {FILES} {GATES} {flag}"
    assert shell(step).code == 0
    # Nothing is echoed: the locked set is not kept, and no answer is right any more.
    folder.write("runs/trace.jsonl", [claiming("X rejects null keys.")])
    assert shell(step).code == 1


def test_both_trace_shapes_give_the_same_figures(
    folder: Folder, ragstone: Process, locked: Line, traces: list[Line]
) -> None:
    """This page's trace has a time, an echo and the pipeline's own view; the other's has not."""
    folder.write("gold.jsonl", [locked])
    folder.write("full.jsonl", [FULL_TRACE])
    folder.write("short.jsonl", traces[:1])
    found = [
        ragstone("score", "--gold", "gold.jsonl", "--trace", name, "--json").json
        for name in ("full.jsonl", "short.jsonl")
    ]
    names = ("answered", "refused", "precision", "chr", "over_refusal", "recall@k", "pass")
    assert [found[0][name] for name in names] == [found[1][name] for name in names]
    assert [found[0]["scu_violations"], found[1]["scu_violations"]] == [0, 1]


def test_the_contract_of_both_files_is_kept(
    folder: Folder, ragstone: Process, locked: Line
) -> None:
    folder.write("gold.jsonl", [locked])
    folder.write("trace.jsonl", [FULL_TRACE])
    assert ragstone("check", "gold.jsonl", "trace.jsonl").code == 0


# Constraints


@pytest.mark.parametrize(
    ("claim", "echo", "violations"),
    [
        ("X rejects null keys.", ["X rejects null keys."], 0),
        ("X rejects null keys.", [" X rejects null keys. "], 0),
        ("X rejects null keys.", [], 1),
        ("X rejects null keys.", ["X rejects null values."], 1),
        ("X rejects null keys.", ["X rejects null keys.", "And more."], 1),
        ("X allows null keys.", ["X rejects null keys."], 1),
        ("X does not support null keys.", ["X rejects null keys."], 0),
    ],
)
def test_locked_constraints_are_echoed_and_not_contradicted(
    folder: Folder,
    ragstone: Process,
    locked: Line,
    claim: str,
    echo: list[str],
    violations: int,
) -> None:
    folder.write("gold.jsonl", [{**locked, "gold_claim_substr": ["null keys"]}])
    folder.write("trace.jsonl", [claiming(claim, echo)])
    files = ("--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json")
    ran = ragstone("score", *files, "--scu_enforced")
    assert (ran.json["scu_violations"], ran.json["scu"]) == (violations, 1.0 - violations)
    assert ran.json["precision"] == 1.0 - violations
    assert ran.json["gates"]["scu_violations"]["status"] == ("FAIL" if violations else "PASS")
    assert ran.code == violations


def test_the_order_of_constraints_does_not_matter(
    folder: Folder, ragstone: Process, locked: Line
) -> None:
    both = ["X rejects null keys.", "Only domain example.com."]
    folder.write("gold.jsonl", [{**locked, "constraints": both}])
    folder.write("trace.jsonl", [claiming("X rejects null keys.", both[::-1])])
    files = ("--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json")
    assert ragstone("score", *files, "--scu_enforced").json["scu_violations"] == 0


def test_constraints_cost_precision_only_where_they_are_enforced(
    folder: Folder, ragstone: Process, locked: Line
) -> None:
    """The page has them in its formula of precision always; the spec, when SCU is enforced."""
    folder.write("gold.jsonl", [locked])
    folder.write("trace.jsonl", [claiming("X rejects null keys.", [])])
    files = ("--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json")
    ran = ragstone("score", *files)
    assert (ran.code, ran.json["precision"], ran.json["scu_violations"]) == (0, 1.0, 1)
    assert "scu_violations" not in ran.json["gates"]


def test_the_one_file_scorer_checks_the_echo_and_not_the_claim(
    folder: Folder, locked: Line
) -> None:
    folder.write("gold.jsonl", [{**locked, "gold_claim_substr": ["null keys"]}])
    folder.write("trace.jsonl", [claiming("X allows null keys.", ["X rejects null keys."])])
    words = ("--gold", "gold.jsonl", "--trace", "trace.jsonl", "--scu_enforced")
    ran = subprocess.run(
        [sys.executable, "-m", "ragstone.score_eval", *words], cwd=folder.work, check=False
    )
    assert ran.returncode == 0


# The ship gates, each on both sides of its threshold


def answers(
    *, wrong: int = 0, uncited: int = 0, refused: int = 0, guessed: int = 0
) -> tuple[list[Line], list[Line]]:
    """Twenty questions with an answer and twenty without, with so many of each failure."""
    gold, traces = [], []
    for number in range(40):
        answerable, qid = number < 20, f"Q{number:02}"
        evidence = {"gold_claim_substr": ["the answer"], "gold_citations": ["p1#2"]}
        gold.append({"qid": qid, "answerable": answerable, **(evidence if answerable else {})})
        claim, cites = "This is the answer.", ["p1#2"]
        if answerable and number < wrong:
            claim = "This is something else."
        elif answerable and number < wrong + uncited:
            cites = ["p1#1"]
        elif (answerable and number < wrong + uncited + refused) or number >= 20 + guessed:
            claim, cites = "not in context", []
        retrieved = ["p1#1", "p1#2"]
        given = {"claim": claim, "citations": cites}
        traces.append({"qid": qid, "retrieved_ids": retrieved, "answer_json": given})
    return gold, traces


@pytest.mark.parametrize(
    ("failures", "name", "value", "status"),
    [
        ({"wrong": 4}, "precision", 0.8, "PASS"),
        ({"wrong": 5}, "precision", 0.75, "FAIL"),
        ({"uncited": 5}, "chr", 0.75, "PASS"),
        ({"uncited": 6}, "chr", 0.7, "FAIL"),
        ({"guessed": 1}, "under_refusal", 0.05, "PASS"),
        ({"guessed": 2}, "under_refusal", 0.1, "FAIL"),
        ({"refused": 2}, "over_refusal", 0.1, "PASS"),
        ({"refused": 3}, "over_refusal", 0.15, "FAIL"),
    ],
)
def test_a_value_at_its_threshold_passes(
    folder: Folder,
    ragstone: Process,
    failures: dict[str, int],
    name: str,
    value: float,
    status: str,
) -> None:
    gold, traces = answers(**failures)
    folder.write("gold.jsonl", gold)
    folder.write("trace.jsonl", traces)
    ran = ragstone("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json")
    gate = ran.json["gates"][name]
    assert (ran.json[name], gate["value"], gate["status"]) == (value, value, status)
    assert ran.json["pass"] is (ran.code == 0)
    assert ran.code == any(each["status"] == "FAIL" for each in ran.json["gates"].values())


def test_gates_kept_in_the_repository_decide(folder: Folder, ragstone: Process) -> None:
    gold, traces = answers(wrong=4)
    folder.write("eval/gold.jsonl", gold)
    folder.write("runs/trace.jsonl", traces)
    paths = '[paths]\ngold = "eval/gold.jsonl"\ntrace = ["runs/trace*.jsonl"]\n[answers.gates]\n'
    folder.write("ragstone.toml", f'{paths}precision = ">= 0.80"\nchr = 0.75\n')
    assert ragstone("gate").code == 0
    folder.write("ragstone.toml", f"{paths}precision = 0.81\n")
    assert ragstone("gate").code == 1
    assert ragstone("score", "--gates", "precision=0.8").code == 0


def test_the_best_chr_that_the_retrieved_ids_allow(folder: Folder, ragstone: Process) -> None:
    gold, traces = answers(uncited=5)
    traces[0]["retrieved_ids"] = ["p1#1"]
    folder.write("gold.jsonl", gold)
    folder.write("trace.jsonl", traces)
    files = ("--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json")
    found = ragstone("score", *files).json
    assert (found["chr"], found["chr_bound@k"], found["recall@k"]) == (0.75, 0.95, 0.95)
    # With k = 1 only p1#1 is left of what was retrieved.
    found = ragstone("score", *files, "--k", "1").json
    assert (found["chr"], found["chr_bound@k"], found["recall@k"]) == (0.75, 0.0, 0.0)


def test_the_ten_worst_are_listed_with_what_they_retrieved_and_cited(
    folder: Folder, ragstone: Process
) -> None:
    gold, traces = answers(uncited=12)
    folder.write("gold.jsonl", gold)
    folder.write("trace.jsonl", traces)
    files = ("--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json")
    found = ragstone("score", *files).json
    assert [each["qid"] for each in found["offenders"]] == [f"Q{n:02}" for n in range(10)]
    assert found["offenders_total"] == 12
    assert found["offenders"][0]["retrieved_ids"] == ["p1#1", "p1#2"]
    assert found["offenders"][0]["citations"] == ["p1#1"]
    assert len(ragstone("score", *files, "--all").json["offenders"]) == 12


# The operational suites, with the vectors of the spec


def test_percentiles_are_interpolated(folder: Folder, ragstone: Process, locked: Line) -> None:
    samples = [
        {**FULL_TRACE, "config": "a", "knobs": {"k": 5}, "rps": 1, "planned": 0, "latency_ms": ms}
        for ms in range(100, 2001, 100)
    ]
    folder.write("gold.jsonl", [locked])
    folder.write("samples.jsonl", samples)
    words = ("latency", "score", "--gold", "gold.jsonl", "--samples", "samples.jsonl", "--json")
    ran = ragstone(*words)
    percentiles = {name: ran.json[name] for name in ("p50", "p90", "p95", "p99")}
    assert percentiles == {"p50": 1050, "p90": 1810, "p95": 1905, "p99": 1981}
    assert (ran.code, ran.json["precision"], ran.json["chr"]) == (0, 1.0, 1.0)
    folder.write("samples.jsonl", [{**each, "latency_ms": 2001} for each in samples])
    assert ragstone(*words).code == 1


V, N, R, A = "VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN"


@pytest.mark.parametrize(
    ("counts", "agreement", "kappa", "code"),
    [
        (
            {(V, V): 45, (N, N): 25, (R, R): 20, (V, R): 5, (N, V): 3, (A, V): 2},
            0.90,
            pytest.approx(0.8413, abs=5e-5),
            0,
        ),
        ({(V, V): 18, (R, R): 1, (V, R): 1}, 0.95, pytest.approx(0.6429, abs=5e-5), 1),
        ({(V, V): 10}, 1.0, None, 0),
    ],
)
def test_scholar_and_auditor_agree_beyond_chance(
    folder: Folder,
    ragstone: Process,
    counts: dict[tuple[str, str], int],
    agreement: float,
    kappa: Any,
    code: int,
) -> None:
    said = [both for both, count in counts.items() for _ in range(count)]
    pairs = [
        {"qid": f"q{number:03}", "scholar": {"label": scholar}, "auditor": {"label": auditor}}
        for number, (scholar, auditor) in enumerate(said)
    ]
    folder.write("pairs.jsonl", pairs)
    ran = ragstone("agreement", "--pairs", "pairs.jsonl", "--json")
    assert (ran.json["percent_agreement"], ran.json["kappa"]) == (agreement, kappa)
    assert ran.code == code


def test_the_same_question_under_other_seeds(
    folder: Folder, ragstone: Process, locked: Line
) -> None:
    said = [
        ("X rejects null keys.", ["p1#2"]),
        ("X rejects null keys", ["p1#2", "p1#1"]),
        ("x  rejects null keys!", ["p1#2"]),
        ("The X map rejects null keys.", ["p1#2"]),
    ]
    runs = []
    for seed, (claim, citations) in enumerate(said):
        run = claiming(claim, seed=seed, jitter="none")
        run["answer_json"]["citations"] = citations
        runs.append(run)
    del locked["constraints"]
    folder.write("gold.jsonl", [locked])
    folder.write("runs.jsonl", runs)
    words = ("--gold", "gold.jsonl", "--runs", "runs.jsonl", "--json")
    ran = ragstone("stability", "score", *words)
    figures = {name: ran.json[name] for name in ("acr", "cghc", "css", "rcr")}
    assert figures == {"acr": 1, "cghc": 1, "css": 0.5, "rcr": 1}
    assert ran.json["ned50"] == pytest.approx(0.1481, abs=5e-5)
    assert (ran.code, ran.json["gates"]["css"]["status"]) == (1, "FAIL")
    assert ran.json["gates"]["ned50"]["status"] == "PASS"
