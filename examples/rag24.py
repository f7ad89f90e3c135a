"""What do the answers of TREC RAG 2024 cite, and is it evidence?

    python examples/rag24.py [FOLDER] [--out DIR]

FOLDER holds `retrieval.jsonl` (what was retrieved for each topic), `responses.jsonl` (answers with
citations such as `[0, 10]` in their text) and `qrels.txt` (the judgments of TREC, graded 0 to 3).
--out keeps the gold set and the traces that are made of them, to be scored by hand.

Nothing is parsed here. The grades go into `gold_citations` as they are, and the markers stay in the
claims: `--cite-pattern` reads them, as positions in `retrieved_ids` that count from 0.
There are no expected phrases, so nothing is said of wording. Each style of answer is scored twice:
as it is, and as if it cited all that was retrieved.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ragstone

DATA = Path(__file__).parents[2] / "shared" / "data" / "rag24"
PATTERN = r"\[(\d+(?:,\s*\d+)*)\]"
FIGURES = ("citation_precision", "citation_recall", "citation_f1", "unscoped", "recall_frac@k")

Line = dict[str, Any]


def read(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def grades(path: Path) -> dict[str, dict[str, int]]:
    """From topic to document to grade."""
    found: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        found.setdefault(topic, {})[document] = int(grade)
    return found


def gold_lines(retrieval: list[Line], judged: dict[str, dict[str, int]]) -> Iterator[Line]:
    for topic in retrieval:
        yield {
            "qid": topic["topic"],
            "question": topic["query"],
            "answerable": True,
            "gold_citations": judged.get(topic["topic"]),
        }


def trace_lines(retrieval: list[Line], responses: list[Line], everything: bool) -> Iterator[Line]:
    """The answers as they are, or as if each cited all that was retrieved."""
    retrieved = {topic["topic"]: topic["references_ids"] for topic in retrieval}
    for response in responses:
        ids = retrieved[response["topic"]]
        yield {
            "qid": response["topic"],
            "retrieved_ids": ids,
            "answer_json": {"claim": response["text"], "citations": ids if everything else []},
        }


@dataclass(frozen=True, slots=True)
class Scored:
    """The figures of one style of answers."""

    name: str
    figures: dict[str, float]


def score_all(folder: Path, out: Path) -> list[Scored]:
    """Turns everything in the folder into gold and traces in `out`, and scores each style."""
    retrieval, responses = read(folder / "retrieval.jsonl"), read(folder / "responses.jsonl")
    gold = write(out / "gold.jsonl", gold_lines(retrieval, grades(folder / "qrels.txt")))
    scored = []
    for style in sorted({response["style"] for response in responses}):
        some = [response for response in responses if response["style"] == style]
        for everything in (False, True):
            name = f"{style} citing everything" if everything else style
            lines = trace_lines(retrieval, some, everything)
            trace = write(out / f"trace.{name.replace(' ', '_')}.jsonl", lines)
            report = ragstone.score(gold, trace, cite_pattern=PATTERN, cite_base=0, k=20)
            told = json.loads(report.to_json())
            scored.append(Scored(name, {figure: told[figure] for figure in FIGURES}))
    return scored


def write(path: Path, lines: Iterable[Line]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return path


def table(scored: list[Scored]) -> str:
    width = max(len(each.name) for each in scored)
    lines = [f"{'answers':<{width}}  " + "  ".join(f"{figure:>18}" for figure in FIGURES)]
    for each in scored:
        numbers = "  ".join(f"{each.figures[figure]:>18.4f}" for figure in FIGURES)
        lines.append(f"{each.name:<{width}}  {numbers}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Score the citations of TREC RAG 2024.")
    parser.add_argument("folder", type=Path, nargs="?", default=DATA, help="the data")
    parser.add_argument("--out", type=Path, help="keep the gold set and the traces here")
    wanted = parser.parse_args()
    if not (wanted.folder / "responses.jsonl").is_file():
        parser.exit(2, f"{wanted.folder} holds no responses.jsonl: give the folder of the data\n")
    with tempfile.TemporaryDirectory() as scratch:
        out = wanted.out or Path(scratch)
        out.mkdir(parents=True, exist_ok=True)
        print(table(score_all(wanted.folder, out)))


if __name__ == "__main__":
    main()
