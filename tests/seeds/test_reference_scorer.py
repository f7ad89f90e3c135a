"""The scorer of the evaluation page, run by the page's own commands in a real shell.

The page has the scorer under ProblemMap/eval and the traces under runs; `ragstone vendor` puts our
scorer in its place. `jq` is the program where it is installed, else a line of Python.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any

import pytest
from command import Folder, Process, Ran

Line = dict[str, Any]
Shell = Callable[[str], Ran]
KEYS = [
    *("answered", "refused", "answerable", "unanswerable"),
    *("precision", "chr", "under_refusal", "over_refusal", "recall@k"),
    *("k", "gates", "pass"),
]
RUN = """\
python ProblemMap/eval/score_eval.py \
  --gold ProblemMap/eval/gold.jsonl \
  --trace runs/trace.jsonl \
  --k 5 \
  --gates precision=0.80,chr=0.75,under=0.05,over=0.10"""
CI_STEP = f"""\
{RUN} \
| tee eval/last_report.json

jq -e '.pass == true' eval/last_report.json
"""
COMMAS = "--gates precision=0.80,chr=0.75,under=0.05,over=0.10"
BLANKS = "--gates precision=0.80 chr=0.75 under_refusal=0.05 over_refusal=0.10"


@pytest.fixture
def project(folder: Folder, ragstone: Process, gold: list[Line], traces: list[Line]) -> Folder:
    """The files of the page, where it has them."""
    folder.write("ProblemMap/eval/gold.jsonl", gold)
    folder.write("runs/trace.jsonl", traces)
    (folder.work / "eval").mkdir()
    assert ragstone("vendor", "ProblemMap/eval").code == 0
    return folder


def spoil(project: Folder, traces: list[Line]) -> None:
    """One of two answers becomes wrong, and precision falls to a half."""
    wrong = {**traces[0], "answer_json": {"claim": "X accepts them.", "citations": ["p1#2"]}}
    project.write("runs/trace.jsonl", [wrong, *traces[1:]])


def test_the_command_prints_the_object_of_the_page(project: Folder, shell: Shell) -> None:
    """The page prints the gates under the names they were given by, `under` and `over`.

    The spec fixes the keys of the object, their order and the gates' values as the strings given;
    the names of the gates are the full names of their metrics, whichever spelling was used.
    """
    ran = shell(RUN)
    assert (ran.code, ran.err) == (0, "")
    assert list(ran.json) == KEYS
    assert ran.json == {
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
        "gates": {
            "precision": "0.80",
            "chr": "0.75",
            "under_refusal": "0.05",
            "over_refusal": "0.10",
        },
        "pass": True,
    }


def test_the_object_is_indented_by_two(project: Folder, shell: Shell) -> None:
    ran = shell(RUN)
    assert ran.text == json.dumps(ran.json, indent=2) + "\n"


def test_the_ci_step_passes_and_leaves_its_report(project: Folder, shell: Shell) -> None:
    ran = shell(CI_STEP)
    assert (ran.code, ran.err) == (0, "")
    report = json.loads((project.work / "eval/last_report.json").read_text(encoding="utf-8"))
    assert report["pass"] is True
    assert ran.text.splitlines()[-1] == "true"


def test_the_ci_step_fails_when_a_gate_does(
    project: Folder, shell: Shell, traces: list[Line]
) -> None:
    """`tee` hides the scorer's exit code, so it is jq that stops the build."""
    spoil(project, traces)
    ran = shell(CI_STEP)
    assert (ran.code, ran.text.splitlines()[-1]) == (1, "false")
    assert json.loads((project.work / "eval/last_report.json").read_bytes())["precision"] == 0.5


@pytest.mark.parametrize("gates", [COMMAS, BLANKS])
def test_a_report_of_ragstone_goes_through_the_same_filter(
    project: Folder, shell: Shell, traces: list[Line], gates: str
) -> None:
    step = (
        "python -m ragstone score --gold ProblemMap/eval/gold.jsonl --trace runs/trace.jsonl "
        f"--k 5 {gates} --json | tee eval/last_report.json\n"
        "jq -e '.pass == true' eval/last_report.json\n"
    )
    assert shell(step).code == 0
    spoil(project, traces)
    assert shell(step).code == 1


def test_a_failing_gate_is_exit_code_1(project: Folder, shell: Shell, traces: list[Line]) -> None:
    """The page's scorer ends with 0 whatever it found; the spec wants 1."""
    spoil(project, traces)
    ran = shell(RUN)
    assert (ran.code, ran.json["pass"]) == (1, False)


@pytest.mark.parametrize("gates", [COMMAS, BLANKS])
@pytest.mark.parametrize("scorer", ["ProblemMap/eval/score_eval.py", "-m ragstone.score_eval"])
def test_both_spellings_of_gates_are_read(
    project: Folder, shell: Shell, gates: str, scorer: str
) -> None:
    files = "--gold ProblemMap/eval/gold.jsonl --trace runs/trace.jsonl"
    assert shell(f"python {scorer} {files} {gates}").text == shell(RUN).text


@pytest.mark.parametrize(
    ("gates", "given"),
    [
        ("", ["0.80", "0.75", "0.05", "0.10"]),
        ("--gates over=0.5", ["0.80", "0.75", "0.05", "0.5"]),
        ("--gates chr=.9 precision=1", ["1", ".9", "0.05", "0.10"]),
    ],
)
def test_gates_not_named_keep_their_defaults_and_values_stay_strings(
    project: Folder, shell: Shell, gates: str, given: list[str]
) -> None:
    """The page's scorer needs all four gates on the command line; the spec merges them."""
    ran = shell(
        "python ProblemMap/eval/score_eval.py --gold ProblemMap/eval/gold.jsonl "
        f"--trace runs/trace.jsonl {gates}"
    )
    assert (ran.code, list(ran.json["gates"].values())) == (0, given)


def test_the_engine_judges_by_the_same_gates_in_both_spellings(
    project: Folder, shell: Shell
) -> None:
    files = "--gold ProblemMap/eval/gold.jsonl --trace runs/trace.jsonl --json"
    ran = [shell(f"python -m ragstone score {files} {gates}") for gates in (COMMAS, BLANKS)]
    assert ran[0].text == ran[1].text
    thresholds = {name: gate["threshold"] for name, gate in ran[0].json["gates"].items()}
    assert [thresholds[n] for n in ("precision", "chr")] == [0.8, 0.75]
    assert [thresholds[n] for n in ("under_refusal", "over_refusal")] == [0.05, 0.1]


def test_k_is_five_unless_told(project: Folder, shell: Shell) -> None:
    files = "--gold ProblemMap/eval/gold.jsonl --trace runs/trace.jsonl"
    assert shell(f"python ProblemMap/eval/score_eval.py {files}").json["k"] == 5
    ran = shell(f"python ProblemMap/eval/score_eval.py {files} --k 1")
    assert (ran.json["k"], ran.json["recall@k"]) == (1, 0.5)


def test_the_scorer_has_at_most_a_hundred_lines_and_runs_alone(
    project: Folder, shell: Shell
) -> None:
    script = project.work / "ProblemMap/eval/score_eval.py"
    assert len(script.read_text(encoding="utf-8").splitlines()) <= 100
    # -I and -S: no environment and no site-packages, so only the standard library is there.
    assert shell(RUN.replace("python ", "python -I -S ")).text == shell(RUN).text


def test_the_same_inputs_give_the_same_bytes(project: Folder, shell: Shell) -> None:
    files = "--gold ProblemMap/eval/gold.jsonl --trace runs/trace.jsonl --json"
    first = shell(f"python -m ragstone score {files} --threads 1")
    shutil.copytree(project.work, project.work / "elsewhere")
    second = shell(f"cd elsewhere && python -m ragstone score {files} --threads 2")
    assert (first.code, first.out) == (second.code, second.out)
