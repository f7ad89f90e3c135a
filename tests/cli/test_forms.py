"""`-f` and `-o` of the commands that print no report."""

from __future__ import annotations

import json

import pytest
from command import Command, Folder

WORDS = {
    "check": ("check", "gold.jsonl"),
    "explain": ("explain", "chr"),
    "schema": ("schema", "gold"),
}
PEOPLE = ("check", "explain")


@pytest.mark.parametrize("name", WORDS)
def test_a_file_holds_what_is_printed(name: str, command: Command, folder: Folder) -> None:
    folder.fill()
    printed = command(*WORDS[name], "-f", "json")
    assert printed.code == 0
    ran = command(*WORDS[name], "-o", "out.json")
    assert (ran.code, ran.err) == (0, "wrote out.json\n")
    assert (folder.work / "out.json").read_bytes() == printed.out
    assert json.loads(printed.out)
    assert command(*WORDS[name], "--json").out == printed.out


@pytest.mark.parametrize("name", PEOPLE)
def test_markdown_and_text_are_for_people(name: str, command: Command, folder: Folder) -> None:
    folder.fill()
    plain = command(*WORDS[name], "-o", "out.md", "-o", "out.txt", "--quiet")
    assert (plain.code, plain.err) == (0, "")
    for form, file in (("markdown", "out.md"), ("md", "out.md"), ("terminal", "out.txt")):
        printed = command(*WORDS[name], "-f", form).text
        assert printed == (folder.work / file).read_text(encoding="utf-8")


def test_a_check_and_an_explanation_read_well_as_markdown(command: Command, folder: Folder) -> None:
    folder.write("a|b.jsonl", [{"qid": "A1", "answerable": True, "gold_claim_substr": ["keys"]}])
    text = command("check", "a|b.jsonl", "-f", "markdown").text
    assert "| a&#124;b.jsonl | gold | 1 |" in text
    assert "\n\n- a&#124;b.jsonl: " in text
    explained = command("explain", "chr", "-f", "markdown").text
    assert explained.startswith("## answers.chr\n\n- **plain name**: cites the right evidence\n")
    assert command("explain", "-f", "markdown").text.startswith("| metric | meaning |\n|---|---|\n")


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize(
    "flag", [("-f", "html"), ("-f", "sarif"), ("-o", "x.html"), ("-o", "x.csv")]
)
def test_another_form_is_refused_in_one_sentence(
    name: str, flag: tuple[str, str], command: Command, folder: Folder
) -> None:
    folder.fill()
    before = folder.files()
    ran = command(*WORDS[name], *flag)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, b"", 1)
    assert " is shown as " in ran.err or " is written as " in ran.err
    assert folder.files() == before


def test_a_check_of_bad_files_writes_nothing(command: Command, folder: Folder) -> None:
    folder.write("bad.jsonl", "{}\n")
    ran = command("check", "bad.jsonl", "--as", "gold", "-o", "out.json")
    assert (ran.code, ran.out) == (2, b"")
    assert not (folder.work / "out.json").exists()


def test_a_check_does_not_write_over_what_it_checks(command: Command, folder: Folder) -> None:
    folder.write("gold.json", '{"qid": "A1", "answerable": true}\n')
    ran = command("check", "gold.json", "--as", "gold", "-o", "gold.json")
    assert (ran.code, "would replace an input" in ran.err) == (2, True)
