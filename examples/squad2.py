"""How do real systems answer SQuAD 2.0, where half of the questions have no answer?

    python examples/squad2.py [FOLDER] [--out DIR]

FOLDER holds the SQuAD 2.0 dev set (`dev-v2.0*.json`) and the answers of any number of systems
(`predictions.*.json`, `{id: answer}`, where "" is a refusal). --out keeps the gold set and the
traces that are made of them, to be scored by hand.

The systems were given the paragraph that a question is about, and did not say where an answer came
from. So retrieval is taken as given: a trace retrieves that one paragraph, and an answer cites it.
What is measured is refusal and the wording of answers. recall@k and chr are not measured here, and
the gate on chr is off.

An expected phrase under 5 characters can never match. The gold set keeps SQuAD's ("1979") all the
same, and marks the questions that have no longer one, so that a slice can leave them out.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import ragstone

DATA = Path(__file__).parents[2] / "shared" / "data" / "squad2"
REFUSAL = "not in context"
MINIMUM = 5

Line = dict[str, object]


class Answer(TypedDict):
    text: str


class Question(TypedDict):
    id: str
    question: str
    is_impossible: bool
    answers: list[Answer]


class Paragraph(TypedDict):
    qas: list[Question]


class Article(TypedDict):
    title: str
    paragraphs: list[Paragraph]


def gold_lines(articles: list[Article]) -> Iterator[Line]:
    """The gold set, one line a question; its evidence is its paragraph, such as `Normans#3`."""
    for article in articles:
        for number, paragraph in enumerate(article["paragraphs"], 1):
            for item in paragraph["qas"]:
                answers = list(dict.fromkeys(answer["text"] for answer in item["answers"]))
                source = f"{article['title']}#{number}"
                yield {
                    "qid": item["id"],
                    "question": item["question"],
                    "answerable": not item["is_impossible"],
                    "gold_claim_substr": answers,
                    "gold_citations": [source] if answers else [],
                    "paragraph": source,
                    "phrase": length(answers),
                }


def length(answers: list[str]) -> str | None:
    """Whether one of the expected phrases is long enough to match; a slice of the gold set."""
    if not answers:
        return None
    return "long" if any(len(text) >= MINIMUM for text in answers) else "short"


def trace_lines(gold: list[Line], predictions: Mapping[str, str]) -> Iterator[Line]:
    """One system's traces: the empty prediction is SQuAD's refusal."""
    for item in gold:
        said = predictions[str(item["qid"])]
        yield {
            "qid": item["qid"],
            "q": item["question"],
            "retrieved_ids": [item["paragraph"]],
            "answer_json": {
                "claim": said or REFUSAL,
                "citations": [item["paragraph"]] if said else [],
            },
        }


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


def score_system(name: str, gold: Path, trace: Path) -> System:
    """Scores the files of one system."""
    report = ragstone.score(gold, trace, by=["phrase"], gates={"chr": "off"})
    told = json.loads(report.to_json())
    return System(
        name=name,
        decision=told["decision"],
        precision=told["precision"],
        under_refusal=told["under_refusal"],
        over_refusal=told["over_refusal"],
        containment=told["slices"]["phrase"]["long"]["containment"]["value"],
        containment_of_all=told["containment"],
        failing=tuple(gate for gate, judged in told["gates"].items() if judged["status"] == "FAIL"),
    )


def score_all(folder: Path, out: Path) -> list[System]:
    """Turns everything in the folder into gold and traces in `out`, and scores each system."""
    dev = json.loads(next(folder.glob("dev-v2.0*.json")).read_text(encoding="utf-8"))
    gold = list(gold_lines(dev["data"]))
    written = write(out / "gold.jsonl", gold)
    systems = []
    for file in sorted(folder.glob("predictions.*.json")):
        name = file.stem.removeprefix("predictions.").removeprefix("v2.0.")
        predictions = json.loads(file.read_text(encoding="utf-8"))
        traces = write(out / f"trace.{name}.jsonl", trace_lines(gold, predictions))
        systems.append(score_system(name, written, traces))
    return systems


def write(path: Path, lines: Iterable[Line]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return path


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
    parser.add_argument("--out", type=Path, help="keep the gold set and the traces here")
    wanted = parser.parse_args()
    if not list(wanted.folder.glob("dev-v2.0*.json")):
        parser.exit(2, f"{wanted.folder} holds no dev-v2.0*.json: give the folder of SQuAD 2.0\n")
    with tempfile.TemporaryDirectory() as scratch:
        out = wanted.out or Path(scratch)
        out.mkdir(parents=True, exist_ok=True)
        print(table(score_all(wanted.folder, out)))


if __name__ == "__main__":
    main()
