"""Runs of `ragstone canary --live-dir` over the folder `live`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from command import Ran, ragstone

MANY = 300


def judged(folder: Path, *words: str, gold: str = "gold.jsonl") -> dict[str, Any]:
    """The canary of the folder `live`, as JSON."""
    given = ("--gold", gold) if gold else ()
    return ran(folder, "--json", *given, *words).json


def ran(folder: Path, *words: str) -> Ran:
    found = ragstone("canary", "--live-dir", "live", *words, cwd=folder)
    assert found.code in (0, 1, 3), found.err
    return found


def conditions(found: dict[str, Any]) -> dict[str, Any]:
    return {each["name"]: each for each in found["canary"]["conditions"]}
