"""How the cost of a row changes with the size of the input, with and without a limit of memory.

    python bench/scale.py [--millions 1 3 10 20] [--fat 1] [--memory 2GB] [--rounds 1]

Thin rows are those of `bench/answers.py`; fat ones bring the texts that were retrieved, 12 kB a
line. Every report of a size must be the same to the byte. Prints processor seconds per million
rows and peak memory; the ratios to a million thin rows without a limit are what to read.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from answers import WORDS, make
from process import Cost, best, byte_code

MILLION = 1_000_000
_FAT = 12_000


def copies(base: Path, folder: Path, number: int) -> None:
    """The files of a million questions so many times, under other qids."""
    for name in ("gold.jsonl", "trace.jsonl"):
        with (folder / name).open("wb") as out:
            for copy in range(number):
                with (base / name).open("rb") as lines:
                    while some := lines.readlines(1 << 24):
                        text = b"".join(some)
                        out.write(text.replace(b'"qid": "Q', b'"qid": "%c' % (65 + copy)))


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
    command += ["--gold", str(folder / "gold.jsonl"), "--trace", str(folder / "trace.jsonl")]
    return best([*command, *(["--memory", memory] if memory else [])], rounds)


def compared(
    label: str, folder: Path, millions: float, first: float, given: argparse.Namespace
) -> float:
    """Prints the costs of one size; returns the processor seconds of a million rows."""
    plain = scored(folder, None, given.rounds)
    limited = scored(folder, given.memory, given.rounds)
    if plain.output != limited.output:
        raise SystemExit(f"{label}: the reports differ")
    each = plain.cpu / millions
    for name, cost in (("no limit", plain), (given.memory, limited)):
        ratio = cost.cpu / millions / (first or each)
        print(
            f"{label:>16}  {name:>8}  {cost.cpu / millions:6.2f} s CPU a million ({ratio:4.2f})  "
            f"{cost.seconds:7.1f} s  {cost.peak_mb:8,.0f} MB",
            flush=True,
        )
    return each


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--millions", type=int, nargs="*", default=[1, 3, 10, 20])
    parser.add_argument("--fat", type=float, default=1.0, help="millions of fat rows")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    byte_code()
    with tempfile.TemporaryDirectory() as name:
        base = Path(name) / "base"
        base.mkdir()
        make(base, MILLION)
        first = 0.0
        for number in given.millions:
            with tempfile.TemporaryDirectory(dir=name) as some:
                copies(base, Path(some), number)
                each = compared(f"{number} million thin", Path(some), number, first, given)
                first = first or each
        if given.fat:
            with tempfile.TemporaryDirectory(dir=name) as some:
                fattened(base, Path(some), given.fat)
                compared(f"{given.fat:g} million fat", Path(some), given.fat, first, given)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
