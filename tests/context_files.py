"""Results, references and TREC files for tests, and the command as a person runs it."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragstone.cli.main import main

SHARED = Path(
    os.environ.get("RAGSTONE_SHARED", Path(__file__).parent.parent.parent / "shared")
).resolve()
DATA = SHARED / "data"


def shared(*parts: str) -> Path:
    """A file of the real data sets; the test is skipped where they are not."""
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not here")
    return path


def result(qid: Any = "q1", *doc_ids: str, **fields: Any) -> dict[str, Any]:
    return {"qid": qid, "doc_ids": list(doc_ids), **fields}


def reference(qid: Any = "q1", *document_ids: str, **fields: Any) -> dict[str, Any]:
    return {"qid": qid, "document_ids": list(document_ids), **fields}


def jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def delimited(rows: Sequence[Mapping[str, Any]], mark: str = "\t", cell: Any = repr) -> str:
    """As pandas writes it; `cell` writes a list."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=mark, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: cell(v) if isinstance(v, list) else v for k, v in row.items()})
    return out.getvalue()


def ragstone(*words: str | Path, code: int = 0, cwd: Path | None = None) -> str:
    """The command in this process; its standard output, or its standard error on exit 2."""
    raw = io.BytesIO()
    out, err = io.TextIOWrapper(raw, encoding="utf-8"), io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        if cwd is not None:
            stack.enter_context(contextlib.chdir(cwd))
        ended = main([str(word) for word in words])
    out.flush()
    printed = raw.getvalue().decode()
    assert ended == code, err.getvalue() + printed
    return err.getvalue() if code == 2 else printed


def process(*words: str | Path, code: int = 0) -> str:
    """The same in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-m", "ragstone", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code, ran.stderr + ran.stdout
    assert "Traceback" not in ran.stderr
    return ran.stdout


def object_of(*words: str | Path, code: int = 0) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(ragstone(*words, "--json", "--quiet", code=code))
    return made
