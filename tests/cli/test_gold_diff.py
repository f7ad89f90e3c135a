"""`ragstone gold diff`: what changed in a gold set, for a terminal and for a pull request."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from builders import gold
from command import Command, Folder

OLD = [gold("A1"), gold("A2", question="Why so?"), gold("A3")]
NEW = [gold("A1", gold_claim_substr=["90 days"], level=2), OLD[2], gold("A4", question="New?")]
SIGNED = ("--who", "Ann", "--why", "first")


@pytest.fixture
def versions(folder: Folder) -> Folder:
    folder.write("old.jsonl", OLD)
    folder.write("new.jsonl", NEW)
    return folder


def git(folder: Folder, *words: str) -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run(["git", *who, *words], cwd=folder.work, check=True, capture_output=True)


def commit(folder: Folder, items: list[dict[str, Any]]) -> None:
    folder.write("eval/gold.jsonl", items)
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "gold")


def test_two_files_are_compared_field_by_field(command: Command, versions: Folder) -> None:
    ran = command("gold", "diff", "old.jsonl", "new.jsonl")
    assert ran.code == 0
    assert ran.text.splitlines() == [
        "old.jsonl → new.jsonl: 1 added, 1 removed, 1 changed",
        "+ A4  New?",
        "- A2  Why so?",
        "~ A1  Does X take null keys? (A1)",
        '    gold_claim_substr: ["rejects null keys"]',
        '                     → ["90 days"]',
        "    level: (absent)",
        "         → 2",
    ]
    assert command("gold", "diff", "old.jsonl", "new.jsonl", "--exit-code").code == 1
    same = command("gold", "diff", "old.jsonl", "old.jsonl", "--exit-code")
    assert (same.code, same.text) == (0, "old.jsonl → old.jsonl: nothing changed\n")


def test_a_program_gets_every_value_whole(command: Command, versions: Folder) -> None:
    found = command("gold", "diff", "old.jsonl", "new.jsonl", "--json").json
    assert (found["added"], found["removed"], found["same"]) == (["A4"], ["A2"], False)
    (changed,) = found["changed"]
    assert changed["fields"]["gold_claim_substr"] == {
        "before": ["rejects null keys"],
        "after": ["90 days"],
    }


def test_a_pull_request_gets_a_table_in_which_nothing_is_markup(
    command: Command, folder: Folder
) -> None:
    long = "word " * 300
    folder.write("old.jsonl", [gold("A|1", notes=f"{long}before", question="<b>@ann</b> | #12?")])
    folder.write("new.jsonl", [gold("A|1", notes=f"{long}after", question="New\n\n## one?")])
    ran = command("gold", "diff", "old.jsonl", "new.jsonl", "-f", "markdown", "-o", "diff.md")
    table = ran.text.splitlines()
    assert table[0] == "### old.jsonl → new.jsonl: 1 changed"
    assert [line.count(" | ") for line in table[2:]] == [4] * 4
    assert not any(each in ran.text for each in ("<b>", "@ann", "\n##"))
    (notes,) = (line for line in table if "notes" in line)
    assert "before" in notes and "after" in notes and len(notes) < 200
    assert (folder.work / "diff.md").read_text() == ran.text


def test_a_comment_has_an_end(command: Command, folder: Folder) -> None:
    folder.write("old.jsonl", [gold("A0")])
    folder.write("new.jsonl", [gold(f"B{n}", question="long " * 100) for n in range(1000)])
    text = command("gold", "diff", "old.jsonl", "new.jsonl", "-f", "markdown").text
    assert len(text) < 65_536
    assert text.rstrip().endswith("more rows do not fit into a comment._")


def test_one_file_is_compared_with_its_last_commit(command: Command, folder: Folder) -> None:
    git(folder, "init", "-q", "-b", "main")
    commit(folder, OLD)
    folder.write("eval/gold.jsonl", NEW)
    ran = command("gold", "diff", "eval/gold.jsonl")
    assert ran.text.startswith("eval/gold.jsonl since HEAD: 1 added, 1 removed, 1 changed\n+ A4")
    folder.write("ragstone.toml", "[paths]\ngold = 'eval/gold.jsonl'\n")
    assert command("gold", "diff").out == ran.out
    commit(folder, NEW)
    assert command("gold", "diff").text == "eval/gold.jsonl since HEAD: nothing changed\n"
    since = command("gold", "diff", "--baseline", "HEAD~1").text
    assert since.startswith("eval/gold.jsonl since HEAD~1: 1 added")
    refused = command("gold", "diff", "--baseline", "nowhere")
    assert refused.code == 2
    assert "git has no eval/gold.jsonl at nowhere" in refused.err
    assert "no commit has such a name" in command("gold", "diff", "--baseline=--output=x").err


def test_a_change_that_is_committed_and_not_signed_off_is_told(
    command: Command, folder: Folder
) -> None:
    git(folder, "init", "-q", "-b", "main")
    folder.write("eval/gold.jsonl", OLD)
    assert command("gold", "freeze", "eval/gold.jsonl", *SIGNED).code == 0
    commit(folder, OLD)
    commit(folder, NEW)
    ran = command("gold", "diff", "eval/gold.jsonl")
    assert ran.text.splitlines() == [
        "eval/gold.jsonl since it was frozen: 1 added, 1 removed, 1 changed",
        "+ A4",
        "- A2",
        "~ A1",
    ]


def test_without_a_repository_the_lock_tells_which_items_changed(
    command: Command, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.work.parent.parent))
    folder.write("gold.jsonl", OLD)
    refused = command("gold", "diff", "gold.jsonl")
    assert refused.code == 2
    assert "there is nothing to compare gold.jsonl with" in refused.err
    command("gold", "freeze", "gold.jsonl", *SIGNED)
    folder.write("gold.jsonl", NEW)
    ran = command("gold", "diff", "gold.jsonl", "-f", "markdown")
    assert "| changed | `A1` |  |  |  |" in ran.text
    monkeypatch.setenv("PATH", "")
    assert command("gold", "diff", "gold.jsonl", "-f", "markdown").out == ran.out


def test_every_kind_of_gold_set_can_be_compared(command: Command, folder: Folder) -> None:
    folder.write("a.txt", "q1 0 d1 1\nq1 0 d2 0\n")
    folder.write("b.txt", "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n")
    assert command("gold", "diff", "a.txt", "b.txt").text.splitlines()[0] == (
        "a.txt → b.txt: 1 added, 1 changed"
    )
    folder.write("a.tsv", "qid\tdocument_ids\n1\td1\n")
    folder.write("b.tsv", "qid\tdocument_ids\n1\td2\n")
    assert "1 changed" in command("gold", "diff", "a.tsv", "b.tsv").text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("a", "b", "c"), "give OLD and NEW"),
        (("old.jsonl", "none.jsonl"), "none.jsonl does not exist"),
        (("old.jsonl", "new.jsonl", "--baseline", "main"), "--baseline goes with one gold set"),
        (("old.jsonl", "new.jsonl", "-o", "x.html"), "a diff is written as .txt, .md or .json"),
        (("old.jsonl", "new.jsonl", "--json", "-f", "markdown"), "cannot be given together"),
        (("old.jsonl", "broken.jsonl"), "broken.jsonl:2: json: "),
        (("old.jsonl", "twice.jsonl"), 'twice.jsonl:2: qid: "A1" was already given'),
        (("old.jsonl", "new.jsonl", "-o", "old.json"), "-o old.json would replace an input"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(
    words: tuple[str, ...], says: str, command: Command, versions: Folder
) -> None:
    versions.write("broken.jsonl", json.dumps(OLD[0]) + "\n{,}\n")
    versions.write("twice.jsonl", [OLD[0], OLD[0]])
    (versions.work / "old.json").symlink_to("old.jsonl")
    before = versions.files()
    ran = command("gold", "diff", *words)
    assert (ran.code, ran.out) == (2, b"")
    assert says in ran.err
    assert versions.files() == before
