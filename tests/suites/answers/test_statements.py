"""How many statements a score of few questions takes: each costs about as much as ten rows.

Three of them look for refusals in words of their own, and for questions that are asked twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import inputs
import pytest
from command import INPUTS, ragstone

from ragstone.engine.duck import Duck


def test_a_score_of_few_questions_takes_at_most_26_statements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs.answers(tmp_path, 80)
    executed: list[str] = []
    execute = Duck._execute

    def noted(duck: Duck, sql: str, parameters: Any) -> Any:
        executed.append(sql)
        return execute(duck, sql, parameters)

    monkeypatch.setattr(Duck, "_execute", noted)
    assert ragstone("score", *INPUTS, "--json", cwd=tmp_path).code == 1
    assert 10 < len(executed) <= 26, executed
