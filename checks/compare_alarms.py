"""Does a comparison raise false alarms, does it find what it promises, and does it follow people?

    python checks/compare_alarms.py [--data FOLDER] [--runs 1000] [--plantings 500]

FOLDER has `squad2`, `liverag` and `financebench`. Three tables, and exit 1 where one does not hold:

- A/A: a coin for each question says whose answer is whose, so nothing can be better or worse. An
  alarm is any tested metric that is called so. As many as a true rate of 5 % gives are allowed.
- Planted: of two equal runs one is made worse by two points, among changes either way. It must be
  called worse as often as `ragstone power` promises, within 0.05.
- People: where the labels that people gave say that B is better (mid-p at 0.05), B must not be
  called worse: not in precision by the label "correct", not in over_refusal by "refusal".
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import os
import runpy
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import SimpleNamespace

from comparing import (
    Both,
    Pattern,
    Value,
    alarmed,
    both,
    differences,
    in_order,
    most_by_chance,
    rows_of,
    swapped,
)

from ragstone.comparison.row_sets import SavedMetric
from ragstone.engine.fold import folded
from ragstone.measure.found_regressions import ALPHA, chance_to_find
from ragstone.measure.permutation import mcnemar

PROJECT = Path(__file__).resolve().parent.parent
DROP = 0.02
ROOM = 0.05
# Questions in the metric's set, and how many of them change anyway.
PLANTED = ((1_000, 0.0), (1_000, 0.05), (2_000, 0.05), (4_000, 0.10))
SCORES = {"relevance_score": (-1.0, 2.0), "faithfulness_score": (-1.0, 1.0)}
PAIRS = 10
# The default gates, in the order of the rows below.
GATED = ("precision", "chr", "under_refusal", "over_refusal", "missing")

Row = tuple[Value, ...]


def example(name: str) -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(PROJECT / "examples" / f"{name}.py")))


def squad_rows(folder: Path, out: Path) -> dict[str, Path]:
    """The verdict rows of every system on SQuAD 2.0, each text asked once.

    16 ids repeat the text of another. A comparison averages those, and a pattern is one answer.
    """
    dev = json.loads(next(folder.glob("dev-v2.0*.json")).read_bytes())
    asked: dict[str, str] = {}
    for paragraph in (each for article in dev["data"] for each in article["paragraphs"]):
        paragraph["qas"] = [
            item
            for item in paragraph["qas"]
            if asked.setdefault(folded(item["question"]), item["id"]) == item["id"]
        ]
    gold = out / "dev.json"
    gold.write_text(json.dumps(dev), encoding="utf-8")
    found = {}
    for file in sorted(folder.glob("predictions.*.json")):
        name = file.stem.removeprefix("predictions.v2.0.")
        read = {"gold_from": "squad2", "from_": "squad2"}
        found[name] = rows_of(gold, file, out / f"{name}.parquet", **read)
    return found


def squad_pairs(rows: Mapping[str, Path]) -> Iterator[tuple[str, Both]]:
    for one, two in itertools.combinations(rows, 2):
        yield f"SQuAD: {one}, {two}", both(rows[one], rows[two])


def score_pairs(file: Path, count: int = PAIRS, seed: int = 0) -> Iterator[tuple[str, Both]]:
    """Some pairs of the configurations whose scores are known question by question."""
    scores: dict[tuple[str, ...], dict[str, tuple[float, ...]]] = defaultdict(dict)
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            values = tuple(float(row.pop(name)) for name in SCORES)
            qid = row.pop("qid")
            scores[tuple(row.values())][qid] = values
    metrics = {
        name: SavedMetric(name, "mean", name, "higher", {"bounds": list(ends)})
        for name, ends in SCORES.items()
    }
    systems = sorted(scores)
    for number, (one, two) in enumerate(
        Random(seed).sample(list(itertools.combinations(range(len(systems)), 2)), count), 1
    ):
        a, b = scores[systems[one]], scores[systems[two]]
        patterns: Counter[Pattern] = Counter(
            tuple(zip(a[qid], b[qid], strict=True)) for qid in a.keys() & b.keys()
        )
        yield f"LiveRAG: pair {number}, systems {one} and {two}", Both(metrics, in_order(patterns))


@dataclass(frozen=True, slots=True)
class Alarms:
    """How often two systems that are one are told apart."""

    name: str
    runs: int
    alarms: int

    @property
    def holds(self) -> bool:
        return self.alarms <= most_by_chance(self.runs)


def alarms_of(name: str, found: Both, runs: int, seed: int = 1) -> Alarms:
    chance = Random(seed)
    return Alarms(name, runs, sum(alarmed(swapped(found, chance)) for _ in range(runs)))


@dataclass(frozen=True, slots=True)
class Planted:
    """How often a planted regression is found, and how often it should be."""

    metric: str
    questions: int
    churn: float
    plantings: int
    promised: float
    found: float

    @property
    def holds(self) -> bool:
        return abs(self.found - self.promised) <= ROOM


def planted(system: Both, metric: str, questions: int, churn: float, plantings: int) -> Planted:
    """Samples of one system's questions, each beside itself made worse by two points."""
    chance = Random(f"{metric} {questions} {churn}")
    lost, gained = churn / 2 + DROP, churn / 2
    worse = 0
    for _ in range(plantings):
        made = Both(system.metrics, _worsened(system, metric, questions, lost, gained, chance))
        worse += differences(made)[metric].says == "worse"
    promised = chance_to_find(questions, lost, gained, ALPHA / len(system.metrics))
    return Planted(metric, questions, churn, plantings, promised, worse / plantings)


def _worsened(
    system: Both, metric: str, questions: int, lost: float, gained: float, chance: Random
) -> dict[Pattern, int]:
    """Drawn patterns in which shares `lost` and `gained` of the metric's set have changed."""
    at = [*system.metrics].index(metric)
    best = 1.0 if system.metrics[metric].better == "higher" else 0.0
    own = {tuple(a for a, _ in pattern): count for pattern, count in system.patterns.items()}
    inside = {row: count for row, count in own.items() if row[at] is not None}
    outside = {row: count for row, count in own.items() if row[at] is None}
    turns = {row: turned for row in inside if (turned := _turned(row, at, inside))}
    total = sum(inside.values())
    rates = {True: lost, False: gained}
    for good in rates:
        rates[good] *= total / sum(inside[row] for row in turns if (row[at] == best) == good)
    rows = chance.choices([*inside], [*inside.values()], k=questions)
    if outside:
        beside = round(questions * sum(outside.values()) / total)
        rows += chance.choices([*outside], [*outside.values()], k=beside)
    patterns: Counter[Pattern] = Counter()
    for row in rows:
        changes = row in turns and chance.random() < rates[row[at] == best]
        patterns[tuple(zip(row, turns[row] if changes else row, strict=True))] += 1
    return dict(patterns)


def _turned(row: Row, at: int, rows: Iterable[Row]) -> Row | None:
    """The row that the same question would have if this metric were the other way round.

    Of the rows that occur it is the nearest; a question with an answer stays one.
    """

    def apart(other: Row) -> tuple[int, list[float]]:
        differing = sum(one != two for one, two in zip(row, other, strict=True))
        return differing, [-1.0 if value is None else value for value in other]

    answerable = GATED.index("over_refusal")
    alike = [
        other
        for other in rows
        if other[at] != row[at] and (other[answerable] is None) == (row[answerable] is None)
    ]
    return min(alike, key=apart, default=None)


@dataclass(frozen=True, slots=True)
class Followed:
    """What is said of a metric where people's labels say that B is better."""

    metric: str
    pairs: int
    says: Mapping[str, int]

    @property
    def holds(self) -> bool:
        return self.pairs > 0 and not self.says.get("worse")


def followed(folder: Path, out: Path) -> list[Followed]:
    """Every pair of systems of FinanceBench beside the labels."""
    finance = example("financebench")
    answers = finance.lines_of(folder / "answers.jsonl")
    gold = finance.typed_gold(finance.lines_of(folder / "questions.jsonl"), out)
    rows = {
        name: rows_of(gold, trace, out / f"{name}.parquet", refusal=("@en",))
        for name, trace in finance.traces(answers, out).items()
    }
    label = {(each["system"], each["id"]): each["label"] for each in answers}
    qids = sorted({each["id"] for each in answers})
    found = []
    for metric, said, wanted in (
        ("precision", "Correct Answer", True),
        ("over_refusal", "Refusal", False),
    ):
        says: Counter[str] = Counter()
        for one, two in itertools.permutations(rows, 2):
            good = [[(label[name, qid] == said) == wanted for qid in qids] for name in (one, two)]
            gained = sum(b and not a for a, b in zip(*good, strict=True))
            lost = sum(a and not b for a, b in zip(*good, strict=True))
            if gained > lost and mcnemar(gained, lost) <= ALPHA:
                made = differences(both(rows[one], rows[two]))
                says[made[metric].says.partition(";")[0]] += 1
        found.append(Followed(metric, sum(says.values()), dict(sorted(says.items()))))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    beside = Path(os.environ.get("RAGSTONE_SHARED", PROJECT.parent / "shared")) / "data"
    parser.add_argument("--data", type=Path, default=beside)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--plantings", type=int, default=500)
    given = parser.parse_args()
    if not (given.data / "squad2").is_dir():
        parser.exit(2, f"{given.data} holds no squad2; --data names the folder of the data sets\n")
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as name:
        out = Path(name)
        rows = squad_rows(given.data / "squad2", out)
        pairs = [*squad_pairs(rows), *score_pairs(given.data / "liverag" / "system_scores.csv")]
        most = most_by_chance(given.runs)
        print(f"A/A, {given.runs:,} coins for each question: at most {most} alarms by chance")
        swaps = [alarms_of(label, found, given.runs) for label, found in pairs]
        for each in swaps:
            print(f"  {each.name:58} {each.alarms:5} {_mark(each.holds)}", flush=True)
        print(f"\nPlanted: {DROP} worse, {given.plantings:,} times")
        print(f"  {'metric':14} {'questions':>9} {'churn':>6} {'promised':>9} {'found':>7}")
        system = both(rows["bert_single"], rows["bert_single"])
        plants = [
            planted(system, metric, questions, churn, given.plantings)
            for metric in ("over_refusal", "precision")
            for questions, churn in PLANTED
        ]
        for plant in plants:
            figures = f"{plant.promised:9.3f} {plant.found:7.3f} {_mark(plant.holds)}"
            print(f"  {plant.metric:14} {plant.questions:9,} {plant.churn:6.2f} {figures}")
        print("\nPeople: pairs of systems of which their labels say that one is better")
        people = followed(given.data / "financebench", out)
        for follow in people:
            told = ", ".join(f"{words} {count}" for words, count in follow.says.items())
            print(f"  {follow.metric:14} {follow.pairs:5} pairs: {told} {_mark(follow.holds)}")
    held = (*(s.holds for s in swaps), *(p.holds for p in plants), *(f.holds for f in people))
    return 0 if all(held) else 1


def _mark(holds: bool) -> str:
    return "holds" if holds else "DOES NOT HOLD"


if __name__ == "__main__":
    sys.exit(main())
