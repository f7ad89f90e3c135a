"""What a file of verdict rows holds for a later comparison, and what it says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from builders import gold, refusal, trace

import ragstone
from ragstone.suites.registry import suites
from ragstone.suites.saved_rows import EXTRA


def saved(tmp_path: Path, **options: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    items = [gold("A1", tags=["x"]), gold("A2"), gold("U1", answerable=False)]
    said = [trace("A1"), trace("A2", claim="something else"), trace("U1", claim="It is 4.")]
    ragstone.score(items, said, **options).save(str(tmp_path / "rows.parquet"))
    table = pyarrow.parquet.read_table(tmp_path / "rows.parquet")
    return table.to_pylist(), json.loads(table.schema.metadata[b"ragstone"])


def test_a_row_says_what_was_said_and_where_it_was_lost(tmp_path: Path) -> None:
    rows, about = saved(tmp_path, by=["tags"])
    assert [row["not_passed"] for row in rows] == [[], ["contained"], ["refused"]]
    assert rows[1]["claim"] == "something else"
    assert rows[0]["wanted_ids"] == rows[0]["citations"] == ["p1#2"]
    assert len({row["gold_item"] for row in rows}) == 3
    assert about["slice_fields"] == ["tags"]
    assert json.loads(rows[0]["slices"][0]) == ["x"]
    assert about["metrics"]["precision"]["kind"] == "ratio"
    assert about["settings"]["k"] == 5
    assert "baseline" not in about["settings"]


def test_private_texts_stay_out_of_the_rows(tmp_path: Path) -> None:
    rows, _ = saved(tmp_path, report_texts="none")
    assert {row["claim"] for row in rows} == {None}
    assert {row["question"] for row in rows} == {None}
    assert rows[0]["wanted_phrases"] is None
    assert rows[0]["retrieved"]


@pytest.mark.parametrize("suite", list(suites()), ids=lambda suite: suite.name)
def test_no_metric_and_no_check_takes_the_name_of_such_a_column(suite: Any) -> None:
    metrics = suite.metrics(suite.options(**suite.fullest))
    names = {*suite.checks, *(metric.name for metric in metrics)}
    assert not names & set(EXTRA)


def test_a_question_is_right_as_precision_counts_it_or_when_its_refusal_was_due(
    tmp_path: Path,
) -> None:
    items = [gold("A1"), gold("A2"), gold("A3"), gold("U1", answerable=False)]
    items += [gold("U2", answerable=False), gold("U3", answerable=False)]
    said = [trace("A1"), trace("A2", cites=[]), refusal("A3"), refusal("U1"), trace("U2")]
    ragstone.score(items, said).save(str(tmp_path / "rows.parquet"))
    rows = pyarrow.parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    assert {row["qid"]: (row["is_right"], row["not_passed"][:1]) for row in rows} == {
        "A1": (True, []),
        "A2": (False, ["cited"]),
        "A3": (False, ["shipped"]),
        "U1": (True, []),
        "U2": (False, ["refused"]),
        "U3": (False, ["claimed"]),
    }


# A log without gold has no right answer.
NEVER_RIGHT = {"audit"}


@pytest.mark.parametrize("suite", list(suites()), ids=lambda suite: suite.name)
def test_every_suite_with_gold_says_when_a_row_is_right(suite: Any) -> None:
    assert (suite.right is None) == (suite.name in NEVER_RIGHT)
