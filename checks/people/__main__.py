"""The table of agreement with people, for sets of judged answers.

    cd checks && ../.venv/bin/python -m people [FOLDER ...]

A folder holds `gold.jsonl` (phrases as published), `people.jsonl` (qid, system, label) and one
`SYSTEM.jsonl` of traces for each system. Nothing is fetched, and nothing of a set is kept. The gate
is asked twice: with the phrases as they are, and after `gold type --accept all`.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ragstone
from people.other_rules import OTHERS
from ragstone.measure.exact_interval import exact_interval

SHARED = Path(__file__).parents[3] / "shared" / "data" / "evouna"
USUAL = (SHARED / "nq", SHARED / "tq")
# No answer is taken for a refusal: these sets know right and wrong alone.
NO_REFUSAL = ("no answer is this token",)
HEAD = "| rule | accuracy | kappa | right rejected | wrong accepted |\n|---|---|---|---|---|"

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many answers that people call right, and wrong, a rule accepts."""

    right: int
    right_accepted: int
    wrong: int
    wrong_accepted: int

    @property
    def accuracy(self) -> float:
        agreed = self.right_accepted + self.wrong - self.wrong_accepted
        return agreed / (self.right + self.wrong)

    @property
    def kappa(self) -> float:
        total = self.right + self.wrong
        accepted = self.right_accepted + self.wrong_accepted
        chance = math.fsum(
            (accepted * self.right / total**2, (total - accepted) * self.wrong / total**2)
        )
        return (self.accuracy - chance) / (1 - chance)

    def row(self, name: str) -> str:
        rejected = share(self.right - self.right_accepted, self.right)
        accepted = share(self.wrong_accepted, self.wrong)
        return f"| {name} | {self.accuracy:.3f} | {self.kappa:.3f} | {rejected} | {accepted} |"


def share(hits: int, n: int) -> str:
    """A share with its exact interval."""
    low, high = exact_interval(hits, n)
    return f"{hits / n:.3f} ({low:.3f} to {high:.3f})"


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def systems_of(folder: Path) -> dict[str, Path]:
    named = {path.stem: path for path in sorted(folder.glob("*.jsonl"))}
    return {name: path for name, path in named.items() if name not in ("gold", "people")}


def of_rule(folder: Path, name: str) -> Counts:
    """What a rule of another tool says of the answers of a folder."""
    gold = {item["qid"]: item["gold_claim_substr"] for item in lines_of(folder / "gold.jsonl")}
    said = {
        (system, line["qid"]): line["answer_json"]["claim"]
        for system, path in systems_of(folder).items()
        for line in lines_of(path)
    }
    judged: dict[str, list[bool]] = {"correct": [], "incorrect": []}
    for line in lines_of(folder / "people.jsonl"):
        claim = said.get((line["system"], line["qid"]), "")
        if claim.strip():
            judged[line["label"]].append(OTHERS[name](claim, gold[line["qid"]]))
    right, wrong = judged.values()
    return Counts(len(right), sum(right), len(wrong), sum(wrong))


def of_gate(folder: Path, gold: Path) -> tuple[Counts, dict[str, dict[str, int]]]:
    """What the gate says of them, and of each rule how many right and wrong ones it accepts."""
    report = ragstone.people(
        gold, systems_of(folder), folder / "people.jsonl", refusal=NO_REFUSAL, missing="fail"
    )
    told = json.loads(report.to_json())
    right, wrong = told["confusion"]["right"], told["confusion"]["wrong"]
    counts = Counts(
        right["correct"] + wrong["correct"],
        right["correct"],
        right["incorrect"] + wrong["incorrect"],
        right["incorrect"],
    )
    return counts, told.get("accepted_by", {})


def typed(folder: Path, out: Path) -> Path:
    """The gold set as `gold type` writes it."""
    words = ("gold", "type", folder / "gold.jsonl", "-o", out, "--accept", "all", "--quiet")
    command = (sys.executable, "-m", "ragstone", *map(str, words), "--no-config")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return out


def tables(folder: Path) -> Iterable[str]:
    with tempfile.TemporaryDirectory() as scratch:
        gold = typed(folder, Path(scratch) / "typed.jsonl")
        counts, by_rule = of_gate(folder, gold)
    phrases, _ = of_gate(folder, folder / "gold.jsonl")
    yield f"{folder.name}: {counts.right + counts.wrong:,} answers\n"
    yield HEAD
    yield counts.row("the gate, after `gold type --accept all`")
    yield phrases.row("the gate, phrases as published")
    yield from (of_rule(folder, name).row(name) for name in OTHERS)
    yield "\n| accepted by | right | wrong |\n|---|---|---|"
    yield from (
        f"| {rule} | {n['correct']:,} | {n['incorrect']:,} |" for rule, n in by_rule.items()
    )
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description="Agreement with people, as tables.")
    parser.add_argument("folders", nargs="*", type=Path, default=[*USUAL])
    for folder in parser.parse_args().folders:
        if (folder / "people.jsonl").is_file():
            print("\n".join(tables(folder)))
        else:
            print(f"There is no people.jsonl in {folder}: nothing to compare.")


if __name__ == "__main__":
    main()
