"""What scoring costs on Spark of this machine: of all processes, with the start of Spark apart."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from os import environ
from pathlib import Path

from process import Cost, run

CORES = 2


def why_not() -> str:
    """Why nothing can be measured on Spark here, as a sentence; "" where it can."""
    if find_spec("pyspark") is None:
        return "Spark is not measured: this Python has no pyspark (make .venv-spark/.installed)."
    if not (shutil.which("java") or environ.get("JAVA_HOME")):
        return "Spark is not measured: there is no Java (scripts/spark-deps)."
    return ""


@dataclass(frozen=True, slots=True)
class OnSpark:
    """One run: what it cost in all, and the bytes that went from task to task."""

    cost: Cost
    moved: int


def score(words: Sequence[str]) -> OnSpark:
    """Scores on `local[2]`; Spark's own log says how much was moved."""
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as log:
        settings = [f"spark.eventLog.dir=file://{log}", "spark.eventLog.enabled=true"]
        settings += ["spark.eventLog.compress=false"]
        command = [sys.executable, "-m", "ragstone", "score", "--no-config", "--json", "--quiet"]
        command += [*words, "--engine", "spark", "--master", f"local[{CORES}]"]
        cost = run([*command, "--spark-conf", *settings], family=True)
        return OnSpark(cost, _moved(Path(log)))


def _moved(log: Path) -> int:
    """The bytes that all tasks wrote for others to read."""
    total = 0
    # Beside each file of events lies a hidden one with its checksum.
    for path in log.rglob("[!.]*"):
        for line in path.read_text().splitlines() if path.is_file() else ():
            event = json.loads(line)
            written = (event.get("Task Metrics") or {}).get("Shuffle Write Metrics") or {}
            total += int(written.get("Shuffle Bytes Written", 0))
    return total


def start(folder: Path, rounds: int = 2) -> Cost:
    """What a run of next to no lines costs: the start of Spark, and the end of it."""
    few = {name: folder / f"few_{name}.jsonl" for name in ("gold", "trace")}
    for name, path in few.items():
        with (folder / f"{name}.jsonl").open() as lines:
            path.write_text("".join(line for line, _ in zip(lines, range(20), strict=False)))
    words = [word for name in few for word in (f"--{name}", str(few[name]))]
    return min((score(words).cost for _ in range(rounds)), key=lambda cost: cost.cpu)


def crossing(start_cpu: float, millions: float, spark: float, duck: float) -> str:
    """From how many million rows on Spark is the cheaper one, from what so many cost in each.

    >>> crossing(18, 3, 46.5, 22.5)
    'Spark costs more at any size on one machine: 2.1 times as much a row, beside a start of 18 s'
    >>> crossing(18, 3, 18.5, 22.5)
    'Spark costs less from 14 million rows on'
    >>> crossing(18, 0.1, 2, 0.8)
    'where the lines cross cannot be told from 0.1 million rows: they cost less than the start'
    """
    if spark < start_cpu / 2:
        few = f"{millions:g} million rows"
        return f"where the lines cross cannot be told from {few}: they cost less than the start"
    if spark >= duck:
        times = f"{spark / duck:.1f} times as much a row, beside a start of {start_cpu:.0f} s"
        return f"Spark costs more at any size on one machine: {times}"
    return f"Spark costs less from {start_cpu * millions / (duck - spark):.0f} million rows on"
