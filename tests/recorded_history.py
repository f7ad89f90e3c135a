"""Ledgers with a history, made by hand: recordings of runs that nobody had to score."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragstone.gates.gate import Threshold
from ragstone.ledger.recording import Recording, written_at
from ragstone.ledger.run_store import FILES, RunStore, files_json

WORST_FIRST = ("FAIL", "UNMEASURABLE", "PASS")
START = datetime.datetime(2026, 10, 1, 9, 30, tzinfo=datetime.UTC)


def metric(value: float | None, *, unit: str = "", wide: float = 0.05) -> dict[str, Any]:
    """A number as a recording has it, with an interval around it."""
    return {
        "value": value,
        "interval": None if value is None else [value - wide, value + wide],
        "numerator": None,
        "denominator": 40,
        "better": "higher",
        "unit": unit,
    }


def gate(value: float | None, limit: str = ">= 0.8", *, of: str = "precision") -> dict[str, Any]:
    """A gate as a recording has it, with the status that follows."""
    op, number = limit.split()
    threshold = Threshold(op, float(number))  # type: ignore[arg-type]
    status = "PASS" if value is not None and threshold.holds(value) else "FAIL"
    return {
        **{key: each for key, each in metric(value).items() if key not in ("better", "unit")},
        "metric": of,
        "op": op,
        "threshold": threshold.value,
        "status": "UNMEASURABLE" if value is None else status,
        "proven": False,
    }


def recording(
    number: int,
    gates: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
    **more: Any,
) -> Recording:
    """The recording of one day; its run is another than those of other numbers."""
    gates, metrics = gates or {}, metrics or {}
    suite = more.pop("suite", "answers")
    came_to = {each["status"] for each in gates.values()}
    given = {
        "run": hashlib.sha256(str(number).encode()).hexdigest(),
        "at": written_at(START + datetime.timedelta(days=number)),
        "suite": suite,
        "version": "1",
        "decision": next((each for each in WORST_FIRST if each in came_to), None),
        "texts": "all",
        "held": {} if suite == "gate" else {suite: {"inputs": {}, "options": {"k": 5}}},
        "commit": hashlib.sha256(f"commit {number}".encode()).hexdigest()[:40],
        "branch": "main",
        "dirty": False,
        "gates": gates,
        "metrics": metrics,
    }
    return Recording(**{**given, **more})


def precision(number: int, value: float | None, limit: str = ">= 0.8", **more: Any) -> Recording:
    """A recording of `score` with one gate."""
    return recording(
        number, {"precision": gate(value, limit)}, {"precision": metric(value)}, **more
    )


def history(*values: float | None, **more: Any) -> list[Recording]:
    return [precision(number, value, **more) for number, value in enumerate(values)]


def keep(recordings: Sequence[Recording], place: Path | str = ".ragstone") -> RunStore:
    """Records them, each with the files of a run."""
    store = RunStore(str(place))
    for each in recordings:
        page = f"<!doctype html><title>{each.run}</title>".encode()
        files: dict[str, bytes | Path] = {"report.html": page, "report.json": b"{}"}
        store.add(each, {**files, FILES: files_json(files)})
    return store
