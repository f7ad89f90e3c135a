"""`ragstone score` on one gold set and its traces, as JSONL and as Parquet.

    python bench/parquet.py [--items 300000] [--rounds 5]

Demands the same report of both, and prints what each took. Processor time is what to read: seconds
depend on who else uses the machine, and on how many groups of rows a Parquet file has, because each
is read by one thread.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import pyarrow.json  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
from answers import make
from process import Cost, byte_code, run

FORMS = ("jsonl", "parquet")


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
        # In turn, so that both have the same neighbours.
        costs = [{form: scored(folder, form) for form in FORMS} for _ in range(arguments.rounds)]
    if len({each[form].output for each in costs for form in FORMS}) != 1:
        raise SystemExit("the reports differ")
    print(f"{arguments.items:,} gold items and traces, the best of {arguments.rounds}")
    print(f"{'':10}{'cpu':>8}{'seconds':>9}{'MB':>7}")
    for form in FORMS:
        some = [each[form] for each in costs]
        cpu, seconds = min(cost.cpu for cost in some), min(cost.seconds for cost in some)
        print(f"{form:10}{cpu:8.2f}{seconds:9.2f}{min(cost.peak_mb for cost in some):7.0f}")


def scored(folder: Path, form: str) -> Cost:
    words = ["--gold", f"gold.{form}", "--trace", f"trace.{form}", "--json", "--quiet"]
    return run([sys.executable, "-m", "ragstone", "score", *words], folder)


if __name__ == "__main__":
    main()
