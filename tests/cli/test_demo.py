"""`ragstone demo`: the whole job on built-in data."""

from __future__ import annotations

from command import Command, Folder


def test_the_loop_completes_whatever_the_decision(command: Command, folder: Folder) -> None:
    good = command("demo")
    assert (good.code, good.err) == (0, "")
    assert good.text.startswith("SHIP  PASS\n")
    assert "ragstone score --gold ragstone-demo/gold.jsonl --trace ragstone-demo/good" in good.text
    bad = command("demo", "--bad", "--quiet")
    assert bad.code == 0
    assert bad.text.startswith("DO NOT SHIP  FAIL\n")
    names = {name.removeprefix("work/ragstone-demo/") for name in folder.files()}
    assert names == {"gold.jsonl", "good.jsonl", "bad.jsonl", "report.html"}
    assert "<script" not in (folder.work / "ragstone-demo/report.html").read_text().lower()


def test_the_command_it_names_gives_the_same_result(command: Command, folder: Folder) -> None:
    shown = command("demo").text
    line = next(line for line in shown.splitlines() if line.startswith("The same by hand:"))
    words = line.partition("ragstone ")[2].split()
    assert shown.startswith(command(*words).text)


def test_nothing_of_the_users_is_replaced(command: Command, folder: Folder) -> None:
    folder.fill()
    before = (folder.work / "gold.jsonl").read_bytes()
    ran = command("demo", "--dir", ".")
    assert ran.code == 2
    assert ran.err == (
        "ragstone: gold.jsonl exists and is not the demonstration's; give another --dir\n"
    )
    assert (folder.work / "gold.jsonl").read_bytes() == before
    ran = command("demo", "--dir", "gold.jsonl")
    assert (ran.code, ran.err) == (
        2,
        "ragstone: the folder gold.jsonl cannot be made: File exists\n",
    )
