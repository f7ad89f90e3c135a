"""How well does the gate agree with people on FinanceBench?

    python examples/financebench.py [FOLDER] [--out DIR]

FOLDER holds `questions.jsonl` (id, question, answer) and `answers.jsonl` (id, system, answer,
label): answers of many systems, each labelled by people as correct, incorrect or a refusal. The
published answers become phrases of a gold set, `ragstone gold type --accept all` types them, and
the gate's verdicts are compared with the labels. --out keeps the files, to look at them by hand.

The systems said nothing of their sources, so gold has no citations, and none are asked for.
Refusals are found by the language pack `@en`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ragstone

DATA = Path(__file__).parents[2] / "shared" / "data" / "financebench"
REFUSAL = "@en"
LABELS = {
    "Correct Answer": "correct",
    "Incorrect Answer": "incorrect",
    "Refusal": "refusal",
}

SHARES = ("percent_agreement", "accepted_correct", "accepted_incorrect")
FIGURES = (*SHARES, "kappa", "refusals_found", "refusals_mistaken", "rank_correlation")

Line = dict[str, Any]


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def gold_line(question: Line) -> Line:
    """A gold item whose only phrase is the published answer."""
    return {
        "qid": question["id"],
        "question": question["question"],
        "answerable": True,
        "gold_claim_substr": [question["answer"]],
    }


def form_of(item: Line) -> str:
    """What the published answer was typed as; a slice of the gold set."""
    form = item.get("gold_answer")
    if form is None:
        return "phrase"
    if "number" in form:
        return "number"
    if {"text", "words", "name", "list"} & set(form):
        return "words"
    kinds = {
        kind for part in form.get("all", [form]) for kind in ("yesno", "number") if kind in part
    }
    if kinds == {"yesno", "number"}:
        return "yes or no, and numbers"
    return "yes or no" if kinds == {"yesno"} else "numbers of a sentence"


def typed_gold(questions: list[Line], out: Path) -> Path:
    """The gold set as `gold type` writes it, each item with the name of its form."""
    phrases = write(out / "phrases.jsonl", map(gold_line, questions))
    typed = out / "typed.jsonl"
    words = ("gold", "type", phrases, "-o", typed, "--accept", "all", "--quiet", "--no-config")
    subprocess.run([sys.executable, "-m", "ragstone", *words], check=True, stdout=subprocess.PIPE)
    return write(out / "gold.jsonl", ({**item, "form": form_of(item)} for item in lines_of(typed)))


def traces(answers: list[Line], out: Path) -> dict[str, Path]:
    """The answers of each system as a file of traces."""
    said: dict[str, list[Line]] = defaultdict(list)
    for answer in answers:
        claim = {"claim": answer["answer"]}
        said[answer["system"]].append({"qid": answer["id"], "answer_json": claim})
    return {name: write(out / f"trace.{name}.jsonl", lines) for name, lines in said.items()}


@dataclass(frozen=True, slots=True)
class Agreement:
    """The figures of one run."""

    told: Line

    def share(self, name: str, form: str = "") -> float | None:
        """A number over all answers, or over those to questions of one form; None for none."""
        part = self.told["slices"]["form"][form] if form else self.told["metrics"]
        found: float | None = part[name]["value"]
        return found

    def counts(self, name: str, form: str) -> str:
        """The same in words: how many of how many, and the share that these are."""
        part = self.told["slices"]["form"][form][name]
        return f"{part['numerator']}/{part['denominator']}  {shown(part['value'])}"

    @property
    def confusion(self) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = self.told["confusion"]
        return found


def compare(folder: Path, out: Path) -> Agreement:
    """Builds the files in `out`, and puts the gate beside people."""
    answers = lines_of(folder / "answers.jsonl")
    gold = typed_gold(lines_of(folder / "questions.jsonl"), out)
    keys = {"id": "qid", "system": "system", "label": "label"}
    said = ({new: answer[old] for old, new in keys.items()} for answer in answers)
    report = ragstone.people(
        gold,
        traces(answers, out),
        write(out / "people.jsonl", said),
        label_map=LABELS,
        refusal=(REFUSAL,),
        by=["form"],
    )
    return Agreement(json.loads(report.to_json()))


def table(found: Agreement) -> str:
    lines = [f"{'gate':10}" + "".join(f"{said:>11}" for said in LABELS.values())]
    for verdict, counts in found.confusion.items():
        lines.append(f"{verdict:10}" + "".join(f"{count:>11,}" for count in counts.values()))
    heads = ("agreement", "accepted of correct", "of incorrect")
    lines += ["", f"{'gold typed as':24}" + "".join(f"{head:>22}" for head in heads)]
    for form in found.told["slices"]["form"]:
        lines.append(f"{form:24}" + "".join(f"{found.counts(name, form):>22}" for name in SHARES))
    lines.append("")
    lines += [f"{name:20}{shown(found.share(name))}" for name in FIGURES]
    return "\n".join(lines)


def shown(share: float | None) -> str:
    return "–" if share is None else f"{share:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="The gate beside people, on FinanceBench.")
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, help="keep the files here")
    given = parser.parse_args()
    if not (given.folder / "answers.jsonl").is_file():
        print(f"There is no answers.jsonl in {given.folder}: nothing to compare.")
        return
    with tempfile.TemporaryDirectory() as scratch:
        out = given.out or Path(scratch)
        out.mkdir(parents=True, exist_ok=True)
        print(table(compare(given.folder, out)))


if __name__ == "__main__":
    main()
