"""`ragstone run` as a command: what it prints, where, and how it reads its own flags."""

from __future__ import annotations

import gzip
import hashlib
import json
import shlex
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from running import lines, run, words

from ragstone.cli.main import main
from ragstone.errors import ConfigError
from ragstone.targets.grid import configurations, read_grid

PROGRAM = Path(__file__).parent / "retrieving_program.py"
TARGET = f"cmd:{shlex.join([sys.executable, str(PROGRAM)])}"


def test_progress_goes_to_standard_error_in_plain_lines(ragstone, questions, tmp_path):
    gold = questions(12)
    given = [word for word in words(gold, TARGET, tmp_path / "t.jsonl") if word != "--quiet"]
    done = ragstone(*given)
    assert done.code == 0
    assert done.err.splitlines()[-1].startswith("12/12, ")
    assert done.err.splitlines()[-1].endswith("/s, 0 failed")
    assert "\x1b" not in done.err + done.text
    assert done.text.splitlines() == ["12 of 12 answered", f"wrote {tmp_path / 't.jsonl'}"]


def test_json_is_one_object_and_the_only_thing_on_standard_output(ragstone, questions, tmp_path):
    done = ragstone(*words(questions(3), TARGET, tmp_path / "t.jsonl", "--json"))
    assert done.code == 0
    found = done.json
    assert (found["runs"], found["asked"], found["answered"], found["failed"]) == (3, 3, 3, 0)
    assert found["complete"] is True
    assert found["pass"] is True
    assert found["digest"] == hashlib.sha256((tmp_path / "t.jsonl").read_bytes()).hexdigest()
    assert done.err == ""


def test_a_packed_gold_set_is_read_too(questions, tmp_path):
    plain = questions(5)
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    table = tmp_path / "gold.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(lines(plain)), table)
    asked = [
        [(line["qid"], line["q"]) for line in run(gold, TARGET, tmp_path / f"{gold.name}.out")]
        for gold in (plain, packed, table)
    ]
    assert asked[0] == asked[1] == asked[2]


def test_fields_with_other_names_are_mapped(tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"id": "A1", "ask": {"text": "Who?"}}\n')
    given = ("--map", "gold.qid=id", "question=ask.text")
    (line,) = run(gold, TARGET, tmp_path / "t.jsonl", *given)
    assert (line["qid"], line["q"]) == ("A1", "Who?")


def test_the_gold_set_and_the_output_have_defaults(ragstone, questions, tmp_path):
    questions(2)
    (tmp_path / "ragstone.toml").write_text('[paths]\ngold = "gold.jsonl"\n')
    assert ragstone("run", "--target", TARGET, cwd=tmp_path).code == 0
    assert len((tmp_path / "runs" / "trace.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--seeds", "a"), "--seeds 'a'"),
        (("--seeds", "5-2"), "not a range"),
        (("--jitters", "shout"), "there is no jitter 'shout'"),
        (("--knobs", "none.toml"), "none.toml cannot be read"),
        (("--retries", "-1"), "--retries -1"),
        (("--timings", "no/such/t"), "folder no/such does not exist"),
        (("--timings", "t.jsonl"), "must be different files"),
    ],
)
def test_a_flag_that_cannot_be_is_refused(flags, says, questions, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(words(questions(1), TARGET, tmp_path / "t.jsonl", *flags)) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--concurrency=0", "--timeout=0", "--rate=nan", "--timeout=x"])
def test_a_number_that_cannot_be_is_refused(flag, questions, tmp_path, capsys):
    assert main(words(questions(1), TARGET, tmp_path / "t.jsonl", flag)) == 2
    assert "expected a" in capsys.readouterr().err


def test_failures_are_counted_by_reason_and_scored_as_missing(questions, tmp_path, capsys):
    gold = questions(4)
    output = tmp_path / "t.jsonl"
    found = run(gold, "cmd:false", output, "--retries", "0", "--json")
    assert json.loads(capsys.readouterr().out)["reasons"] == {"exited": 4}
    assert all(line["ok"] is False for line in found)
    assert (
        main(["score", "--no-config", "--gold", str(gold), "--trace", str(output), "--json"]) == 1
    )
    assert json.loads(capsys.readouterr().out)["metrics"]["missing"]["value"] == 1.0


def test_a_grid_is_the_product_of_its_lists(tmp_path):
    (tmp_path / "g.toml").write_text('k = [5, 10]\nmode = ["lex", "sem"]\nknee = 0.5\n')
    grid = read_grid(tmp_path / "g.toml")
    assert [each.name for each in grid] == [
        "k=5 mode=lex",
        "k=5 mode=sem",
        "k=10 mode=lex",
        "k=10 mode=sem",
    ]
    assert all(each.knobs["knee"] == 0.5 for each in grid)


def test_configurations_can_be_named_and_share_what_stands_above_them(tmp_path):
    (tmp_path / "g.toml").write_text(
        'knee = 0.5\n[[config]]\nname = "fast"\nk = 5\n[[config]]\nk = 10\nrerank = true\n'
    )
    assert [(each.name, dict(each.knobs)) for each in read_grid(tmp_path / "g.toml")] == [
        ("fast", {"knee": 0.5, "k": 5}),
        ("k=10 rerank=true", {"knee": 0.5, "k": 10, "rerank": True}),
    ]


@pytest.mark.parametrize(
    "text",
    ["k = []", "config = 3", "[[config]]\nname = 3", "day = 2024-01-01", "[[config]]\n[[config]]"],
)
def test_a_grid_that_cannot_be_is_refused(text, tmp_path):
    (tmp_path / "g.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"g\.toml: "):
        read_grid(tmp_path / "g.toml")


def test_an_empty_grid_is_one_configuration():
    assert [each.name for each in configurations({})] == ["default"]
