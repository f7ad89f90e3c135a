"""The gate beside people: what is compared, what is counted apart, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import gold, refusal, trace, write_jsonl
from command import Ran, ragstone

from ragstone import api

RIGHT, WRONG = "X rejects null keys.", "X takes null keys."


def answers(*said: str) -> list[dict[str, Any]]:
    """A trace for each of q0, q1, ...: `right`, `wrong`, `refused`, or nothing where missing."""
    made = []
    for number, verdict in enumerate(said):
        qid = f"q{number}"
        if verdict == "refused":
            made.append(refusal(qid))
        elif verdict != "missing":
            made.append(trace(qid, RIGHT if verdict == "right" else WRONG))
    return made


def labelled(*said: str, **more: str) -> list[dict[str, str]]:
    return [{"qid": f"q{number}", "label": label, **more} for number, label in enumerate(said)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "gold.jsonl", [gold(f"q{number}") for number in range(6)])
    return tmp_path


def run(folder: Path, *words: str) -> Ran:
    return ragstone("agreement", "--gold", "gold.jsonl", "--json", *words, cwd=folder)


def one_system(folder: Path, verdicts: list[str], labels: list[dict[str, str]]) -> Ran:
    write_jsonl(folder / "trace.jsonl", answers(*verdicts))
    write_jsonl(folder / "people.jsonl", labels)
    return run(folder, "--trace", "trace.jsonl", "--labels", "people.jsonl", "--no-config")


def test_the_gate_stands_beside_people(folder: Path) -> None:
    verdicts = ["right", "right", "wrong", "wrong", "refused", "missing"]
    labels = labelled("correct", "incorrect", "incorrect", "correct", "refusal", "correct")
    ran = one_system(folder, verdicts, labels)
    assert ran.code == 0, ran.err
    found = ran.json
    assert found["decision"] is None
    assert found["confusion"] == {
        "right": {"correct": 1, "incorrect": 1, "refusal": 0},
        "wrong": {"correct": 1, "incorrect": 1, "refusal": 0},
        "refused": {"correct": 0, "incorrect": 0, "refusal": 1},
    }
    assert found["percent_agreement"] == 0.6
    assert found["accepted_correct"] == found["accepted_incorrect"] == 0.5
    assert (found["refusals_found"], found["refusals_mistaken"]) == (1, 0)
    # Observed 3 of 5, expected (2 * 2 + 2 * 2 + 1 * 1) / 25.
    assert found["kappa"] == pytest.approx((3 / 5 - 9 / 25) / (1 - 9 / 25))
    assert found["missing"] == pytest.approx(1 / 6)
    assert "1 labelled answer is in no trace; not compared" in found["warnings"]
    apart = {
        row["qid"]: (row["gate"], row["people"], row["rule"]) for row in found["judged_otherwise"]
    }
    assert apart == {
        "q1": ("right", "incorrect", "contained, cited"),
        "q3": ("wrong", "correct", "not contained"),
    }
    assert "rank_correlation" not in found


def two_systems(folder: Path) -> tuple[str, ...]:
    """Of `a` four are right and people say so of three; of `b` one and two; of `c` none and one."""
    right = {"a": 4, "b": 1, "c": 0}
    correct = {"a": 3, "b": 2, "c": 1}
    labels = []
    for name in right:
        verdicts = ["right"] * right[name] + ["wrong"] * (4 - right[name])
        write_jsonl(folder / f"{name}.jsonl", answers(*verdicts))
        said = ["correct"] * correct[name] + ["incorrect"] * (4 - correct[name])
        labels += labelled(*said, system=name)
    write_jsonl(folder / "people.jsonl", labels)
    systems = [word for name in right for word in ("--system", f"{name}={name}.jsonl")]
    return (*systems, "--labels", "people.jsonl", "--no-config")


def test_systems_are_ranked_by_both(folder: Path) -> None:
    found = run(folder, *two_systems(folder)).json
    assert found["rank_correlation"] == 1.0
    assert found["percent_agreement"] == 9 / 12
    assert [(row["system"], row["right"], row["correct"]) for row in found["by_system"]] == [
        ("a", 1.0, 0.75),
        ("b", 0.25, 0.5),
        ("c", 0.0, 0.25),
    ]


def test_a_gate_on_the_order_of_one_system_is_unmeasurable(folder: Path) -> None:
    write_jsonl(folder / "trace.jsonl", answers("right"))
    write_jsonl(folder / "people.jsonl", labelled("correct"))
    words = ("--trace", "trace.jsonl", "--labels", "people.jsonl", "--no-config")
    ran = run(folder, *words, "--gates", "rank_correlation=0.9")
    assert ran.code == 3
    assert ran.json["gates"]["rank_correlation"]["status"] == "UNMEASURABLE"


def test_the_python_call_gives_the_same_bytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = two_systems(folder)
    monkeypatch.chdir(folder)
    systems = {name: f"{name}.jsonl" for name in "abc"}
    called = api.people("gold.jsonl", systems, "people.jsonl")
    assert called.to_json().encode() == run(folder, *words).out


def test_labels_of_other_words_are_mapped(folder: Path) -> None:
    labels = labelled("Correct Answer", "WRONG", " Refusal ")
    refused = one_system(folder, ["right", "wrong", "refused"], labels)
    assert refused.code == 2
    assert "labels that are not known: 'Correct Answer', 'WRONG'" in refused.err
    assert '--label-map "Correct Answer=correct"' in refused.err
    given = ("--trace", "trace.jsonl", "--labels", "people.jsonl", "--no-config")
    words = ("--label-map", "Correct Answer=correct", "wrong=incorrect")
    assert run(folder, *given, *words).json["percent_agreement"] == 1
    bad = run(folder, *given, "--label-map", "wrong=incorect")
    assert bad.code == 2
    assert "did you mean 'incorrect'" in bad.err
    assert run(folder, *given, "--label-map", "wrong").code == 2


def test_the_file_may_name_labels_and_what_they_mean(folder: Path) -> None:
    write_jsonl(folder / "trace.jsonl", answers("right"))
    write_jsonl(folder / "people.jsonl", labelled("ok"))
    (folder / "ragstone.toml").write_text(
        '[paths]\ngold = "gold.jsonl"\ntrace = "trace.jsonl"\n'
        '[agreement]\nlabels = "people.jsonl"\nlabel_map = { ok = "correct" }\n'
        "[agreement.gates]\naccepted_correct = 0.9\n"
    )
    assert ragstone("agreement", "--json", cwd=folder).json["accepted_correct"] == 1
    assert "people.accepted_correct" in ragstone("gate", "--json", cwd=folder).json["gates"]


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (labelled("correct", "correct", system="x"), "no label is of a or b or c"),
        (labelled("correct"), "1 label without a system, and there are several"),
        ([*labelled("correct", system="a")] * 2, "people.jsonl:2: qid"),
        ([{"qid": "zz", "label": "correct", "system": "a"}], "gold and the labels share no"),
        ([{"qid": "q0", "system": "a"}], "people.jsonl:1: label"),
    ],
)
def test_labels_that_cannot_be_joined(folder: Path, labels: Any, says: str) -> None:
    words = two_systems(folder)
    write_jsonl(folder / "people.jsonl", labels)
    ran = run(folder, *words)
    assert ran.code == 2
    assert says in ran.err


def test_labels_of_several_systems_need_names(folder: Path) -> None:
    labels = [*labelled("correct", system="a"), *labelled("correct", system="b")]
    ran = one_system(folder, ["right"], labels)
    assert ran.code == 2
    assert "give the traces of each as --system NAME=FILE" in ran.err


def test_one_way_of_labels_at_a_time(folder: Path) -> None:
    words = ("--labels", "people.jsonl", "--pairs", "pairs.jsonl")
    assert "--labels and --pairs cannot be given together" in run(folder, *words).err
    alone = run(folder, "--trace", "t.jsonl", "--system", "a=a.jsonl")
    assert "--system goes with people's labels" in alone.err


def test_disagreements_as_a_table(folder: Path) -> None:
    write_jsonl(folder / "trace.jsonl", answers("right", "wrong"))
    write_jsonl(folder / "people.jsonl", labelled("correct", "correct"))
    words = ("--trace", "trace.jsonl", "--labels", "people.jsonl", "--no-config")
    assert run(folder, *words, "-o", "apart.tsv").code == 0
    assert (folder / "apart.tsv").read_text().splitlines() == [
        "qid\tsystem\tgate\tpeople\trule",
        "q1\t\twrong\tcorrect\tnot contained",
    ]


def test_neither_threads_nor_the_order_of_lines_matter(folder: Path) -> None:
    words = two_systems(folder)
    one = run(folder, *words, "--threads", "1").out
    for name in ("gold", "a", "b", "c", "people"):
        path = folder / f"{name}.jsonl"
        path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert run(folder, *words, "--threads", "2").out == one


def test_a_different_label_is_a_different_digest(folder: Path) -> None:
    words = two_systems(folder)
    one = run(folder, *words).json
    labels = [json.loads(line) for line in (folder / "people.jsonl").read_text().splitlines()]
    labels[0]["label"] = "refusal"
    write_jsonl(folder / "people.jsonl", labels)
    assert run(folder, *words).json["digest"] != one["digest"]
    mapped = run(folder, *words, "--label-map", "refusal=correct").json
    assert mapped["confusion"] == one["confusion"]


def test_a_disagreement_says_what_was_expected_and_which_rule_refused(folder: Path) -> None:
    number = {"number": "1577", "unit": "USD million"}
    items = [gold(f"q{place}", gold_claim_substr=None, gold_answer=number) for place in range(3)]
    write_jsonl(folder / "gold.jsonl", items)
    said = ["It was $1,832 million.", "I don't know, sorry.", "I don't know, but $1.577 bn."]
    write_jsonl(folder / "trace.jsonl", [trace(f"q{n}", text) for n, text in enumerate(said)])
    write_jsonl(folder / "people.jsonl", labelled("correct", "correct", "refusal"))
    words = ("--trace", "trace.jsonl", "--labels", "people.jsonl", "--refusal", "@en")
    wrong, refused, hedged = run(folder, *words, "--no-config").json["judged_otherwise"]
    assert (wrong["gate"], wrong["rule"]) == ("wrong", "not contained")
    assert "1,832" in wrong["why"] and wrong["why"].startswith("expected")
    assert refused["gate"] == "refused" and refused["rule"].startswith("@en: ")
    assert (hedged["gate"], hedged["rule"]) == ("right", "contained: number, cited, hedged")
    private = run(folder, *words, "--no-config", "--report-texts", "none").json
    assert not {"claim", "why"} & set(private["judged_otherwise"][0])


def test_each_rule_is_told_with_what_people_say_of_its_answers(folder: Path) -> None:
    name = {"name": "Anna Berg"}
    items = [gold(f"q{place}", gold_claim_substr=None, gold_answer=name) for place in range(3)]
    write_jsonl(folder / "gold.jsonl", items)
    said = ["It was Anna Berg.", "It was Berg.", "It was Carl Berg."]
    write_jsonl(folder / "trace.jsonl", [trace(f"q{n}", text) for n, text in enumerate(said)])
    write_jsonl(folder / "people.jsonl", labelled("correct", "incorrect", "incorrect"))
    words = ("--trace", "trace.jsonl", "--labels", "people.jsonl", "--no-config")
    assert run(folder, *words).json["accepted_by"] == {
        "name": {"correct": 1, "incorrect": 0},
        "surname": {"correct": 0, "incorrect": 1},
    }
