"""`ragstone score` on one gold set and its traces, as JSONL, Parquet, a JSON array and CSV.

    python bench/parquet.py [--items 300000] [--rounds 5]

Demands the same report of all, and prints what each took. Processor time is what to read: seconds
depend on who else uses the machine, and on how many groups of rows a Parquet file has, because each
is read by one thread.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from pathlib import Path

import pyarrow.json  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
from answers import make
from process import Cost, byte_code, run

FORMS = ("jsonl", "parquet", "json", "csv")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    byte_code()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, arguments.items)
        for part in ("gold", "trace"):
            table = pyarrow.json.read_json(folder / f"{part}.jsonl")
            pyarrow.parquet.write_table(table, folder / f"{part}.parquet")
            write_others(folder, part)
        # In turn, so that all have the same neighbours.
        costs = [{form: scored(folder, form) for form in FORMS} for _ in range(arguments.rounds)]
    if len({each[form].output for each in costs for form in FORMS}) != 1:
        raise SystemExit("the reports differ")
    print(f"{arguments.items:,} gold items and traces, the best of {arguments.rounds}")
    print(f"{'':10}{'cpu':>8}{'seconds':>9}{'MB':>7}")
    for form in FORMS:
        some = [each[form] for each in costs]
        cpu, seconds = min(cost.cpu for cost in some), min(cost.seconds for cost in some)
        print(f"{form:10}{cpu:8.2f}{seconds:9.2f}{min(cost.peak_mb for cost in some):7.0f}")


def write_others(folder: Path, part: str) -> None:
    """The lines of a file as an array, and as a table with dots for what is inside objects."""
    source = folder / f"{part}.jsonl"
    names: dict[str, None] = {}
    # Line by line: what this process holds would count as the memory of the next one.
    with source.open(encoding="utf-8") as lines, source.with_suffix(".json").open("w") as array:
        for number, line in enumerate(lines):
            array.write(("," if number else "[") + line)
            names |= dict.fromkeys(cells(json.loads(line)))
        array.write("]")
    with source.open() as lines, source.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(names))
        writer.writeheader()
        writer.writerows(cells(json.loads(line)) for line in lines)


def cells(value: dict[str, object], at: str = "") -> dict[str, str]:
    made: dict[str, str] = {}
    for key, item in value.items():
        if isinstance(item, dict):
            made |= cells(item, f"{at}{key}.")
        else:
            made[f"{at}{key}"] = item if isinstance(item, str) else json.dumps(item)
    return made


def scored(folder: Path, form: str) -> Cost:
    words = ["--gold", f"gold.{form}", "--trace", f"trace.{form}", "--json", "--quiet"]
    return run([sys.executable, "-m", "ragstone", "score", *words], folder)


if __name__ == "__main__":
    main()
