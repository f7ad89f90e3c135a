"""A full disk in one test leaves nothing behind that another one trips over."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from full_disk import full_disk

HERE = Path(__file__).parent


def test_no_half_of_a_module_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_long_module.py").write_text(f"text = {'x' * 5000!r}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    with full_disk(100):
        import a_long_module  # type: ignore[import-not-found]

        assert len(a_long_module.text) == 5000
        with pytest.raises(OSError, match="File too large"):
            (tmp_path / "large").write_bytes(b"x" * 200)
    assert not list(tmp_path.rglob("*.pyc"))
    (tmp_path / "large").write_bytes(b"x" * 200)


def test_every_full_disk_is_this_one() -> None:
    own = {HERE / "full_disk.py", Path(__file__)}
    others = [path for path in HERE.rglob("*.py") if path not in own]
    assert not [path for path in others if "RLIMIT_FSIZE" in path.read_text(encoding="utf-8")]
