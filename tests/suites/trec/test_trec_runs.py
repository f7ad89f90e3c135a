"""TREC runs as a suite: what is refused, what is decided, and the rows behind it."""

from __future__ import annotations

import csv
import json

import pytest
from context_files import object_of, ragstone

QRELS = "1 0 a 1\n2 0 b 2\n"
RUN = "1 Q0 a 1 0.9 t\n2 Q0 x 1 0.9 t\n2 Q0 b 2 0.5 t\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path


def test_a_run_without_a_question_of_qrels_is_refused(files):
    (files / "other").write_text("7 Q0 a 1 0.9 t\n")
    told = ragstone("trec", "qrels", "run", "other", "--gates", "map=0", code=2, cwd=files)
    assert told == "ragstone: qrels and the run other share no question\n"


def test_an_empty_run_is_all_missing(files):
    (files / "run").write_text("")
    found = object_of("trec", files / "qrels", files / "run", "--gates", "map=0.1", code=1)
    assert (found["missing"], found["map"]) == (2, 0.0)


def test_without_gates_nothing_is_decided(files):
    assert "\nNO GATES: " in ragstone("trec", "qrels", "run", cwd=files)
    found = object_of("trec", files / "qrels", files / "run")
    assert (found["decision"], found["pass"]) == (None, None)


def test_one_error_lists_the_bad_lines_of_every_file(files):
    (files / "qrels").write_text(f"{QRELS}3 0 c\n")
    (files / "other").write_text("1 Q0 a 1 high t\n")
    (files / "run").write_text(f"{RUN}3 Q0 c 1 nan t\n")
    told = ragstone("trec", "qrels", "run", "other", code=2, cwd=files).splitlines()
    assert [line.rpartition(": ")[0].split(": ")[0] for line in told[:3]] == [
        *("qrels:3", "run:4", "other:1"),
    ]


@pytest.mark.parametrize("name", ["map", "AP", "map_cut_1000"])
def test_a_gate_may_have_the_names_of_others(files, name):
    found = object_of("trec", files / "qrels", files / "run", "--gates", f"{name}=0.99", code=1)
    (gate,) = found["gates"]
    assert gate == {"map_cut_1000": "map@1000"}.get(name, "map")


def test_the_rows_of_every_run_can_be_written(files):
    (files / "second").write_text(RUN.replace("0.9", "0.4"))
    ragstone("trec", "qrels", "run", "second", "-m", "mrr", "-o", "rows.csv", "--quiet", cwd=files)
    rows = list(csv.DictReader((files / "rows.csv").read_text("utf-8").splitlines()))
    assert [(row["arm"], row["qid"], row["mrr"]) for row in rows] == [
        ("run", "1", "1.0"),
        ("run", "2", "0.5"),
        ("second", "1", "1.0"),
        ("second", "2", "1.0"),
    ]


def test_the_names_that_were_asked_for_are_in_the_digest(files):
    words = ("trec", files / "qrels", files / "run", "-m")
    one, other = object_of(*words, "map"), object_of(*words, "AP")
    assert one["map"] == other["AP"]
    assert one["digest"] != other["digest"]


def test_the_file_of_gates_does_not_know_the_suite(files):
    (files / "ragstone.toml").write_text("[trec]\n")
    assert "trec" in ragstone("gate", code=2, cwd=files)
    assert json.loads(ragstone("trec", "qrels", "run", "--json", "--quiet", cwd=files))["map"]
