"""Every JSON object that a command prints says first which format it has."""

import json

import pytest
from command import Command, Folder

from ragstone.report.formats.json_text import FORMAT

PRINTED = {
    "score": "score --gold gold.jsonl --trace trace.jsonl --json",
    "power": "power --gold gold.jsonl --trace trace.jsonl --json",
    "check": "check gold.jsonl --json",
    "gold lint": "gold lint gold.jsonl --json",
    "explain": "explain precision --json",
    "explain all": "explain --json",
    "index": "index build pages -o docs.index --json",
    "run": "run --target index:docs.index --gold gold.jsonl -o out.jsonl --json",
    "index verify": "index verify docs.index --json",
}


@pytest.fixture
def prepared(command: Command, folder: Folder) -> Command:
    folder.fill()
    folder.write("pages/a.md", "# Keys\n\nThe store rejects null keys.\n")
    assert command("index", "build", "pages", "-o", "docs.index").code == 0
    return command


@pytest.mark.parametrize("name", PRINTED)
def test_the_format_is_the_first_key(name: str, prepared: Command) -> None:
    ran = prepared(*PRINTED[name].split())
    assert ran.code in (0, 1), ran.err
    assert next(iter(json.loads(ran.out).items())) == ("format", FORMAT)
    assert FORMAT == 1


def test_a_schema_is_a_json_schema_and_nothing_else(command: Command) -> None:
    assert "format" not in command("schema", "gold").json
