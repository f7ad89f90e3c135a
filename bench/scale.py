"""How the cost of a row changes with the size of the input, with and without a limit of memory.

    python bench/scale.py [--millions 1 3 10 20] [--fat 1] [--memory 2GB] [--spark 1 3] [--rounds 1]

Thin rows are those of `bench/answers.py`; fat ones bring the texts that were retrieved, 12 kB a
line. Every report of a size must be the same to the byte. Prints processor seconds per million
rows and peak memory; the ratios to a million thin rows without a limit are what to read. Where this
Python has Spark, the millions of `--spark` are scored there as well: the seconds of all processes,
less those of a run of 20 lines, which are Spark's start. Sizes may be fractions.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import on_spark
from answers import WORDS, make
from process import Cost, best, byte_code

MILLION = 1_000_000
_FAT = 12_000
# Where the number of a question begins in a line.
_QID = len('{"qid": "Q')


def copies(base: Path, folder: Path, rows: int) -> None:
    """So many questions: those of the files at `base` again and again, under other qids."""
    for name in ("gold.jsonl", "trace.jsonl"):
        with (folder / name).open("wb") as out:
            for copy in range(-(-rows // MILLION)):
                most = min(MILLION, rows - copy * MILLION)
                with (base / name).open("rb") as lines:
                    for line in lines:
                        if int(line[_QID : _QID + 7]) < most:
                            out.write(line.replace(b'"qid": "Q', b'"qid": "%c' % (65 + copy), 1))


def fattened(base: Path, folder: Path, share: float) -> None:
    """A part of the million questions, whose lines bring the texts that were retrieved."""
    chance = random.Random(11)
    words = " ".join(chance.choices(WORDS, k=60_000))
    most = int(share * MILLION)
    for name in ("gold.jsonl", "trace.jsonl"):
        with (base / name).open() as lines, (folder / name).open("w") as out:
            for line in lines:
                item = json.loads(line)
                if int(item["qid"][1:]) >= most:
                    continue
                if name == "trace.jsonl":
                    item["retrieved_texts"] = list(
                        _texts(words, chance, len(item["retrieved_ids"]))
                    )
                out.write(json.dumps(item, ensure_ascii=False) + "\n")


def _texts(words: str, chance: random.Random, number: int) -> Iterator[str]:
    size = _FAT // number
    for _ in range(number):
        start = chance.randrange(len(words) - size)
        yield words[start : start + size]


def scored(folder: Path, memory: str | None, rounds: int) -> Cost:
    command = [sys.executable, "-m", "ragstone", "score", "--no-config", "--json", "--quiet"]
    return best([*command, *files(folder), *(["--memory", memory] if memory else [])], rounds)


def files(folder: Path) -> list[str]:
    return ["--gold", str(folder / "gold.jsonl"), "--trace", str(folder / "trace.jsonl")]


def compared(
    label: str, folder: Path, millions: float, first: float, given: argparse.Namespace
) -> Cost:
    """Prints the costs of one size; returns that without a limit."""
    plain = scored(folder, None, given.rounds)
    limited = scored(folder, given.memory, given.rounds)
    must_be_same(label, plain, limited)
    each = first or plain.cpu / millions
    printed(label, "no limit", plain, plain.cpu, millions, each)
    printed(label, given.memory, limited, limited.cpu, millions, each)
    return plain


def must_be_same(label: str, one: Cost, other: Cost) -> None:
    if one.output != other.output:
        raise SystemExit(f"{label}: the reports differ")


def printed(label: str, name: str, cost: Cost, cpu: float, millions: float, each: float) -> None:
    """One line: `cpu` seconds for so many millions, beside what a million costs."""
    print(
        f"{label:>16}  {name:>8}  {cpu / millions:6.2f} s CPU a million "
        f"({cpu / millions / each:4.2f})  {cost.seconds:7.1f} s  {cost.peak_mb:8,.0f} MB",
        flush=True,
    )


class BesideSpark:
    """The same sizes on Spark, with the reports of DuckDB to compare them with."""

    def __init__(self, sizes: Sequence[float], base: Path) -> None:
        why_not = on_spark.why_not() if sizes else ""
        if why_not:
            print(why_not)
        self.sizes = () if why_not else tuple(sizes)
        self._start = on_spark.start(base).cpu if self.sizes else 0.0
        self._last = (0.0, 0.0, 0.0)

    def score(self, label: str, folder: Path, millions: float, duck: Cost, first: float) -> None:
        """Prints what a size costs there, the start apart; the bytes must be those of DuckDB."""
        found = on_spark.score(files(folder)).cost
        must_be_same(label, duck, found)
        work = found.cpu - self._start
        printed(label, "Spark", found, work, millions, first)
        self._last = max(self._last, (millions, work, duck.cpu))

    def conclude(self) -> None:
        """Prints what the start costs, and where the lines cross."""
        if self._last[0]:
            print(f"Spark's start, apart: {self._start:.1f} s CPU")
            print(on_spark.crossing(self._start, *self._last))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--millions", type=float, nargs="*", default=[1, 3, 10, 20])
    parser.add_argument("--fat", type=float, default=1.0, help="millions of fat rows")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--spark", type=float, nargs="*", default=[1, 3], help="millions on Spark")
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    byte_code()
    with tempfile.TemporaryDirectory() as name:
        base = Path(name) / "base"
        base.mkdir()
        largest = max([*given.millions, given.fat], default=0)
        made = min(MILLION, int(largest * MILLION))
        make(base, made)
        beside, first = BesideSpark(given.spark, base), 0.0
        for number in given.millions:
            with tempfile.TemporaryDirectory(dir=name) as some:
                label = f"{number:g} million thin"
                copies(base, Path(some), int(number * MILLION))
                plain = compared(label, Path(some), number, first, given)
                first = first or plain.cpu / number
                if number in beside.sizes:
                    beside.score(label, Path(some), number, plain, first)
        beside.conclude()
        if given.fat:
            with tempfile.TemporaryDirectory(dir=name) as some:
                fattened(base, Path(some), given.fat)
                compared(f"{given.fat:g} million fat", Path(some), given.fat, first, given)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
