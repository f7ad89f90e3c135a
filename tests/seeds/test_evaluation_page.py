"""The evaluation page: gold set, traces, the sets S, R, A and U, the metrics, the default gates.

Every figure is asked of `ragstone score` and of the one-file scorer, each as a process. These
tests hold what users were told; they are not edited when the code behind them is.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from command import Folder, Process, Ran

Line = dict[str, Any]
RATIOS = ("precision", "chr", "under_refusal", "over_refusal", "recall@k")
SIZES = ("answered", "refused", "answerable", "unanswerable")


def item(qid: str, *, answerable: bool = True, **fields: Any) -> Line:
    """A question answered by "the answer", in the chunk p1#2."""
    phrases, ids = (["the answer"], ["p1#2"]) if answerable else ([], [])
    written = {"gold_claim_substr": phrases, "gold_citations": ids}
    return {"qid": qid, "question": f"{qid}?", "answerable": answerable, **written, **fields}


def answer(qid: str, claim: str, citations: list[str], retrieved: list[str]) -> Line:
    given = {"claim": claim, "citations": citations}
    return {"qid": qid, "retrieved_ids": retrieved, "answer_json": given}


class Scoring:
    """Both scorers on the same two files; they must print the same figures."""

    def __init__(self, folder: Folder, ragstone: Process) -> None:
        self.folder, self.ragstone = folder, ragstone

    def engine(self, *words: str) -> Ran:
        return self.ragstone("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", *words)

    def one_file(self, *words: str) -> Ran:
        script = (sys.executable, "-m", "ragstone.score_eval")
        files = ("--gold", "gold.jsonl", "--trace", "trace.jsonl")
        ran = subprocess.run(
            [*script, *files, *words], capture_output=True, cwd=self.folder.work, check=False
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr.decode())

    def __call__(self, gold: list[Line], traces: list[Line], *words: str) -> dict[str, Any]:
        """The figures on which both agree, ratios to four places."""
        self.folder.write("gold.jsonl", gold)
        self.folder.write("trace.jsonl", traces)
        small = self.one_file(*words).json
        large = self.engine("--missing", "answered", "--json", *words).json
        assert {name: round(large[name], 4) for name in RATIOS} == {n: small[n] for n in RATIOS}
        assert [large[name] for name in SIZES] == [small[name] for name in SIZES]
        assert large["pass"] is small["pass"]
        return {name: small[name] for name in (*SIZES, *RATIOS, "pass")}


@pytest.fixture
def score(folder: Folder, ragstone: Process) -> Scoring:
    return Scoring(folder, ragstone)


# The worked example


def test_the_worked_example(score: Scoring, gold: list[Line], traces: list[Line]) -> None:
    assert score(gold, traces) == {
        "answered": 2,
        "refused": 1,
        "answerable": 2,
        "unanswerable": 1,
        "precision": 1.0,
        "chr": 1.0,
        "under_refusal": 0.0,
        "over_refusal": 0.0,
        "recall@k": 1.0,
        "pass": True,
    }


def test_the_worked_example_says_what_was_divided(
    score: Scoring, gold: list[Line], traces: list[Line]
) -> None:
    score(gold, traces)
    metrics = score.engine("--json").json["metrics"]
    counted = {name: (m["numerator"], m["denominator"]) for name, m in metrics.items()}
    assert counted["precision"] == (2, 2)
    assert counted["chr"] == (2, 2)
    assert counted["under_refusal"] == (0, 1)
    assert counted["over_refusal"] == (0, 2)


@pytest.mark.parametrize(("k", "recall"), [("1", 0.5), ("2", 1.0), ("3", 1.0), ("5", 1.0)])
def test_recall_depends_on_k_and_is_not_gated(
    score: Scoring, gold: list[Line], traces: list[Line], k: str, recall: float
) -> None:
    found = score(gold, traces, "--k", k)
    assert (found["recall@k"], found["pass"]) == (recall, True)


def test_the_decision_is_an_exit_code_and_a_word(
    score: Scoring, gold: list[Line], traces: list[Line]
) -> None:
    score(gold, traces)
    ran = score.engine("--json")
    assert (ran.code, ran.json["decision"], ran.json["pass"]) == (0, "PASS", True)
    assert score.one_file().code == 0
    ran = score.engine()
    assert (ran.code, "SHIP" in ran.text) == (0, True)


# The definitions, on one example of each kind

MIXED_GOLD = [
    *(item(qid) for qid in ("right", "claim", "cites", "scope", "short", "refused")),
    item("refusal", answerable=False),
    item("guess", answerable=False),
]
MIXED_GOLD[4]["gold_claim_substr"] = ["answ"]
MIXED_TRACES = [
    answer("right", "This is the answer.", ["p1#2"], ["p1#1", "p1#2"]),
    answer("claim", "This is something else.", ["p1#2"], ["p1#2"]),
    answer("cites", "This is the answer.", ["p1#1"], ["p1#1"]),
    answer("scope", "This is the answer.", ["p1#2", "p9#9"], ["p1#1", "p1#2"]),
    answer("short", "This is the answer.", ["p1#2"], ["p1#2"]),
    answer("refused", "not in context", [], ["p1#2"]),
    answer("refusal", "not in context", [], ["p1#1"]),
    answer("guess", "This is the answer.", [], []),
]


def test_each_kind_of_answer_counts_where_the_definitions_put_it(score: Scoring) -> None:
    """S is six of eight, A six, U two. Right and cited: 1. Cited: right, claim, short.

    The page's formula of CHR counts any shipped answer with a citation hit, so that a guess at
    an unanswerable question which cites nothing would be a hit; its scorer does not count it.
    The spec decides: shipped and answerable, over shipped.
    """
    assert score(MIXED_GOLD, MIXED_TRACES) == {
        "answered": 6,
        "refused": 2,
        "answerable": 6,
        "unanswerable": 2,
        "precision": 0.1667,
        "chr": 0.5,
        "under_refusal": 0.5,
        "over_refusal": 0.1667,
        "recall@k": 0.8333,
        "pass": False,
    }


def test_each_offender_is_named_with_what_it_failed(score: Scoring) -> None:
    score(MIXED_GOLD, MIXED_TRACES)
    offenders = {each["qid"]: each for each in score.engine("--json").json["offenders"]}
    assert "right" not in offenders
    assert offenders["claim"]["failed_checks"] == ["contained"]
    assert "scoped" in offenders["scope"]["failed_checks"]
    assert offenders["cites"]["citations"] == ["p1#1"]
    assert offenders["cites"]["retrieved_ids"] == ["p1#1"]


def test_any_phrase_will_do_whatever_its_case(score: Scoring) -> None:
    gold = [item("A1", gold_claim_substr=["something else", "THE ANSWER"])]
    found = score(gold, [answer("A1", "Here is The Answer.", ["p1#2"], ["p1#2"])])
    assert found["precision"] == 1.0


@pytest.mark.parametrize(("phrase", "precision"), [("keys", 0.0), ("keys.", 1.0)])
def test_a_phrase_needs_five_characters(score: Scoring, phrase: str, precision: float) -> None:
    gold = [item("A1", gold_claim_substr=[phrase])]
    found = score(gold, [answer("A1", "X rejects null keys.", ["p1#2"], ["p1#2"])])
    assert found["precision"] == precision


def test_no_phrase_is_vacuously_contained(score: Scoring) -> None:
    """The page's scorer lets a field that is absent fail; the spec reads it as an empty list."""
    gold = [item("A1", gold_claim_substr=[]), item("A2")]
    del gold[1]["gold_claim_substr"]
    traces = [answer(qid, "Anything.", ["p1#2"], ["p1#2"]) for qid in ("A1", "A2")]
    assert score(gold, traces)["precision"] == 1.0


def test_with_an_empty_list_of_gold_citations_nothing_may_be_cited(score: Scoring) -> None:
    gold = [item("A1", gold_citations=[]), item("A2", gold_citations=[])]
    traces = [
        answer("A1", "This is the answer.", [], ["p1#2"]),
        answer("A2", "This is the answer.", ["p1#2"], ["p1#2"]),
    ]
    assert score(gold, traces)["chr"] == 0.5


def test_some_gold_citation_is_a_hit_and_recall_needs_all(score: Scoring) -> None:
    gold = [item("A1", gold_citations=["p1#2", "p7#1"])]
    found = score(gold, [answer("A1", "This is the answer.", ["p1#2"], ["p1#2", "p1#3"])])
    assert (found["chr"], found["recall@k"]) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("claim", "refused"),
    [
        ("not in context", 1),
        ("  Not In Context \n", 1),
        ("Not in context.", 0),
        ("It is not in context", 0),
    ],
)
def test_a_refusal_is_the_token_and_nothing_more(score: Scoring, claim: str, refused: int) -> None:
    """The page asks for the exact token; its scorer and the spec ignore case and outer blanks."""
    found = score([item("A1", answerable=False)], [answer("A1", claim, [], [])])
    assert (found["refused"], found["under_refusal"]) == (refused, 1.0 - refused)
    near = score.engine("--json").json["near_refusals"]
    assert ["A1" in json.dumps(each) for each in near] == [True] * (1 - refused)


# Empty sets


def test_when_all_is_refused_precision_is_one_and_the_gate_of_refusals_fails(
    score: Scoring, gold: list[Line]
) -> None:
    found = score(gold, [answer(each["qid"], "not in context", [], []) for each in gold])
    assert (found["answered"], found["precision"], found["chr"]) == (0, 1.0, 1.0)
    assert (found["over_refusal"], found["pass"]) == (1.0, False)
    assert score.engine("--json").json["metrics"]["precision"]["vacuous"] is True


def test_without_unanswerable_questions_none_was_answered(
    score: Scoring, gold: list[Line], traces: list[Line]
) -> None:
    found = score([gold[0], gold[2]], [traces[0], traces[2]])
    assert (found["unanswerable"], found["under_refusal"], found["pass"]) == (0, 0.0, True)


def test_without_answerable_questions_none_was_refused_and_recall_is_zero(
    score: Scoring, gold: list[Line], traces: list[Line]
) -> None:
    found = score([gold[1]], [traces[1]])
    assert (found["answerable"], found["over_refusal"], found["recall@k"]) == (0, 0.0, 0.0)


# Traces


def test_the_last_trace_of_a_question_counts(
    score: Scoring, gold: list[Line], traces: list[Line]
) -> None:
    worse = answer("A0001", "No idea.", [], [])
    assert score(gold, [worse, *traces])["precision"] == 1.0
    assert score(gold, [*traces, worse])["precision"] == 0.5


def test_a_trace_may_call_its_question_q_id(
    score: Scoring, gold: list[Line], traces: list[Line]
) -> None:
    for line in traces:
        line["q_id"] = line.pop("qid")
    assert score(gold, traces)["pass"] is True


def test_blank_lines_are_passed_over(
    score: Scoring, folder: Folder, gold: list[Line], traces: list[Line]
) -> None:
    score(gold, traces)
    for name in ("gold.jsonl", "trace.jsonl"):
        text = (folder.work / name).read_text(encoding="utf-8")
        folder.write(name, "\n" + text.replace("\n", "\n\n"))
    assert (score.engine().code, score.one_file().code) == (0, 0)


def test_a_question_without_a_trace_counts_as_shipped_and_wrong_if_so_asked(
    score: Scoring, gold: list[Line], traces: list[Line]
) -> None:
    found = score(gold, traces[:2])
    assert (found["answered"], found["precision"], found["recall@k"]) == (2, 0.5, 0.5)


def test_a_question_without_a_trace_has_a_gate_of_its_own(
    score: Scoring, gold: list[Line], traces: list[Line]
) -> None:
    """The page's scorer takes a missing answer for a shipped one; the spec's default does not."""
    score(gold, traces[:2])
    found = score.engine("--json")
    assert (found.code, found.json["answered"], found.json["precision"]) == (1, 1, 1.0)
    assert found.json["metrics"]["missing"]["numerator"] == 1
    assert found.json["gates"]["missing"]["status"] == "FAIL"


def test_a_trace_of_the_older_shape_is_joined_by_its_question(
    score: Scoring, folder: Folder, gold: list[Line]
) -> None:
    older = [
        {
            "ts": 1723430400,
            "q": "Does X support null keys?",
            "chunks": [{"id": "p1#1", "score": 0.9}, {"id": "p1#2"}],
            "answer": "- X rejects null keys.\n- citations: [p1#2]",
        },
        {
            "ts": 1723430401,
            "q": "Explain Z.",
            "chunks": [{"id": "p1#1"}],
            "answer": "not in context",
        },
        {
            "ts": 1723430402,
            "q": "What domain is allowed?",
            "chunks": [{"id": "pB#1", "score": 0.7}],
            "answer": "- Only domain example.com is allowed.\n- citations: [pB#1]",
        },
    ]
    folder.write("gold.jsonl", gold)
    folder.write("trace.jsonl", older)
    found = score.engine("--json")
    assert found.code == 0
    assert [found.json[name] for name in SIZES] == [2, 1, 2, 1]
    assert [found.json[name] for name in RATIOS] == [1.0, 1.0, 0.0, 0.0, 1.0]
