"""`ragstone verify`, where the answer is not a plain yes; `test_every_run.py` has the others."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from builders import trace
from command import Command
from recorded_runs import run_folder, score

from ragstone.ledger import verify_run


def test_a_run_of_another_version_names_the_one_it_needs(user: Command) -> None:
    digest = score(user)
    (path,) = run_folder(user, digest).glob("seen/*.json")
    whole = json.loads(path.read_bytes())
    path.write_text(json.dumps({**whole, "version": "9.9.9"}), encoding="utf-8")
    ran = user("verify", "last")
    assert ran.code == 3
    assert "was recorded by ragstone 9.9.9: verify it with that version" in ran.text


def test_what_came_on_standard_input_cannot_be_made_again(user: Command) -> None:
    answers = (user.folder.work / "trace.jsonl").read_bytes()
    words = ("score", "--gold", "gold.jsonl", "--trace", "-", "--no-config", "--record")
    assert user(*words, stdin=answers).code == 0
    ran = user("verify", "last")
    assert ran.code == 3
    assert "the trace of answers did not come from files that are kept" in ran.text


def test_lines_in_another_order_come_to_the_same(user: Command) -> None:
    score(user)
    path = user.folder.work / "gold.jsonl"
    path.write_bytes(b"".join(reversed(path.read_bytes().splitlines(keepends=True))))
    ran = user("verify", "last")
    assert ran.code == 0
    assert "has changed since it was recorded, and comes to the same" in ran.text


def test_a_new_file_of_a_glob_is_named(user: Command) -> None:
    user("score", "--gold", "gold.jsonl", "--trace", "trace*.jsonl", "--no-config", "--record")
    user.folder.write("trace2.jsonl", [trace("A1", "Something else.")])
    ran = user("verify", "last")
    assert ran.code == 1
    assert "trace2.jsonl is new" in ran.text


def test_a_run_beside_a_baseline_can_be_made_again_when_its_name_was_moved(user: Command) -> None:
    score(user)
    user("runs", "accept", "last", "--name", "main")
    other = score(user, "--k", "1", "--baseline", "main")
    user("runs", "accept", other, "--name", "main", "--replace")
    assert (
        user("verify", other).text == f"{other[:8]} agrees: the same inputs give the same bytes\n"
    )


def test_the_verdicts_beside_peoples_labels_are_made_again(user: Command) -> None:
    """The one suite that has no command of its own among the kept ones."""
    labels = [{"qid": "A1", "label": "correct"}, {"qid": "A2", "label": "refusal"}]
    user.folder.write("people.jsonl", labels)
    words = ("agreement", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--no-config")
    ran = user(*words, "--labels", "people.jsonl", "--record", "--json")
    assert ran.json["suite"] == "people"
    assert user("verify", "last", "--quiet").code == 0
    assert user("render", "last", "-f", "html").code == 0
    assert user("regate", "last").code in (0, 1, 3)
    labels[1]["label"] = "incorrect"
    path = user.folder.write("people.jsonl", labels)
    ran = user("verify", "last")
    assert (ran.code, f"labels: {path} has changed" in ran.text) == (1, True)


@pytest.mark.parametrize(
    ("stored", "same"),
    [
        ("select 2 as a, 'y' as b union all select 1, 'x'", True),
        ("select 1 as a, 'x' as b", False),
        ("select 1 as a union all select 2", False),
        ("select 'x' as b, 1 as a union all select 'y', 2", False),
    ],
    ids=["in another order", "one less", "a column less", "columns in another order"],
)
def test_rows_are_the_same_with_the_same_columns_alone(
    tmp_path: Path, stored: str, same: bool
) -> None:
    now, then = tmp_path / "now.parquet", tmp_path / "then.parquet"
    for path, rows in ((now, "select 1 as a, 'x' as b union all select 2, 'y'"), (then, stored)):
        duckdb.sql(rows).write_parquet(str(path))
    assert verify_run._same_rows(now, then.read_bytes()) is same
