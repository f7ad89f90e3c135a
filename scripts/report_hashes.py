"""Prints the SHA-256 of every report that the kept commands write, in every format.

`scripts/test-all` compares what it prints on all Pythons: the same inputs give the same bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import shlex
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

from ragstone.cli.main import main
from ragstone.suites.registry import entries

KEPT = Path(__file__).parent.parent / "tests" / "kept"
# Parquet is written by the engine, which is the same on every Python.
FORMATS = ("json", "md", "html", "xml", "csv", "sarif")


def hashes(words: list[str]) -> dict[str, str]:
    """Runs one command in this folder; from each file it wrote, and its output, to their hashes."""
    files = [f"report.{name}" for name in FORMATS]
    outputs = [word for name in files for word in ("-o", name)]
    screen, said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(said):
        if main([*words, "--no-config", "--quiet", *outputs]) == 2:
            sys.exit(f"{' '.join(words)}: {said.getvalue()}")
    written = {name: Path(name).read_bytes() for name in files}
    screen.flush()
    written["terminal"] = screen.buffer.getvalue()
    return {name: hashlib.sha256(found).hexdigest() for name, found in written.items()}


def print_hashes() -> None:
    cases = tomllib.loads((KEPT / "cases.toml").read_text(encoding="utf-8"))
    judging = {entry.command for entry in entries()}
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "files"
        shutil.copytree(KEPT / "files", folder)
        with contextlib.chdir(folder):
            for case, kept in cases.items():
                words = shlex.split(kept["command"])
                if words[0] in judging and not {"calibrate", "--compact"} & set(words):
                    for name, found in hashes(words).items():
                        print(case, name, found)


if __name__ == "__main__":
    print_hashes()
