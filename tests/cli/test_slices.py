"""Parts of the gold set: `--by`, and gates of their own."""

from __future__ import annotations

import pytest
from builders import gold, trace
from command import Command, Folder


@pytest.fixture
def tagged(folder: Folder) -> Folder:
    items = [
        gold("A1", tags=["billing", "api"], level=1),
        gold("A2", tags=["billing"], level=2.5),
        gold("A3", tags=[], level=True),
        gold("A4", level="<b>"),
        gold("A5", tags=["api"], level=None),
    ]
    folder.write("gold.jsonl", items)
    answers = [trace("A1"), trace("A2", "no"), trace("A3"), trace("A4"), trace("A5")]
    folder.write("trace.jsonl", answers)
    return folder


def test_slices_by_tags_and_by_any_scalar_field(tagged: Folder, command: Command) -> None:
    ran = command.score("--json", "--by", "tags,level")
    slices = ran.json["slices"]
    by = {name: row["precision"]["value"] for name, row in slices["tags"].items()}
    assert by == {"billing": 0.5, "api": 1.0, "(none)": 1.0}
    counts = {name: row["missing"]["denominator"] for name, row in slices["level"].items()}
    assert counts == {"1": 1, "2.5": 1, "true": 1, "<b>": 1, "(none)": 1}
    html = command.score("--by", "level", "-f", "html").text
    assert "&lt;b&gt;" in html


def test_slice_gates_decide_too(tagged: Folder, command: Command) -> None:
    toml = """
        [answers.gates]
        precision = 0.7
        [[answers.slices]]
        where = { tags = "billing" }
        gates = { precision = 0.9 }
        [[answers.slices]]
        where = { tags = "api", level = 1 }
        gates = { precision = 1, under = 0.1 }
    """
    tagged.write("ragstone.toml", toml)
    ran = command.score("--json")
    statuses = {name: gate["status"] for name, gate in ran.json["gates"].items()}
    assert ran.code == 1
    assert statuses["precision"] == "PASS"
    assert statuses["precision[tags=billing]"] == "FAIL"
    assert statuses["precision[tags=api,level=1]"] == "PASS"
    assert ran.json["gates"]["under_refusal[tags=api,level=1]"]["vacuous"]


@pytest.mark.parametrize(
    ("value", "name", "right"),
    [
        ("1", "level=1", 1),
        ("1.0", "level=1.0", 1),
        ("true", "level=true", 1),
        ('"1"', "level=1", 0),
    ],
)
def test_a_slice_is_named_as_it_is_written_and_compares_by_type(
    tagged: Folder, command: Command, value: str, name: str, right: int
) -> None:
    tagged.write(
        "ragstone.toml",
        f"[[answers.slices]]\nwhere = {{ level = {value} }}\ngates = {{ precision = 1 }}\n",
    )
    gate = command.score("--json").json["gates"][f"precision[{name}]"]
    assert (gate["value"], gate["vacuous"]) == (1.0, right == 0)


def test_of_very_many_values_the_largest_are_shown_and_the_rest_counted(
    folder: Folder, command: Command
) -> None:
    names = [f"t{number:03}" for number in range(150)]
    folder.write("gold.jsonl", [gold(f"Q{name}", tags=[name, "t149"]) for name in names])
    folder.write("trace.jsonl", [trace(f"Q{name}") for name in names])
    toml = '[[answers.slices]]\nwhere = { tags = "t140" }\ngates = { precision = 1 }\n'
    folder.write("ragstone.toml", toml)
    ran = command.score("--json", "--by", "tags")
    by = {name: row["missing"]["denominator"] for name, row in ran.json["slices"]["tags"].items()}
    # Of equals the first by name; t149 is last by name, and has most questions.
    assert by == {**dict.fromkeys(names[:99], 1), "t149": 150}
    assert ran.json["slices_left_out"] == {"tags": {"values": 50, "questions": 50}}
    # A gate on a value that is not shown still decides.
    assert ran.json["gates"]["precision[tags=t140]"]["status"] == "PASS"
    shown = " ".join(command.score("--by", "tags", "-v").text.split())
    assert "The 100 values with most questions, and 50 more values with 50 questions." in shown
