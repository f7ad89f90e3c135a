"""The runner of the speed cases: every case works, and what has become slower is an alarm."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
import speed
from cases import CASES


@pytest.mark.parametrize("name", CASES)
def test_a_case_runs_on_few_items(name: str, tmp_path: Path) -> None:
    if missing := [module for module in CASES[name].needs if find_spec(module) is None]:
        pytest.skip(f"this Python has no {missing[0]}")
    results = tmp_path / "results.json"
    results.write_text("{}")
    words = [name, "--items", "20", "--rounds", "1", "--results", str(results)]
    assert speed.main(words) == 0


def test_every_case_has_a_stored_ratio() -> None:
    stored = json.loads(speed.RESULTS.read_text())
    assert set(CASES) - set(stored) <= {"spark"}


@pytest.mark.parametrize(("was", "code"), [(1e6, 0), (0.01, 1)])
def test_what_is_slower_than_it_was_is_an_alarm(
    was: float, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"few": {"cpu": was, "memory": 1e6}}))
    words = ["few", "--items", "20", "--rounds", "1", "--results", str(results)]
    assert speed.main(words) == code
    assert ("ALARM: cpu is " in capsys.readouterr().out) is bool(code)


def test_a_case_that_is_not_there_is_a_wrong_command_line() -> None:
    with pytest.raises(SystemExit) as ended:
        speed.main(["fastest"])
    assert ended.value.code == 2
