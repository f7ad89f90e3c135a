"""Runs `score_eval.main` in this process, on files written from gold items and traces."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from builders import Record, write_jsonl

from ragstone import score_eval


class Scorer:
    """The scorer with its two files: call it for a result, or `main` for code, stdout, stderr."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.gold, self.trace = folder / "gold.jsonl", folder / "trace.jsonl"
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def write(self, items: Sequence[Record], traces: Sequence[Record]) -> list[str]:
        write_jsonl(self.gold, items)
        write_jsonl(self.trace, traces)
        return ["--gold", str(self.gold), "--trace", str(self.trace)]

    def main(self, *words: str) -> tuple[int, str, str]:
        self.monkeypatch.setattr(sys, "argv", ["score_eval.py", *words])
        with pytest.raises(SystemExit) as ended:
            score_eval.main()
        printed = self.capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    def __call__(
        self, items: Sequence[Record], traces: Sequence[Record], *options: str
    ) -> dict[str, Any]:
        code, out, err = self.main(*self.write(items, traces), *options)
        result: dict[str, Any] = json.loads(out)
        assert err == ""
        assert code == (0 if result["pass"] else 1)
        return result
