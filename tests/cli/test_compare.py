"""The command `compare`, and `--baseline` on the others: names, exit codes, gates, JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import gold, trace, write_jsonl
from command import Ran, ragstone

QIDS = [f"Q{number:03}" for number in range(60)]


def answers(wrong: int) -> list[dict[str, Any]]:
    """The first `wrong` questions answered wrongly, the others rightly."""
    claims = ("no idea" if place < wrong else "X rejects null keys." for place in range(60))
    return [trace(qid, claim) for qid, claim in zip(QIDS, claims, strict=True)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gold set, traces of a good and a bad run, and the reports and rows of both."""
    folder = tmp_path_factory.mktemp("compare")
    write_jsonl(folder / "gold.jsonl", [gold(qid, tags=["x"]) for qid in QIDS])
    for name, wrong in (("good", 1), ("bad", 16)):
        write_jsonl(folder / f"{name}.jsonl", answers(wrong))
        written = ("-o", f"{name}.json", "-o", f"{name}.parquet")
        scored = run(folder, f"score --gold gold.jsonl --trace {name}.jsonl --by tags", *written)
        assert scored.code in (0, 1), scored.err
    (folder / "cut.parquet").write_bytes((folder / "bad.parquet").read_bytes()[:300])
    return folder


def run(folder: Path, words: str, *more: str) -> Ran:
    return ragstone(*words.split(), *more, "--no-config", "--quiet", cwd=folder)


@pytest.mark.parametrize("a", ["good.jsonl", "good.json", "good.parquet", "good"])
@pytest.mark.parametrize("b", ["bad.jsonl", "bad.parquet"])
def test_every_kind_of_side_gives_the_same_differences(a: str, b: str, files: Path) -> None:
    words = f"compare {a} {b} --gold gold.jsonl --system good=good.jsonl"
    found = run(files, words, "--json").json
    precision = found["difference"]["precision"]
    assert (precision["a"], precision["b"]) == (59 / 60, 44 / 60)
    assert precision["says"] == "worse"
    assert precision["p"] == pytest.approx(2.0**-15)
    assert found["gold"]["equal"] == 60
    assert found["broke_total"] == 15
    assert found["decision"] is None


def test_a_regression_beyond_the_margin_fails_and_one_within_it_passes(files: Path) -> None:
    for margin, code, decision in (("0.2", 1, "FAIL"), ("0.25", 0, "PASS"), ("30%", 0, "PASS")):
        ran = run(
            files, f"compare good.parquet bad.parquet --max-regression precision={margin}", "--json"
        )
        assert (ran.code, ran.json["decision"]) == (code, decision), margin
    gate = run(
        files, "compare good.parquet bad.parquet --max-regression precision=0.25", "--json"
    ).json["gates"]["precision_delta"]
    assert (gate["op"], gate["threshold"], gate["value"]) == (">=", -0.25, pytest.approx(-0.25))


def test_lower_is_better_has_its_gate_on_the_other_side(files: Path) -> None:
    ran = run(files, "compare good.parquet bad.parquet --max-regression over=0.1", "--json")
    gate = ran.json["gates"]["over_refusal_delta"]
    assert (gate["op"], gate["threshold"], gate["status"]) == ("<=", 0.1, "PASS")


def test_only_the_gated_metrics_are_tested(files: Path) -> None:
    words = "compare good.parquet bad.parquet --max-regression precision=0.5"
    found = run(files, words, "--json").json["difference"]
    assert [name for name, each in found.items() if each["tested"]] == ["precision"]
    assert found["precision"]["p_holm"] == found["precision"]["p"]


def test_slices_are_a_family_of_their_own(files: Path) -> None:
    found = run(files, "compare good.parquet bad.parquet --by tags", "--json").json
    assert found["difference_by"]["tags"]["x"]["precision"]["says"] == "worse"
    refused = run(files, "compare good.parquet bad.parquet --by level")
    assert refused.code == 2
    assert "write the rows with --by level" in refused.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("compare good.parquet nothing.parquet", "no file has this name"),
        ("compare good.parquet bad.jsonl", "no gold set"),
        (
            "compare good.jsonl good.jsonl --gold gold.jsonl --system good.jsonl=bad.jsonl",
            "a file too",
        ),
        ("compare good.parquet bad.parquet --max-regression precison=0.1", "precision"),
        ("compare good.parquet bad.parquet --max-regression precision=-1", "of at least 0"),
        ("compare good.parquet bad.parquet --max-regression precision", "NAME=NUMBER"),
        ("compare good.parquet bad.parquet -o rows.parquet", "no rows of its own"),
        ("compare good.parquet bad.parquet:x", "has no system 'x'"),
        ("compare good.jsonl bad.jsonl --gold gold.jsonl --suite answer", "did you mean 'answers'"),
        ("compare gold.jsonl:x bad.parquet", "holds no verdict rows"),
        ("compare cut.parquet bad.parquet", "cut.parquet cannot be read as a Parquet file"),
        ("score --gold gold.jsonl --trace bad.jsonl --baseline nothing", "is called 'nothing'"),
        ("score --gold gold.jsonl --trace bad.jsonl --protect Q001", "needs --baseline"),
        ("score --gold gold.jsonl --trace bad.jsonl --max-regression chr=0.1", "needs --baseline"),
    ],
)
def test_what_is_wrong_is_one_sentence(words: str, said: str, files: Path) -> None:
    ran = run(files, words)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert not ran.out


def test_what_the_file_protects_is_for_the_commands_that_compare(files: Path) -> None:
    config = files / "protecting.toml"
    config.write_text("[answers]\nprotect = ['Q001']\nmax_regression = { chr = 0.1 }\n")
    alone = "score --gold gold.jsonl --trace good.jsonl --quiet --json"
    plain = ragstone(*alone.split(), "--no-config", cwd=files)
    words = (*alone.split(), "--config", config.name)
    assert ragstone(*words, cwd=files).code == plain.code != 2
    compared = ragstone(*words, "--baseline", "good.parquet", cwd=files).json
    assert {"protected", "chr_delta"} <= {*compared["gates"]}


def test_a_report_needs_its_own_rows_beside_it(files: Path, tmp_path: Path) -> None:
    (tmp_path / "good.json").write_bytes((files / "good.json").read_bytes())
    bad = str(files / "bad.parquet")
    alone = run(tmp_path, f"compare good.json {bad}")
    assert alone.code == 2
    assert "a report without its rows" in alone.err
    (tmp_path / "good.parquet").write_bytes((files / "bad.parquet").read_bytes())
    others = run(tmp_path, f"compare good.json {bad}")
    assert others.code == 2
    assert "the rows of another run" in others.err


@pytest.mark.parametrize("baseline", ["good.jsonl", "good.json", "good.parquet"])
def test_a_baseline_adds_its_gates_to_those_of_the_suite(baseline: str, files: Path) -> None:
    words = f"score --gold gold.jsonl --trace bad.jsonl --baseline {baseline}"
    plain = run(files, "score --gold gold.jsonl --trace bad.jsonl", "--json").json
    found = run(files, words, "--max-regression", "precision=0.02", "chr=0.02", "--json")
    assert found.code == 1
    assert {*found.json["gates"]} - {*plain["gates"]} == {"precision_delta", "chr_delta"}
    assert found.json["comparison"]["difference"]["precision"]["says"] == "worse"
    assert found.json["digest"] != plain["digest"]


def test_a_system_of_the_command_can_be_the_baseline(files: Path) -> None:
    words = "score --gold gold.jsonl --system good=good.jsonl --system bad=bad.jsonl"
    found = run(files, f"{words} --baseline good --max-regression precision=0.02", "--json").json
    assert found["gates"]["precision_delta"]["status"] == "FAIL"
    assert found["comparison"]["a"]["name"] == "good"
    assert found["comparison"]["b"]["name"] == "bad"


def test_gate_compares_the_suite_whose_rows_it_is_given(files: Path) -> None:
    config = files / "ragstone.toml"
    config.write_text(
        '[paths]\ngold = "gold.jsonl"\ntrace = ["bad.jsonl"]\n'
        "[answers]\n[answers.max_regression]\nprecision = 0.02\n"
    )
    ran = ragstone("gate", "--baseline", "good.parquet", "--json", "--quiet", cwd=files)
    assert ran.code == 1
    assert ran.json["gates"]["answers.precision_delta"]["status"] == "FAIL"
