"""`ragstone runs` and `ragstone trend` over a ledger of many runs: seconds, memory, bytes read.

    python bench/ledger.py [--runs 1000] [--rounds 3]

One run is scored and recorded; the others are the same with other numbers, an hour apart. Seconds
depend on the machine; that the bytes read are those of the recordings alone does not. Exits 1 if
any other file of a run is read.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import hashlib
import io
import multiprocessing
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from answers import make
from process import best, byte_code

from ragstone.cli.main import main as ragstone
from ragstone.ledger.recording import Recording, written_at
from ragstone.ledger.run_files import FolderFiles
from ragstone.ledger.run_store import FILES, RunStore
from ragstone.ledger.run_words import find_run

ITEMS = 50
NEW = ("--no-config", "--record")
COMMANDS = (
    ("runs",),
    ("runs", "--json"),
    ("trend",),
    ("trend", "-f", "html"),
    ("trend", "-f", "html", "--limit", "1000"),
)


def fill(runs: int) -> None:
    """Records one real run in the working folder, then the others with its files."""
    make(Path(), ITEMS)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        ragstone(["score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", *NEW])
    store = RunStore()
    first, run = store.recordings()[0], find_run("last", store)
    content: dict[str, bytes | Path] = {name: run.read(name) for name in (*run.hashes(), FILES)}
    chance = random.Random(7)
    for number in range(1, runs):
        store.add(changed(first, number, chance), content)


def changed(first: Recording, number: int, chance: random.Random) -> Recording:
    """The recording of another run, an hour after the last."""
    moved = chance.uniform(-0.1, 0.1)

    def other(entry: dict[str, Any]) -> dict[str, Any]:
        value = entry["value"]
        return entry if value is None else {**entry, "value": min(max(value + moved, 0.0), 1.0)}

    return replace(
        first,
        run=hashlib.sha256(f"run {number}".encode()).hexdigest(),
        at=written_at(first.moment + datetime.timedelta(hours=number)),
        commit=hashlib.sha256(f"commit {number}".encode()).hexdigest()[:40],
        branch="main",
        gates={name: other(each) for name, each in first.gates.items()},
        metrics={name: other(each) for name, each in first.metrics.items()},
    )


@contextlib.contextmanager
def reads() -> Iterator[dict[str, int]]:
    """Inside, the bytes that are read of each file of a ledger."""
    whole, counted = FolderFiles.read, {}

    def read(self: FolderFiles, path: str) -> bytes | None:
        data = whole(self, path)
        counted[path] = counted.get(path, 0) + len(data or b"")
        return data

    FolderFiles.read = read  # type: ignore[method-assign]
    try:
        yield counted
    finally:
        FolderFiles.read = whole  # type: ignore[method-assign]


def read_by(words: Sequence[str]) -> dict[str, int]:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with reads() as counted, contextlib.redirect_stdout(out):
        if ragstone([*words, "--no-config"]) != 0:
            raise SystemExit(f"ragstone {' '.join(words)} failed")
    return counted


def in_another_process(call: Callable[[Any], Any], given: Any) -> Any:
    """What is large here would be counted as the memory of the commands that are started."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(call, given).result()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    byte_code()
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as name, contextlib.chdir(name):
        in_another_process(fill, wanted.runs)
        files = [path for path in Path(".ragstone").rglob("*") if path.is_file()]
        whole = sum(path.stat().st_size for path in files)
        small = sum(path.stat().st_size for path in files if path.parent.name == "seen")
        print(f"{wanted.runs:,} runs of {ITEMS} questions: {whole / 1e6:,.1f} MB,")
        print(f"of which {small / 1e6:,.1f} MB are recordings")
        print(f"{'':30} {'seconds':>8} {'cpu':>8} {'peak MB':>8} {'read MB':>8} {'files':>7}")
        others: set[str] = set()
        for words in COMMANDS:
            counted = in_another_process(read_by, words)
            others |= {path for path in counted if "/seen/" not in path}
            cost = best([sys.executable, "-m", "ragstone", *words, "--no-config"], wanted.rounds)
            print(
                f"{' '.join(words):30} {cost.seconds:8.2f} {cost.cpu:8.2f} {cost.peak_mb:8.0f} "
                f"{sum(counted.values()) / 1e6:8.2f} {len(counted):7,}"
            )
    print(f"other files read: {len(others)}")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
