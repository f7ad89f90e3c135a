"""`--memory` and `--temp`: what they take, and what is left of them."""

from __future__ import annotations

import pytest
from builders import gold, trace
from command import INPUTS, Command, Folder

from ragstone.engine.duck import Duck
from ragstone.errors import InputError


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--memory", "2"), "expected a size such as 2GB or 750MB, found '2'"),
        (("--memory", "much"), "expected a size such as 2GB or 750MB, found 'much'"),
        (("--memory", "-1GB"), "expected"),
        (("--memory", "100MB"), "expected at least 500MB, found '100MB'"),
        (("--memory", "2GB", "--temp", "nowhere"), "there is no folder nowhere"),
        (("--temp", "."), "temp needs memory"),
    ],
)
def test_what_is_no_size_or_no_folder_is_refused(
    command: Command, folder: Folder, words: tuple[str, ...], says: str
) -> None:
    folder.fill()
    ran = command("score", *INPUTS, *words)
    assert ran.code == 2
    assert says in ran.err
    assert ran.out == b""


def test_a_limit_changes_nothing_and_leaves_nothing(command: Command, folder: Folder) -> None:
    items = [gold(f"Q{number:04}") for number in range(2000)]
    folder.write("gold.jsonl", items)
    folder.write("trace.jsonl", [trace(str(item["qid"])) for item in items])
    (folder.work / "aside").mkdir()
    whole = command("score", *INPUTS, "--json")
    before = folder.files()
    limited = command("score", *INPUTS, "--json", "--memory", "500MB", "--temp", "aside")
    assert limited.out == whole.out
    assert folder.files() == before
    assert list((folder.work / "aside").iterdir()) == []


def test_the_file_says_it_too(command: Command, folder: Folder) -> None:
    folder.fill()
    plain = command("score", *INPUTS, "--json")
    folder.write("ragstone.toml", '[engine]\nmemory = "1GB"\n')
    assert command("score", *INPUTS, "--json").json["digest"] == plain.json["digest"]
    folder.write("ragstone.toml", "[engine]\nmemory = 1\n")
    ran = command("score", *INPUTS, "--json")
    assert ran.code == 2
    assert "memory" in ran.err


def test_too_little_memory_is_said_and_not_exceeded() -> None:
    with Duck(1) as duck:
        duck.limit(60 * 10**6)
        with pytest.raises(InputError, match=r"0\.06 GB of memory are not enough .*--memory"):
            duck.query("select list(repeat(i::varchar, 20)) from range(10000000) t(i)")
