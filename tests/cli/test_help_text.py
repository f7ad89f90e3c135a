"""Help texts fit the terminal, and say of each action what is its own."""

from __future__ import annotations

import shlex

import pytest
from command import Command, Process

from ragstone.cli.completion import places
from ragstone.cli.main import commands, parser_of

PLACES = {place.name: place for place in places(commands(), parser_of)}
ACTIONS = [name for name, place in PLACES.items() if len(place.words) > 1]


@pytest.mark.parametrize("columns", [40, 60, 80, 140])
def test_no_help_is_wider_than_the_terminal(
    columns: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for name in PLACES:
        ran = command(*name.split(), "--help")
        assert (ran.code, ran.err) == (0, "")
        assert [line for line in ran.text.splitlines() if len(line) > columns] == [], name


def test_the_width_is_that_of_the_environment_in_a_process_too(ragstone: Process) -> None:
    narrow, wide = (ragstone("check", "--help", env={"COLUMNS": n}).text for n in ("40", "140"))
    assert max(map(len, narrow.splitlines())) <= 40
    assert 80 < max(map(len, wide.splitlines())) <= 140


@pytest.mark.parametrize("columns", ["40", "80"])
def test_an_example_over_several_lines_is_the_same_command(
    columns: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for width in ("140", columns):
        monkeypatch.setenv("COLUMNS", width)
        text = command("calibrate-judge", "--help").text.split("examples:\n")[1]
        found.append([shlex.split(each) for each in text.replace("\\\n", "").splitlines()])
    assert found[0] == found[1]
    assert all(words[0] == "ragstone" for words in found[0] if words)


@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_shows_examples_of_its_own_and_of_no_other(name: str, command: Command) -> None:
    text = command(*name.split(), "--help").text
    shown = [line for line in text.splitlines() if line.startswith("  ragstone ")]
    assert shown
    assert [line for line in shown if not f"{line} ".startswith(f"  ragstone {name} ")] == []


@pytest.mark.parametrize("name", [name for name in PLACES if name])
def test_a_help_begins_with_a_sentence_on_what_it_does(name: str, command: Command) -> None:
    text = command(*name.split(), "--help").text
    _, says, *_ = text.split("\n\n")
    assert says[0].isupper()
    assert says.endswith((".", "?"))


def test_calibrate_has_a_help_of_its_own(command: Command) -> None:
    own, judging = (command("retrieval", *more, "--help").text for more in (["calibrate"], []))
    assert own.startswith("usage: ragstone retrieval calibrate [FLAG ...]\n")
    assert "--dry-run" in own and "--gates" not in own
    assert "--gates" in judging and "--dry-run" not in judging


def test_values_to_choose_from_are_all_shown(command: Command) -> None:
    assert "{text,hash}" in command("check", "--help").text
    words = " ".join(command("schema", "--help").text.split())
    assert "gold, trace, texts, judged, retrieval_gold, retrieval_log" in words
