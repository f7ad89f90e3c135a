"""What the page of the watched canary shows comes from a run, and its counts add up."""

from __future__ import annotations

import re
from pathlib import Path

import canary_sample
import pytest


def test_the_page_has_the_sample_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert canary_sample.main(["--check"]) == 0
    page = canary_sample.PAGE.read_text(encoding="utf-8")
    monkeypatch.setattr(canary_sample, "PAGE", tmp_path / "watched-canary.md")
    canary_sample.PAGE.write_text(page.replace("31 dropped", "32 dropped"), encoding="utf-8")
    assert canary_sample.main(["--check"]) == 1
    assert "run scripts/canary_sample.py" in capsys.readouterr().err
    assert canary_sample.main([]) == 0
    assert canary_sample.PAGE.read_text(encoding="utf-8") == page


def test_every_question_that_the_mirror_saw_is_in_one_count() -> None:
    (line,) = re.findall(r"^mirror +(.*)$", canary_sample.sample(), re.MULTILINE)
    counts = {
        name: int(number.replace(",", ""))
        for number, name in re.findall(r"([\d,]+) ([a-z ]+)", line)
    }
    assert counts.pop("seen") == sum(counts.values()) == 7_310
