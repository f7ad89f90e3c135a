"""`ragstone demo`: the whole job on built-in data."""

from __future__ import annotations

import gc
import json
from importlib import resources

from command import Command, Folder


def test_the_loop_completes_whatever_the_decision(command: Command, folder: Folder) -> None:
    good = command("demo")
    assert (good.code, good.err) == (0, "")
    assert "\nSHIP: all 5 gates pass, 3 proven at 95 %\n" in good.text
    assert "ragstone score --gold ragstone-demo/gold.jsonl --trace ragstone-demo/good" in good.text
    first = (folder.work / "ragstone-demo/report.html").read_bytes()
    bad = command("demo", "--bad", "--quiet")
    assert (folder.work / "ragstone-demo/report.html").read_bytes() == first
    assert bad.code == 0
    assert bad.text.endswith("\nDO NOT SHIP: 3 of 5 gates fail, 1 proven to fail at 95 %\n")
    # A page's template holds the report in a circle; the rows go when that is collected.
    gc.collect()
    names = {name.removeprefix("work/ragstone-demo/") for name in folder.files()}
    made = {name for name in names if not name.startswith(("docs/", "docs.index/"))}
    traces = {"good.jsonl", "bad.jsonl"}
    assert made == {"gold.jsonl", "bad.toml", "report.html", "report-bad.html", *traces}
    assert "<script src" not in (folder.work / "ragstone-demo/report.html").read_text().lower()


def test_a_trace_that_was_changed_is_kept(command: Command, folder: Folder) -> None:
    place = folder.work / "ragstone-demo"
    assert command("demo", "-q").code == 0
    assert command("demo", "-q").code == 0
    assert not (place / "good.jsonl.before").exists()
    (place / "good.jsonl").write_text("mine")
    assert command("demo", "-q").code == 0
    assert (place / "good.jsonl.before").read_text() == "mine"


def test_the_command_it_names_gives_the_same_result(command: Command, folder: Folder) -> None:
    shown = command("demo").text
    line = next(line for line in shown.splitlines() if line.startswith("The same by hand:"))
    words = line.partition("ragstone ")[2].split()
    by_hand = command(*words).text.splitlines()
    # The demonstration has fewer lines for it, and says below how to see more.
    assert {by_hand[0], by_hand[-1]} <= set(shown.splitlines())


def test_it_ends_with_the_four_lines_that_one_needs_next(command: Command) -> None:
    files = "ragstone-demo"
    assert command("demo").text.splitlines()[-5:] == [
        "",
        f"Open the report:    {files}/report.html",
        "The same by hand:   "
        f"ragstone score --gold {files}/gold.jsonl --trace {files}/good.jsonl "
        f"--texts {files}/docs.index/manifest.jsonl --by tags",
        "Your own data:      ragstone init",
        "A careless change:  ragstone demo --bad",
    ]
    assert command("demo", "--bad", "-o", "d").text.splitlines()[-4:] == [
        "Open the report:    d/report-bad.html",
        "The same by hand:   ragstone score --gold d/gold.jsonl --trace d/bad.jsonl "
        "--texts d/docs.index/manifest.jsonl --by tags",
        "Your own data:      ragstone init",
        "Before the change:  ragstone demo -o d",
    ]


def test_by_hand_the_bad_one_ends_as_a_gate_does(command: Command) -> None:
    assert command("demo", "--bad", "--quiet").code == 0
    words = ("--gold", "ragstone-demo/gold.jsonl", "--trace", "ragstone-demo/bad.jsonl")
    assert command("score", *words, "--no-config").code == 1


def test_nothing_of_the_users_is_replaced(command: Command, folder: Folder) -> None:
    folder.fill()
    before = (folder.work / "gold.jsonl").read_bytes()
    ran = command("demo", "-o", ".")
    assert ran.code == 2
    assert ran.err == (
        "ragstone: gold.jsonl exists and is not the demonstration's; give another with -o\n"
    )
    assert (folder.work / "gold.jsonl").read_bytes() == before
    ran = command("demo", "-o", "gold.jsonl")
    assert (ran.code, ran.err) == (
        2,
        "ragstone: the folder gold.jsonl cannot be made: File exists\n",
    )


def test_a_folder_with_other_files_is_left_alone(command: Command, folder: Folder) -> None:
    folder.write("mine/notes.txt", "keep")
    ran = command("demo", "-o", "mine")
    assert (ran.code, ran.err) == (2, "ragstone: mine holds other files; give another with -o\n")
    assert folder.files() == {"work/mine/notes.txt"}


def test_the_manual_and_its_questions_belong_together() -> None:
    from ragstone.index.documents import found_in
    from ragstone.index.store import built

    data = resources.files("ragstone").joinpath("demo")
    with resources.as_file(data.joinpath("docs")) as docs:
        documents, found = built(found_in(docs))
    chunks = {chunk.id: chunk for chunk in found}
    gold = [json.loads(line) for line in data.joinpath("gold.jsonl").read_text().splitlines()]
    assert len(documents) >= 30 and len(gold) >= 60
    assert {chunk.type for chunk in found} == {"prose", "code", "table", "figure"}
    assert 3 * sum(not item["answerable"] for item in gold) == len(gold)
    assert all(len(set(item["paraphrases"])) == 3 for item in gold)
    for item in gold:
        for id in item.get("gold_citations", ()):
            assert id in chunks, f"{item['qid']} cites {id}, which the manual no longer holds"
            (phrase,) = item["gold_claim_substr"]
            assert phrase.casefold() in chunks[id].text.casefold()


def test_the_demo_can_be_read_by_a_program(command: Command) -> None:
    assert command("demo", "--json").json["decision"] == "PASS"
    assert command("demo", "--bad", "--json").json["decision"] == "FAIL"
