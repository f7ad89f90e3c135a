"""The rates that docs/sizing.md is worked out from: rows for each second of a core.

    python bench/sizing.py [--thin 1] [--fat 0.2] [--rounds 2]

A row is a trace and its gold item: thin ones of `bench/answers.py`, fat ones with the texts that
were retrieved (12 kB). Scores each as JSONL and as Parquet, with DuckDB and, where this Python has
Spark, on Spark of this machine, and demands the same report of all four. Prints rows per second of
processor time (Spark's start apart), bytes of a row on disk, and bytes of it that go from task to
task.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import on_spark
import pyarrow.json  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
from answers import make
from process import Cost, best, byte_code
from scale import MILLION, fattened

FORMS = ("jsonl", "parquet")
# As many as a writer of logs would put together.
_GROUP = 50_000


def as_parquet(folder: Path) -> None:
    for name in ("gold", "trace"):
        table = pyarrow.json.read_json(folder / f"{name}.jsonl")
        pyarrow.parquet.write_table(table, folder / f"{name}.parquet", row_group_size=_GROUP)


def files(folder: Path, form: str) -> dict[str, Path]:
    return {name: folder / f"{name}.{form}" for name in ("gold", "trace")}


def words_of(folder: Path, form: str) -> list[str]:
    return [word for name, path in files(folder, form).items() for word in (f"--{name}", str(path))]


def duck(folder: Path, form: str, rounds: int) -> Cost:
    command = [sys.executable, "-m", "ragstone", "score", "--no-config", "--json", "--quiet"]
    return best([*command, *words_of(folder, form), "--threads", str(on_spark.CORES)], rounds)


def printed(label: str, rows: int, cpu: float, size: int, moved: int | None) -> None:
    travels = "" if moved is None else f"{moved / rows:10,.0f}"
    print(f"{label:28} {cpu:8.2f} {rows / cpu:10,.0f} {size / rows:10,.0f} {travels}", flush=True)


def measured(label: str, folder: Path, rows: int, start: Cost | None, rounds: int) -> None:
    """Prints a line for each form and engine; all reports must be the same."""
    as_parquet(folder)
    reports = set()
    for form in FORMS:
        size = sum(path.stat().st_size for path in files(folder, form).values())
        cost = duck(folder, form, rounds)
        printed(f"{label} {form} DuckDB", rows, cost.cpu, size, None)
        reports.add(cost.output)
        if start is not None:
            found = on_spark.score(words_of(folder, form))
            reports.add(found.cost.output)
            work = found.cost.cpu - start.cpu
            printed(f"{label} {form} Spark", rows, work, size, found.moved)
    if len(reports) != 1:
        raise SystemExit(f"{label}: the reports differ")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--thin", type=float, default=1.0, help="millions of thin rows")
    parser.add_argument("--fat", type=float, default=0.2, help="millions of fat rows")
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    byte_code()
    why_not = on_spark.why_not()
    if why_not:
        print(why_not)
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as name:
        thin, fat = Path(name) / "thin", Path(name) / "fat"
        thin.mkdir()
        fat.mkdir()
        make(thin, int(max(given.thin, given.fat) * MILLION))
        start = None if why_not else on_spark.start(thin)
        if start is not None:
            print(f"Spark's start, apart: {start.cpu:.1f} s CPU, {start.seconds:.1f} s")
        print(f"{'':28} {'CPU s':>8} {'rows/s':>10} {'bytes':>10} {'moved':>10}")
        if given.fat:
            fattened(thin, fat, given.fat)
            measured("fat", fat, int(given.fat * MILLION), start, given.rounds)
        if given.thin:
            measured("thin", thin, int(given.thin * MILLION), start, given.rounds)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
