"""The stdlib-only scorer: what it promises to the teams that copy it into their repositories."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from builders import WORKED_GOLD, WORKED_TRACE, Record, gold, refusal, trace
from command import Scorer

from ragstone import score_eval

pytestmark = pytest.mark.python

SCRIPT = Path(score_eval.__file__)
KEYS = [
    *("answered", "refused", "answerable", "unanswerable"),
    *("precision", "chr", "under_refusal", "over_refusal", "recall@k"),
    *("k", "gates", "pass"),
]
DEFAULTS = {"precision": "0.80", "chr": "0.75", "under_refusal": "0.05", "over_refusal": "0.10"}


@cache
def oldest_python() -> str:
    """The oldest interpreter from 3.9 on that starts here, or else the one that runs the tests."""
    for minor in range(9, sys.version_info.minor):
        found = shutil.which(f"python3.{minor}")
        # A version manager's shim is found but may not start.
        if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
            return found
    return sys.executable


# What it is made of


def test_it_has_at_most_a_hundred_lines() -> None:
    assert len(SCRIPT.read_text(encoding="utf-8").splitlines()) <= 100


def test_it_imports_nothing_outside_the_standard_library() -> None:
    imported: set[str] = set()
    for node in ast.walk(ast.parse(SCRIPT.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(str(node.module).partition(".")[0])
    assert imported <= sys.stdlib_module_names


def test_its_syntax_is_that_of_python_3_9() -> None:
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 9))


# As a process


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, encoding="utf-8")


def test_a_copy_runs_alone_under_the_oldest_python(scorer: Scorer, tmp_path: Path) -> None:
    files = scorer.write(WORKED_GOLD, WORKED_TRACE)
    copy = shutil.copy(SCRIPT, tmp_path / "vendored.py")
    # -I and -S: no site-packages, no environment, so nothing but the standard library is there.
    ended = run(oldest_python(), "-I", "-S", copy, *files)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["pass"] is True


def test_it_runs_as_a_module_of_the_package(scorer: Scorer) -> None:
    files = scorer.write(WORKED_GOLD, [refusal(item["qid"]) for item in WORKED_GOLD])
    ended = run(sys.executable, "-m", "ragstone.score_eval", *files)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert json.loads(ended.stdout)["over_refusal"] == 1.0


def test_a_bad_input_ends_the_process_with_two_and_no_traceback(tmp_path: Path) -> None:
    ended = run(sys.executable, SCRIPT, "--gold", tmp_path / "no.jsonl", "--trace", tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"{tmp_path / 'no.jsonl'}:0: ")
    assert len(ended.stderr.splitlines()) == 1


# The worked example


def test_the_worked_example_passes_with_exactly_the_keys_of_the_spec(scorer: Scorer) -> None:
    result = scorer(WORKED_GOLD, WORKED_TRACE)
    assert list(result) == KEYS
    assert list(result["gates"]) == list(DEFAULTS)
    assert result == {
        "answered": 2,
        "refused": 1,
        "answerable": 2,
        "unanswerable": 1,
        "precision": 1.0,
        "chr": 1.0,
        "under_refusal": 0.0,
        "over_refusal": 0.0,
        "recall@k": 1.0,
        "k": 5,
        "gates": DEFAULTS,
        "pass": True,
    }


def test_the_worked_example_recalls_half_in_the_first_one(scorer: Scorer) -> None:
    result = scorer(WORKED_GOLD, WORKED_TRACE, "--k", "1")
    assert (result["recall@k"], result["k"], result["pass"]) == (0.5, 1, True)


def test_refusing_everything_is_precise_and_fails(scorer: Scorer) -> None:
    result = scorer(WORKED_GOLD, [refusal(item["qid"]) for item in WORKED_GOLD])
    assert (result["answered"], result["precision"], result["chr"]) == (0, 1.0, 1.0)
    assert (result["over_refusal"], result["pass"]) == (1.0, False)


def test_the_worked_example_echoes_no_constraint(scorer: Scorer) -> None:
    result = scorer(WORKED_GOLD, WORKED_TRACE, "--scu_enforced")
    assert (result["precision"], result["chr"], result["pass"]) == (0.5, 1.0, False)


# Gates


@pytest.mark.parametrize(
    "words",
    [
        ["--gates", "precision=0.9,chr=.7,under=0.01,over=1e-1"],
        ["--gates", "precision=0.9", "chr=.7", "under_refusal=0.01", "over_refusal=1e-1"],
        ["--gates", "over=1e-1", "under_refusal=0.01,chr=.7", "precision=0.9"],
        ["--gates", "precision=0.9, chr=.7,", " under=0.01 over=1e-1 "],
        ["--gates", "precision=0.9", "--gates", "chr=.7,under=0.01", "over=1e-1"],
        ["--gates", "precision=0.1,precision=0.9", "chr=.7,under=0.01,over=1e-1"],
    ],
)
def test_gates_are_read_in_every_spelling_and_printed_as_given(
    scorer: Scorer, words: list[str]
) -> None:
    gates = scorer(WORKED_GOLD, WORKED_TRACE, *words)["gates"]
    given = {"precision": "0.9", "chr": ".7", "under_refusal": "0.01", "over_refusal": "1e-1"}
    assert list(gates.items()) == list(given.items())


def test_gates_that_are_not_named_keep_their_defaults(scorer: Scorer) -> None:
    gates = scorer(WORKED_GOLD, WORKED_TRACE, "--gates", "over=0.5")["gates"]
    assert gates == {**DEFAULTS, "over_refusal": "0.5"}


@pytest.mark.parametrize(
    "word",
    [
        *("precison=0.8", "recall=0.8", "refusal=0.1", "Precision=0.8", "=0.8", "0.8"),
        *("precision", "precision=", "precision=high", "precision=nan", "chr=inf", "over=-inf"),
        *("precision=0.8=0.9", "precision=>=0.8", "precision=80%", "chr=1_0"),
    ],
)
def test_a_gate_that_cannot_be_is_one_sentence_and_exit_2(scorer: Scorer, word: str) -> None:
    files = scorer.write(WORKED_GOLD, WORKED_TRACE)
    code, out, err = scorer.main(*files, "--gates", "chr=0.5", word)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"--gates: {word!r}")


def test_k_is_at_least_one(scorer: Scorer) -> None:
    code, out, err = scorer.main(*scorer.write(WORKED_GOLD, WORKED_TRACE), "--k", "0")
    assert (code, out, err) == (2, "", "--k: expected at least 1, found 0\n")


def three_of(right: int) -> tuple[list[Record], list[Record]]:
    """Three shipped answers, the first few of them right."""
    qids = ["A1", "A2", "A3"]
    wrong = ["X accepts them." for _ in qids[right:]]
    claims = ["X rejects null keys."] * right + wrong
    answers = [trace(qid, claim) for qid, claim in zip(qids, claims, strict=True)]
    return [gold(qid) for qid in qids], answers


@pytest.mark.parametrize(
    ("threshold", "passes"),
    [
        ("0.6666", True),
        ("0.6667", False),  # what is printed would pass; what was measured does not
        ("0.666666666", True),
        ("0.66666666700", True),  # within 1e-9
        ("0.66666668", False),
    ],
)
def test_gates_are_inclusive_and_compared_before_rounding(
    scorer: Scorer, threshold: str, passes: bool
) -> None:
    result = scorer(*three_of(2), "--gates", f"precision={threshold}")
    assert (result["precision"], result["pass"]) == (0.6667, passes)


@pytest.mark.parametrize(("threshold", "passes"), [("0.3333", False), ("0.34", True), ("1", True)])
def test_a_refusal_rate_must_not_lie_above_its_gate(
    scorer: Scorer, threshold: str, passes: bool
) -> None:
    items, answers = three_of(3)
    result = scorer(items, [*answers[:2], refusal("A3")], "--gates", f"over={threshold}")
    assert (result["over_refusal"], result["pass"]) == (0.3333, passes)


# Files


def test_a_byte_order_mark_and_blank_lines_are_tolerated(scorer: Scorer) -> None:
    files = scorer.write([gold()], [trace()])
    for path in (scorer.gold, scorer.trace):
        line = path.read_text(encoding="utf-8").strip()
        path.write_text(f"\ufeff\r\n{line}\r\n \t\n\n", encoding="utf-8", newline="")
    code, out, _ = scorer.main(*files)
    assert (code, json.loads(out)["precision"]) == (0, 1.0)


def test_line_separators_inside_a_string_do_not_end_a_line(scorer: Scorer) -> None:
    claim = "X rejects\u2028null\u0085keys."
    result = scorer([gold(gold_claim_substr=[claim])], [trace(claim=claim)])
    assert result["precision"] == 1.0


def test_an_empty_trace_file_is_valid(scorer: Scorer) -> None:
    result = scorer([gold()], [])
    assert (result["answered"], result["precision"], result["recall@k"]) == (1, 0.0, 0.0)


ITEM = b'{"qid": "A1", "answerable": true}\n'
BAD_GOLD = {
    "not JSON": (ITEM + b"{oops}\n", 2),
    "cut short": (ITEM + b'{"qid": "A2", "answ', 2),
    "two values": (b"\n" + ITEM.strip() + b" {}\n", 2),
    "a list": (b"[]\n", 1),
    "a string": (b'"A1"\n', 1),
    "null": (b"null\n", 1),
    "not UTF-8": (ITEM + b'{"qid": "\xff", "answerable": true}\n', 2),
    "nested too deep": (ITEM + b"[" * 100_000 + b"\n", 2),
    "no qid": (b'{"answerable": true}\n', 1),
    "null qid": (b'{"qid": null, "answerable": true}\n', 1),
    "empty qid": (b'{"qid": "", "answerable": true}\n', 1),
    "a qid that is a list": (b'{"qid": ["A1"], "answerable": true}\n', 1),
    "the trace's name for qid": (b'{"q_id": "A1", "answerable": true}\n', 1),
    "no answerable": (b'{"qid": "A1"}\n', 1),
    "null answerable": (b'{"qid": "A1", "answerable": null}\n', 1),
    "answerable in words": (b'{"qid": "A1", "answerable": "yes"}\n', 1),
    "answerable as a number": (b'{"qid": "A1", "answerable": 1}\n', 1),
    "a qid twice": (ITEM + b"\n" + ITEM, 3),
}
BAD_TRACE = {
    "not JSON": (b"\xef\xbb\xbf\n\nnope\n", 3),
    "a number": (b"1\n", 1),
    "a qid that is an object": (b'{"qid": {}}\n{"qid": {"a": 1}}\n', 2),
}


@pytest.mark.parametrize(("content", "line"), BAD_GOLD.values(), ids=BAD_GOLD)
def test_a_bad_gold_line_is_named(scorer: Scorer, content: bytes, line: int) -> None:
    files = scorer.write([], [trace()])
    scorer.gold.write_bytes(content)
    code, out, err = scorer.main(*files)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"{scorer.gold}:{line}: ")


@pytest.mark.parametrize(("content", "line"), BAD_TRACE.values(), ids=BAD_TRACE)
def test_a_bad_trace_line_is_named(scorer: Scorer, content: bytes, line: int) -> None:
    files = scorer.write([gold()], [])
    scorer.trace.write_bytes(content)
    code, out, err = scorer.main(*files)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"{scorer.trace}:{line}: ")


def test_a_gold_file_without_an_item_is_an_error(scorer: Scorer) -> None:
    code, out, err = scorer.main(*scorer.write([], []))
    assert (code, out) == (2, "")
    assert err.startswith(f"{scorer.gold}:0: ")
    assert "at least one gold item" in err


@pytest.mark.parametrize("missing", ["gold", "trace"])
def test_a_file_that_is_not_there_is_named(scorer: Scorer, missing: str) -> None:
    files = scorer.write([gold()], [trace()])
    path: Path = getattr(scorer, missing)
    path.unlink()
    code, out, err = scorer.main(*files)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"{path}:0: ")


@pytest.mark.parametrize(
    ("item", "line"),
    [
        (gold(), trace(claim=7)),  # type: ignore[arg-type]
        (gold(), {"qid": "A1", "answer_json": "X rejects null keys."}),
        (gold(), {"qid": "A1", "retrieved_ids": 3}),
        (gold(gold_claim_substr=[12345]), trace()),
        (gold(gold_citations=[["p1#2"]]), trace()),
    ],
)
def test_a_field_of_the_wrong_type_is_an_error_without_a_traceback(
    scorer: Scorer, item: Record, line: Record
) -> None:
    code, out, err = scorer.main(*scorer.write([item], [line]))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "a field has the wrong type" in err
