"""What is suggested for a word that a command does not know, and when nothing is."""

from __future__ import annotations

import pytest
from command import Command

from ragstone.cli.completion import places
from ragstone.cli.main import commands, parser_of
from ragstone.cli.suggest import COMMANDS, FLAGS

pytestmark = pytest.mark.python

KNOWN = {
    flag for place in places(commands(), parser_of) for each in place.listed for flag in each.names
}


@pytest.mark.parametrize(
    ("words", "suggested"),
    [
        # Slips of the finger.
        ("score --glod", "--gold"),
        ("score --trcae", "--trace"),
        ("score --gate", "--gates"),
        ("score --confidense", "--confidence"),
        ("power --plam", "--plan"),
        ("score --max_regression", "--max-regression"),
        ("score --Gold", "--gold"),
        ("score -gold", "--gold"),
        # Plurals and beginnings.
        ("score --traces", "--trace"),
        ("run --limits", "--limit"),
        ("score --out", "--output"),
        ("score --verb", "--verbose"),
        ("run --head", "--header"),
        # Words of other tools.
        ("score --threshold", "--gates"),
        ("score --fail-under", "--gates"),
        ("score --top-k", "--k"),
        ("score --topk", "--k"),
        ("score --dataset", "--gold"),
        ("score --predictions", "--trace"),
        ("score --silent", "--quiet"),
        ("score --group-by", "--by"),
        ("score --workers", "--threads"),
        ("run --workers", "--concurrency"),
        ("run --url", "--target"),
        ("run --token", "--header"),
        ("run --api-key", "--header"),
        ("run --max-samples", "--limit"),
        ("run --no-cache", "--fresh"),
        ("run --id", "--qid"),
        ("context --qrels", "--reference"),
        # Commands.
        ("scroe", "score"),
        ("gates", "gate"),
        ("evaluate", "score"),
        ("validate", "check"),
        ("diff", "compare"),
        ("help", "--help"),
        ("version", "--version"),
        # Nothing here is near these.
        ("score --header", None),
        ("score --limit", None),
        ("score --qid", None),
        ("score --model", None),
        ("score --watch", None),
        ("score --foo", None),
        ("score --keep-going", None),
        ("run --gates", None),
        ("run --by", None),
        ("run --xyz", None),
        ("init --token", None),
        ("schema --gold", None),
        ("frobnicate", None),
        ("serve-all", None),
    ],
)
def test_a_suggestion_makes_sense_or_is_not_made(
    words: str, suggested: str | None, command: Command
) -> None:
    ran = command(*words.split())
    assert ran.code == 2
    found = ran.err.partition("did you mean '")[2].partition("'")[0] or None
    assert found == suggested


@pytest.mark.parametrize("word", FLAGS)
def test_what_is_said_for_a_word_from_elsewhere_is_a_flag_that_is_shown(word: str) -> None:
    assert [each for each in FLAGS[word] if each not in KNOWN] == []
    assert f"--{word}" not in FLAGS[word]


@pytest.mark.parametrize("word", COMMANDS)
def test_what_is_said_for_a_command_from_elsewhere_is_there(word: str) -> None:
    assert word not in commands()
    assert [each for each in COMMANDS[word] if each not in commands() and each not in KNOWN] == []


def test_an_example_of_another_command_suggests_nothing(command: Command) -> None:
    # The help of `schema` mentions no such flag, and the old list was made of help texts.
    assert "did you mean" not in command("schema", "gold", "--trace").err
