"""`ragstone gold from-traces`: what was asked becomes gold, if a person says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from command import Command, Folder, Process, at_a_terminal
from hypothesis import given
from hypothesis import strategies as st

from ragstone.tools.gold_proposals import Seen, proposals

FROM = ("gold", "from-traces", "gold.jsonl", "--trace", "trace.jsonl", "--by", "Ann Lee")
GOLD = (
    {
        "qid": "keep",
        "question": "How long are events kept?",
        "answerable": True,
        "gold_claim_substr": ["30 days"],
        "gold_citations": ["p1"],
    },
    {
        "qid": "copy",
        "question": "What is a standby?",
        "answerable": True,
        "gold_claim_substr": ["second copy"],
        "gold_citations": ["p2"],
    },
)
PORT = "The relay listens on port 8443 for TLS."


def traced(name: str, question: str, claim: str, cites: list[str], **texts: str) -> dict[str, Any]:
    return {
        "trace_id": name,
        "q": question,
        "retrieved_ids": [*texts],
        "retrieved_texts": [*texts.values()],
        "answer_json": {"claim": claim, "citations": cites},
    }


MONTH, WAITS = "It is one month.", "A second copy waits."
TRACES = (
    {**traced("t1", "How long are events kept?", MONTH, ["p1"], p1=MONTH), "qid": "keep"},
    {**traced("t2", "What is a standby?", "A second copy.", ["p5"], p5=WAITS), "qid": "copy"},
    traced("t3", "Which port does the relay use?", "It is on port 8443.", [], p7=PORT),
    traced("t4", "Can I pay by invoice?", "not in context", [], p7=PORT),
    traced("t5", "Who gets a badge?", "Everybody.", ["p7"], p7=PORT),
    traced("t6", "How long are the events kept now?", "Ever.", ["p0"], p7=PORT),
)


@pytest.fixture(autouse=True)
def files(folder: Folder) -> None:
    folder.write("gold.jsonl", GOLD)
    folder.write("trace.jsonl", TRACES)


def listed(command: Command, *words: str) -> dict[str, dict[str, Any]]:
    ran = command(*FROM, "--list", *words)
    assert ran.code == 0, ran.err
    return {item["qid"]: item for item in map(json.loads, ran.text.splitlines())}


def held(folder: Folder) -> dict[str, dict[str, Any]]:
    lines = (folder.work / "gold.jsonl").read_text().splitlines()
    return {item["qid"]: item for item in map(json.loads, lines)}


def test_offenders_come_first_and_then_what_gold_does_not_ask(command: Command) -> None:
    found = listed(command)
    port = "which-port-does-the-relay-use"
    assert [*found][:3] == ["keep", "copy", port]
    assert {*found} == {"copy", "keep", port, "can-i-pay-by-invoice", "who-gets-a-badge"}
    assert "wrong by gold: the answer does not say what is expected" in found["keep"]["why"]
    assert found["keep"]["gold_claim_substr"] == ["30 days", "one month"]
    assert found["keep"]["paraphrases"] == ["How long are the events kept now?"]
    assert found["copy"]["gold_citations_any"] == [["p2", "p5"]]
    assert "gold_citations" not in found["copy"]
    assert found[port]["gold_citations"] == ["p7"]
    assert found[port]["gold_answer"] == {"text": "port 8443"}
    assert found["can-i-pay-by-invoice"]["answerable"] is False
    assert "say what does" in found["who-gets-a-badge"]["lacks"]
    assert [each["kind"] for each in found.values()].count("changed") == 2
    assert listed(command) == found


def test_what_was_accepted_is_added_with_who_and_when(command: Command, folder: Folder) -> None:
    before = (folder.work / "gold.jsonl").read_bytes()
    ran = command(*FROM, "--accept", "can-i-pay-by-invoice", "--json")
    assert (ran.code, ran.json["accepted"], ran.json["lock"]) == (0, 1, None)
    after = (folder.work / "gold.jsonl").read_bytes()
    assert after.startswith(before)
    accepted = held(folder)["can-i-pay-by-invoice"]["accepted"]
    assert (accepted["by"], accepted["from"]) == ("Ann Lee", "trace t4")
    assert accepted["at"].endswith("Z") and len(accepted["at"]) == 20
    assert command("check", "gold.jsonl").code == 0
    assert "can-i-pay-by-invoice" not in listed(command)


def test_nothing_that_changes_an_item_or_is_incomplete_is_accepted_unread(
    command: Command, folder: Folder
) -> None:
    ran = command(*FROM, "--yes")
    assert ran.code == 0
    assert [*held(folder)][2:] == ["which-port-does-the-relay-use", "can-i-pay-by-invoice"]
    assert "accepted" not in held(folder)["keep"]
    ran = command(*FROM, "--accept", "who-gets-a-badge")
    assert ran.code == 2 and "nothing that was retrieved proves the answer" in ran.err
    assert command(*FROM, "--accept", "nobody").code == 2


def test_a_frozen_gold_set_is_frozen_again(command: Command, folder: Folder) -> None:
    command("gold", "freeze", "gold.jsonl", "--who", "Ben", "--why", "new")
    ran = command(*FROM, "--accept", "keep", "--why", "seen twice")
    assert "1 changed; wrote gold.jsonl\nfroze it again: wrote gold.lock" in ran.text
    told = command("gold", "verify", "gold.jsonl", "--json").json
    assert told["frozen"]
    assert (told["last"]["who"], told["last"]["why"]) == ("Ann Lee", "seen twice")
    folder.write("gold.jsonl", GOLD[:1])
    ran = command(*FROM, "--yes")
    assert ran.code == 2 and "gold freeze gold.jsonl --who WHO --why WHY` signs it off" in ran.err
    assert [*held(folder)] == ["keep"]


def test_another_file_gets_the_gold_set_with_what_was_accepted(
    command: Command, folder: Folder
) -> None:
    before = (folder.work / "gold.jsonl").read_bytes()
    ran = command(*FROM, "--yes", "-o", "next.jsonl", "--freeze")
    assert ran.code == 0
    assert (folder.work / "gold.jsonl").read_bytes() == before
    assert (folder.work / "next.jsonl").read_bytes().startswith(before)
    assert command("gold", "verify", "next.jsonl").code == 0
    (folder.work / "next.jsonl").write_text("mine")
    assert "kept what was in next.jsonl as " in command(*FROM, "--yes", "-o", "next.jsonl").text
    assert (folder.work / "next.jsonl.before").read_text() == "mine"
    assert command(*FROM, "--yes", "-o", "nowhere/next.jsonl").code == 2
    assert command(*FROM, "--yes", "-o", ".").code == 2


def test_the_new_item_is_scored_by_the_next_run(command: Command, folder: Folder) -> None:
    command(*FROM, "--accept", "which-port-does-the-relay-use")
    folder.write(
        "next.jsonl",
        [
            {**TRACES[0], "answer_json": {"claim": "30 days", "citations": ["p1"]}},
            {**TRACES[1], "retrieved_ids": ["p2"], "retrieved_texts": ["x"],
             "answer_json": {"claim": "A second copy.", "citations": ["p2"]}},
            {**TRACES[2], "qid": "which-port-does-the-relay-use"},
        ],
    )  # fmt: skip
    ran = command("score", "--gold", "gold.jsonl", "--trace", "next.jsonl", "--json")
    (wrong,) = {row["qid"] for row in ran.json["offenders"]}
    assert wrong == "which-port-does-the-relay-use"


def test_a_recorded_run_says_what_fails(command: Command) -> None:
    command("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--record")
    ran = command("gold", "from-traces", "gold.jsonl", "--run", "last", "--list")
    assert (ran.code, ran.text) == (0, "")
    texts = '{"id": "p1", "text": "It is one month."}\n'
    folder_texts = command.folder.write("texts.jsonl", texts)
    ran = command(
        "gold", "from-traces", "gold.jsonl", "--run", "last", "--list", "--texts", folder_texts.name
    )
    (item,) = map(json.loads, ran.text.splitlines())
    assert (item["qid"], item["gold_claim_substr"]) == ("keep", ["30 days", "one month"])
    assert item["seen"].startswith("run ")


def test_retrieval_gold_gets_wordings_and_relevant_ids(command: Command, folder: Folder) -> None:
    folder.write(
        "gold.jsonl",
        [{"qid": "A", "paraphrases": ["How long are events kept?"], "relevant": ["p1"]}],
    )
    found = listed(command)
    badge = found["who-gets-a-badge"]
    assert (badge["paraphrases"], badge["relevant"]) == (["Who gets a badge?"], ["p7"])
    assert "choose what answers it" in found["which-port-does-the-relay-use"]["lacks"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gold.jsonl",), "what was asked?"),
        (("gold.jsonl", "--data", "nowhere", "--list"), "is no folder of `ragstone serve --data`"),
        (("gold.jsonl", "--trace", "trace.jsonl"), "accepting takes a terminal"),
        (("gold.jsonl", "--data", ".", "--from", "otel", "--list"), "--from goes with --trace"),
        (("gold.jsonl", "--trace", "trace.jsonl", "--list", "--limit", "0"), "expected 1 or more"),
        (("gold.jsonl", "--trace", "nowhere.jsonl", "--list"), "does not exist"),
        (("gold.csv", "--trace", "trace.jsonl", "--list"), "is a table: items are saved into"),
        (("gold.jsonl", "--run", "last", "--list"), "last"),
    ],
)
def test_a_bad_command_is_told_in_one_sentence(
    command: Command, folder: Folder, words: tuple[str, ...], said: str
) -> None:
    folder.write("gold.csv", "qid,question,answerable\nA,Why?,true\n")
    ran = command("gold", "from-traces", *words)
    assert (ran.code, said in ran.err, ran.err.count("\n")) == (2, True, 1), ran.err


def test_another_tools_log_is_read(command: Command, folder: Folder) -> None:
    lines = [{"text": "Is it so?", "reply": "It is not so at all."}]
    folder.write("log.jsonl", lines)
    ran = command(
        "gold", "from-traces", "gold.jsonl", "--trace", "log.jsonl", "--list",
        "--map", "q=text", "claim=reply",
    )  # fmt: skip
    (item,) = map(json.loads, ran.text.splitlines())
    assert (item["question"], item["why"]) == ("Is it so?", "fails: cites nothing")


def typed(ragstone: Process, keys: bytes) -> str:
    return at_a_terminal(ragstone, FROM, keys)[0]


def test_a_person_accepts_drops_edits_and_stops(ragstone: Process, folder: Folder) -> None:
    # Drops what would change gold, accepts the port, cannot accept what lacks a proof, edits it.
    edit = b"e\n\nbadge\np7\n\nport 8443 for TLS\n\nWho has a badge?\ny\n"
    shown = typed(ragstone, b"d\nd\na\nd\na\n" + edit)
    assert "nothing that was retrieved proves the answer: say what does; edit it (e)" in shown
    assert "5 proposed (1 of them to be completed), 2 accepted" in shown
    badge = held(folder)["badge"]
    assert badge["gold_claim_substr"] == ["port 8443 for TLS"]
    assert badge["paraphrases"] == ["Who has a badge?"]
    assert badge["accepted"]["by"] == "Ann Lee"
    assert "copy" in held(folder) and "gold_citations_any" not in held(folder)["copy"]


def test_what_was_accepted_before_a_closed_terminal_is_kept(
    ragstone: Process, folder: Folder
) -> None:
    typed(ragstone, b"d\nd\na\n\x04\x04")
    assert "which-port-does-the-relay-use" in held(folder)


QUESTIONS = st.text("abc der?", min_size=1, max_size=20)


@given(st.lists(st.tuples(QUESTIONS, QUESTIONS, st.booleans()), max_size=8), st.randoms())
def test_proposals_do_not_depend_on_the_order_of_what_was_asked(
    asked: list[tuple[str, str, bool]], chance: Any
) -> None:
    seen = [
        Seen(str(n), question, claim=claim, retrieved=("p",), texts={"p": claim},
             wrong=("it is empty",) if wrong else ())
        for n, (question, claim, wrong) in enumerate(asked)
    ]  # fmt: skip
    gold = {item["qid"]: item for item in GOLD}
    found = proposals(gold, seen)
    mixed = chance.sample(seen, len(seen))
    assert proposals(gold, mixed) == found
    assert len({each.qid for each in found}) == len(found)
    # What fails stands before what does not.
    fails = ["fails" in each.why for each in found]
    assert fails == sorted(fails, reverse=True)
