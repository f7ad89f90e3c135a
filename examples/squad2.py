"""How do real systems answer SQuAD 2.0, where half of the questions have no answer?

    python examples/squad2.py [FOLDER]

FOLDER holds the SQuAD 2.0 dev set (`dev-v2.0*.json`) and the answers of any number of systems
(`predictions.*.json`, `{id: answer}`, where "" is a refusal). Both are read as they are, with
`gold_from="squad2"` and `from_="squad2"`.

The systems were given the paragraph that a question is about, and did not say where an answer came
from. So refusal and the wording of answers are what is measured. recall@k and chr are not, and the
gate on chr is off.

An expected phrase under 5 characters can never match. The gold set keeps SQuAD's ("1979") all the
same, so containment is also taken over the questions that have a longer one.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import ragstone

DATA = Path(__file__).parents[2] / "shared" / "data" / "squad2"
MINIMUM = 5


@dataclass(frozen=True, slots=True)
class System:
    """One system's figures; `containment` leaves out questions that have only short phrases."""

    name: str
    decision: str
    precision: float
    under_refusal: float
    over_refusal: float
    containment: float
    containment_of_all: float
    failing: tuple[str, ...]


def score_system(name: str, dev: Path, predictions: Path) -> System:
    """Scores one system's predictions."""
    report = ragstone.score(
        dev, predictions, gold_from="squad2", from_="squad2", gates={"chr": "off"}
    )
    told = report.to_dict()
    return System(
        name=name,
        decision=told["decision"],
        precision=told["precision"],
        under_refusal=told["under_refusal"],
        over_refusal=told["over_refusal"],
        containment=containment(report, MINIMUM),
        containment_of_all=told["containment"],
        failing=tuple(gate for gate, judged in told["gates"].items() if judged["status"] == "FAIL"),
    )


def containment(report: ragstone.Report, longest: int) -> float:
    """Over the answers whose longest expected phrase has so many characters."""
    rows = report.rows().select(["containment", "wanted_phrases"]).to_pylist()
    values = [
        row["containment"]
        for row in rows
        if row["containment"] is not None and max(map(len, row["wanted_phrases"])) >= longest
    ]
    return sum(values) / len(values)


def score_all(folder: Path) -> list[System]:
    """Scores each system of the folder."""
    dev = next(folder.glob("dev-v2.0*.json"))
    found = {
        file.stem.removeprefix("predictions.").removeprefix("v2.0."): file
        for file in sorted(folder.glob("predictions.*.json"))
    }
    return [score_system(name, dev, file) for name, file in found.items()]


def table(systems: list[System]) -> str:
    heads = ("precision", "under_refusal", "over_refusal", "containment", "(of all)")
    width = max(len(system.name) for system in systems)
    lines = [f"{'system':<{width}}  " + "  ".join(f"{head:>13}" for head in heads) + "  decision"]
    for each in systems:
        figures = (
            each.precision,
            each.under_refusal,
            each.over_refusal,
            each.containment,
            each.containment_of_all,
        )
        numbers = "  ".join(f"{figure:>13.4f}" for figure in figures)
        because = f" ({', '.join(each.failing)})" if each.failing else ""
        lines.append(f"{each.name:<{width}}  {numbers}  {each.decision}{because}")
    lines += [
        f"containment: of the answers with an expected phrase of {MINIMUM} characters or more.",
        "(of all), and precision, count the answers that have none as wrong.",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Score real systems on SQuAD 2.0.")
    parser.add_argument("folder", type=Path, nargs="?", default=DATA, help="the data")
    wanted = parser.parse_args()
    if not list(wanted.folder.glob("dev-v2.0*.json")):
        parser.exit(2, f"{wanted.folder} holds no dev-v2.0*.json: give the folder of SQuAD 2.0\n")
    print(table(score_all(wanted.folder)))


if __name__ == "__main__":
    main()
