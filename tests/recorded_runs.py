"""A user who records runs: what to write, and what is in the ledger then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from command import Command

# Two suites: a gate of this has a folder for each.
TOML = """
[paths]
gold = "gold.jsonl"
trace = ["trace.jsonl"]
[answers]
[stability]
runs = ["again.jsonl"]
[stability.gates]
css = ">= 0"
"""


def score(user: Command, *words: str) -> str:
    """Records a run, and returns its digest."""
    ran = user.score("--no-config", "--json", "--quiet", "--record", *words)
    assert ran.code in (0, 1), ran.err
    return str(ran.json["digest"])


def runs(user: Command, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = user("runs", "--json", *words).json["recordings"]
    return found


def run_folder(user: Command, digest: str) -> Path:
    return user.folder.work / ".ragstone" / "runs" / digest
