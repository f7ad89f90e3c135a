"""`ragstone.score`: any kind of input, one report object, and errors that say what to change."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from builders import WORKED_GOLD, WORKED_TRACE, gold, refusal, trace, write_jsonl

import ragstone

Table = Callable[[list[dict[str, Any]]], Any]

TABLES: dict[str, Table] = {
    "list": list,
    "generator": iter,
    "tuple": tuple,
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "pyarrow": pyarrow.Table.from_pylist,
}


def scored(**options: Any) -> ragstone.Report:
    return ragstone.score(list(WORKED_GOLD), list(WORKED_TRACE), **options)


@pytest.fixture(scope="module")
def failing() -> ragstone.Report:
    """Twelve questions: four wrong answers, one refusal too many."""
    items = [gold(f"A{n:02}") for n in range(12)]
    traces = [trace(f"A{n:02}", "no" if n < 4 else "X rejects null keys.") for n in range(12)]
    return ragstone.score(items, [*traces[:-1], refusal("A11")])


@pytest.mark.parametrize("kind", TABLES)
def test_rows_in_memory_of_any_kind_give_the_same_report(kind: str) -> None:
    table = TABLES[kind]
    found = ragstone.score(table(list(WORKED_GOLD)), table(list(WORKED_TRACE)))
    assert found.to_json() == scored().to_json()


@pytest.mark.parametrize("kind", ["str", "Path", "glob", "list of paths"])
def test_paths_of_any_kind_give_the_same_report(kind: str, tmp_path: Path) -> None:
    items = write_jsonl(tmp_path / "gold.jsonl", WORKED_GOLD)
    traces = write_jsonl(tmp_path / "trace.jsonl", WORKED_TRACE)
    given: Any = {
        "str": str(traces),
        "Path": traces,
        "glob": str(tmp_path / "tr*.jsonl"),
        "list of paths": [traces, str(traces)],
    }[kind]
    assert ragstone.score(items, given).to_json() == scored().to_json()


def test_an_absent_cell_of_a_data_frame_is_an_absent_field() -> None:
    rows = [
        {"qid": "A1", "question": "Why?", "answerable": True, "level": 1.5, "constraints": ["c"]},
        {"qid": "A2", "answerable": False, "level": float("nan")},
    ]
    traces = [trace("A1", latency_ms=3.5), refusal("A2")]
    found = ragstone.score(pandas.DataFrame(rows), pandas.DataFrame(traces), by=["level"])
    assert list(found.data["slices"]["level"]) == ["(none)", "1.5"]  # type: ignore[call-overload,index,arg-type]


def test_pandas_says_absent_in_many_ways() -> None:
    rows = pandas.DataFrame([gold("A1", level=1), gold("A2", level=None)]).convert_dtypes()
    traces = [{**trace("A1"), "ts": pandas.Timestamp("2024-01-01")}, {**trace("A2"), "ts": None}]
    assert ragstone.score(rows, pandas.DataFrame(traces)).passed


def test_a_tag_that_stands_twice_counts_once() -> None:
    found: Any = ragstone.score([gold("A1", tags=["a", "a"])], [trace("A1")], by="tags").data
    assert found["slices"]["tags"]["a"]["missing"]["denominator"] == 1


def test_a_single_token_or_field_needs_no_list() -> None:
    items = [gold("A1", answerable=False, tags=["a"])]
    found = ragstone.score(items, [trace("A1", "Pass")], refusal="pass", by="tags")
    assert found.figures["refused"] == 1


def test_a_metric_has_its_number_and_what_it_was_computed_over(failing: ragstone.Report) -> None:
    precision = failing["precision"]
    assert (precision.numerator, precision.denominator) == (7, 11)
    assert precision.value == 7 / 11
    low, high = precision.interval or (0, 0)
    assert low < 7 / 11 < high
    assert not precision.vacuous and precision.says.startswith("Of what was shipped")
    assert failing["over"].name == "over_refusal"
    assert failing["under"].vacuous


def test_a_metric_gives_all_its_offenders(failing: ragstone.Report) -> None:
    assert [row.qid for row in failing["precision"].offenders()] == ["A00", "A01", "A02", "A03"]
    assert [row.qid for row in failing["over_refusal"].offenders()] == ["A11"]
    assert failing["chr"].offenders() == ()
    row = failing["precision"].offenders()[0]
    assert (row.claim, row.gold_claim_substr) == ("no", ("rejects null keys",))
    assert "contained" in row.failed_checks
    many = ragstone.score([gold(f"A{n}") for n in range(30)], [])
    assert len(many["missing"].offenders()) == 30


def test_an_unknown_metric_is_a_key_error_with_a_suggestion(failing: ragstone.Report) -> None:
    with pytest.raises(KeyError, match="did you mean 'precision'"):
        failing["precison"]


def test_the_report_says_what_was_decided(failing: ragstone.Report) -> None:
    assert (scored().passed, scored().exit_code, str(scored().decision)) == (True, 0, "PASS")
    assert (failing.passed, failing.exit_code, str(failing.decision)) == (False, 1, "FAIL")
    strict = ragstone.score([gold("A1")], [trace("A1")], strict=True)
    assert (strict.passed, strict.exit_code, str(strict.decision)) == (False, 3, "UNMEASURABLE")
    assert {gate.name: str(gate.status) for gate in failing.gates}["precision"] == "FAIL"


def test_the_report_renders_itself(failing: ragstone.Report, tmp_path: Path) -> None:
    assert json.loads(failing.to_json())["precision"] == 7 / 11
    assert failing.to_html().lower().startswith("<!doctype html>")
    assert "A00" in failing.to_markdown()
    assert failing.to_junit().startswith("<?xml")
    assert json.loads(failing.to_sarif())["version"] == "2.1.0"
    assert str(failing).startswith("DO NOT SHIP")
    failing.save(str(tmp_path / "r.md"))
    assert (tmp_path / "r.md").read_text() == failing.to_markdown()
    with pytest.raises(ragstone.ConfigError, match="no format is called 'pdf'"):
        failing.render("pdf")


def test_a_notebook_shows_the_page(failing: ragstone.Report) -> None:
    shown = failing._repr_html_()
    assert "DO NOT SHIP" in shown or "Do not ship" in shown
    assert "<script" not in shown.lower()


def test_the_command_gives_the_same_bytes(tmp_path: Path) -> None:
    items = write_jsonl(tmp_path / "gold.jsonl", WORKED_GOLD)
    traces = write_jsonl(tmp_path / "trace.jsonl", WORKED_TRACE)
    ran = subprocess.run(
        [sys.executable, "-m", "ragstone", "score", "--gold", items, "--trace", traces, "--json"],
        capture_output=True,
        check=True,
        cwd=tmp_path,
    )
    assert ran.stdout.decode() == ragstone.score(items, traces).to_json()


def test_options_are_those_of_the_command() -> None:
    found = scored(
        k=1,
        gates={"recall@1": 0.4, "chr": ">= 0.9", "missing": "off"},
        scu=True,
        missing="answered",
        confidence=0.9,
        slices=[({"answerable": True}, {"precision": 0.1})],
        rules=[("the (?P<object>.+) is shut", "{object} is open")],
        refusal=["not in context", "pass"],
        threads=1,
    )
    names = [gate.name for gate in found.gates]
    assert "recall@k" in names and "missing" not in names and "scu_violations" in names
    assert "precision[answerable=true]" in names
    assert found["recall@k"].value == 0.5
    assert found.settings["confidence"] == 0.9


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "k": ({"k": 0}, "k: expected a whole number from 1 to 1,000,000, found 0"),
    "k as text": ({"k": "5"}, "k: expected a whole number"),
    "a gate": ({"gates": {"precison": 0.8}}, "did you mean 'precision'?"),
    "a threshold": ({"gates": {"precision": float("nan")}}, "expected a number such as 0.80"),
    "a threshold of 400 digits": ({"gates": {"precision": 10**400}}, "from -1e15 to 1e15"),
    "a threshold of 5,000 digits": ({"gates": {"precision": 10**5000}}, "from -1e15 to 1e15"),
    "gates": ({"gates": 5}, "gates: cannot be made of 5"),
    "a gate's name": ({"gates": {5: 1}}, "gates: cannot be made of {5: 1}"),
    "slices": ({"slices": [{"where": 1}]}, "slices: cannot be made of"),
    "a mapping": ({"map": 5}, "map: cannot be made of 5"),
    "a path": ({"map": {"claim": []}}, "map claim: expected a string that is not empty"),
    "a constant": ({"map": {"claim": 5}}, "map claim: expected a string, found 5, which is"),
    "NaN": ({"map": {"latency_ms": float("nan")}}, "map latency_ms: expected a number from"),
    "k of 5,000 digits": ({"k": 10**5000}, "1,000,000, found a number of thousands of digits"),
    "half of a pair": ({"by": "\ud800"}, "by: expected UTF-8"),
    "a truth": ({"gates": {"precision": True}}, "expected a number such as 0.80"),
    "missing": ({"missing": "skip"}, "missing: there is no 'skip'"),
    "keep": ({"keep": "newest"}, "keep: there is no 'newest'"),
    "confidence": ({"confidence": 95}, "confidence: expected a number from 0.5"),
    "refusal": ({"refusal": []}, "refusal: expected at least one token"),
    "map": ({"map": {"claimm": "x"}}, "did you mean 'claim'?"),
    "by": ({"by": ["tagz"]}, "by tagz: no gold item has this field"),
    "threads": ({"threads": 0}, "threads: expected a whole number from 1 to 1024, found 0"),
    "rules": ({"rules": [("(", "x")]}, "is not a regular expression"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_option_is_a_config_error(name: str) -> None:
    options, says = WRONG[name]
    with pytest.raises(ragstone.ConfigError) as caught:
        scored(**options)
    assert says in str(caught.value)


def test_a_broken_row_is_a_contract_error_with_every_diagnostic() -> None:
    with pytest.raises(ragstone.ContractError) as caught:
        ragstone.score([gold("A1"), gold("A2", answerable="yes")], [{"qid": 7}])
    assert [str(found) for found in caught.value.diagnostics] == [
        '<gold>:2: answerable: expected true or false, found "yes"',
        "<trace>:1: qid: expected a string, found 7",
    ]


ODD_ROWS: dict[str, tuple[Any, str]] = {
    "NaN": ([{**gold("A1"), "x": float("nan")}], "<gold>:1: json: NaN is not a JSON number"),
    "half a surrogate": ([{**gold("A1"), "x": "\ud800"}], "<gold>:1: json: "),
    "a set": ([{**gold("A1"), "tags": {"a"}}], "<gold>:1: json: "),
    "bytes": ([{**gold("A1"), "x": b"a"}], "<gold>:1: json: "),
    "no row": ([], "<gold>:1: qid: the gold file holds no item"),
    "numbers": ([1, 2], "<gold>:1: json: expected an object, found 1"),
    "twice": ([gold("A1"), gold("A1")], '<gold>:2: qid: "A1" was already given on line 1'),
    "a mix": (["gold.jsonl", gold("A1")], "gold: expected either paths or rows, found both"),
    "None": (None, "gold: expected paths, rows or a table, found a NoneType"),
    "bytes alone": (b"[]", "gold: expected paths, rows or a table, found a bytes"),
    "one row": (gold("A1"), "gold: expected paths, rows or a table, found a single dictionary"),
}


@pytest.mark.parametrize("name", ODD_ROWS)
def test_odd_rows_are_input_errors_that_name_the_row(name: str) -> None:
    rows, says = ODD_ROWS[name]
    with pytest.raises(ragstone.InputError) as caught:
        ragstone.score(rows, list(WORKED_TRACE))
    assert str(caught.value).startswith(says)


def test_a_file_that_is_not_there_is_an_input_error() -> None:
    with pytest.raises(ragstone.InputError, match=r"gold file nope\.jsonl does not exist"):
        ragstone.score("nope.jsonl", [])


def test_scores_do_not_share_anything() -> None:
    first, second = scored(), ragstone.score([gold("A1")], [trace("A1", "no")])
    assert first["precision"].offenders() == ()
    assert [row.qid for row in second["precision"].offenders()] == ["A1"]
    assert first["precision"].offenders() == ()
