"""`ragstone index` and the target `index:PATH`, from documents to traces."""

from __future__ import annotations

import json

import pytest
from command import Command, Folder, Process

PAGE = "# Relay\n\n## Retention\n\nDelivered events are kept for 30 days.\n\n## Size\n\nSmall.\n"
GOLD = (
    {
        "qid": "A1",
        "question": "How long are delivered events kept?",
        "answerable": True,
        "gold_claim_substr": ["30 days"],
        "paraphrases": ["Delivered events are kept how long?"],
    },
    {"qid": "A2", "question": "Who founded it?", "answerable": False},
)


@pytest.fixture(autouse=True)
def docs(folder: Folder) -> None:
    folder.write("docs/relay.md", PAGE)
    folder.write("gold.jsonl", GOLD)


def test_from_documents_to_a_decision(command: Command, folder: Folder) -> None:
    built = command("index", "build", "docs", "-o", "docs.index", "--json")
    assert (built.code, built.json["documents"], built.json["chunks"]) == (0, 1, 2)
    words = ("run", "--target", "index:docs.index", "--gold", "gold.jsonl", "-o", "t.jsonl")
    assert command(*words, "--quiet").code == 0
    traces = [json.loads(line) for line in (folder.work / "t.jsonl").read_text().splitlines()]
    (cited,) = traces[0]["answer_json"]["citations"]
    assert traces[0]["answer_json"]["claim"] == "Delivered events are kept for 30 days."
    assert cited.startswith("relay.md#retention~") and cited in traces[0]["retrieved_ids"]
    assert traces[0]["index_hash"] == built.json["index_hash"]
    assert traces[1]["answer_json"] == {"claim": "not in context", "citations": []}
    lines = [{**GOLD[0], "gold_citations": [cited]}, GOLD[1]]
    folder.write("gold.jsonl", lines)
    assert command("score", "--gold", "gold.jsonl", "--trace", "t.jsonl").code == 0


def test_two_builds_and_two_runs_give_the_same_bytes(ragstone: Process, folder: Folder) -> None:
    made = []
    for seed in ("1", "2"):
        env = {"PYTHONHASHSEED": seed}
        assert ragstone("index", "build", "docs", "-o", "i", env=env).code == 0
        words = ("--gold", "gold.jsonl", "-o", "t.jsonl", "--timings", "m.jsonl", "--fresh")
        assert ragstone("run", "--target", "index:i", *words, env=env).code == 0
        names = ("i/index.json", "i/manifest.jsonl", "i/words.msgpack", "t.jsonl")
        made.append([(folder.work / name).read_bytes() for name in names])
    assert made[0] == made[1]


def test_a_query_says_the_answer_and_what_was_found(command: Command) -> None:
    command("index", "build", "docs", "-o", "docs.index")
    ran = command("index", "query", "docs.index", "How long are delivered events kept?")
    assert ran.code == 0
    assert ran.text.startswith("Delivered events are kept for 30 days.\n  relay.md#retention~")
    ran = command("index", "query", "docs.index", "Who founded zebras?")
    assert ran.text.startswith("not in context\n")
    found = command("index", "query", "docs.index", "delivered events", "--k", "1", "--json").json
    assert [item["type"] for item in found["topk"]] == ["prose"]
    assert found["answer"]["said"] is True


def test_diff_names_the_chunks_of_the_edited_section_only(command: Command, folder: Folder) -> None:
    command("index", "build", "docs", "-o", "one")
    folder.write("docs/relay.md", PAGE.replace("30 days", "31 days"))
    command("index", "build", "docs", "-o", "two")
    shown = command("index", "diff", "one", "two").text.splitlines()
    assert [line.partition("~")[0] for line in shown[:2]] == [
        "+ relay.md#retention",
        "- relay.md#retention",
    ]
    assert shown[2] == "1 added, 1 removed, 0 moved, 1 as they were"
    assert command("index", "diff", "one", "one", "--json").json["same_index_hash"] is True


def test_verify_exits_1_when_the_documents_have_changed(command: Command, folder: Folder) -> None:
    command("index", "build", "docs", "-o", "one")
    assert command("index", "verify", "one", "--docs", "docs").code == 0
    folder.write("docs/relay.md", PAGE.replace("30 days", "31 days"))
    ran = command("index", "verify", "one", "--docs", "docs", "--json")
    assert (ran.code, ran.json["pass"], len(ran.json["problems"])) == (1, False, 2)


def test_the_threshold_can_be_learnt_or_given(command: Command) -> None:
    made = command("index", "build", "docs", "-o", "i", "--calibrate", "gold.jsonl", "--json").json
    assert made["calibrated"] is True
    given = command("index", "build", "docs", "-o", "i", "--threshold", "0.9", "--json").json
    assert (given["threshold"], given["calibrated"]) == (0.9, False)
    # What is said changes, and what is found does not.
    assert given["index_hash"] == made["index_hash"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("build", "nowhere", "-o", "i"), "nowhere: there is no such folder"),
        (("build", "gold.jsonl", "-o", "i"), "gold.jsonl: it is no Markdown, HTML, text, PDF or"),
        (("build", "docs", "-o", "docs"), "holds something that is not an index"),
        (("build", "docs", "-o", "a/b/i"), "the folder a/b does not exist"),
        (("build", "docs", "-o", "i", "--chunk-size", "5"), "expected 100 to 100000"),
        (("query", "docs", "x"), "is not an index; ragstone index build"),
        (("verify", "nowhere"), "is not an index"),
    ],
)
def test_what_cannot_be_is_one_clear_line(command: Command, words, says: str) -> None:
    ran = command("index", *words)
    assert ran.code == 2
    assert says in ran.err and ran.err.count("\n") == 1


def test_a_knob_that_cannot_be_is_a_failure_with_a_reason(command: Command, folder: Folder) -> None:
    command("index", "build", "docs", "-o", "i")
    folder.write("grid.toml", 'mode = "magic"\n')
    words = ("--gold", "gold.jsonl", "-o", "t.jsonl", "--knobs", "grid.toml", "--json")
    ran = command("run", "--target", "index:i", *words)
    assert ran.json["reasons"] == {"bad_answer": 2}
    assert "knob mode: expected hybrid, bm25, vector" in ran.json["examples"]["bad_answer"]


def test_its_log_and_manifest_are_what_the_retrieval_suite_reads(
    command: Command, folder: Folder
) -> None:
    command("index", "build", "docs", "-o", "i")
    lines = (folder.work / "i" / "manifest.jsonl").read_text().splitlines()
    chunk = json.loads(lines[0])
    item = {
        "qid": "A1",
        "paraphrases": ["How long are delivered events kept?", "Delivered events: kept how long?"],
        "relevant": [chunk["id"]],
        "anchor_section": chunk["section_id"],
        "negatives": [],
    }
    folder.write("r.jsonl", [item])
    words = ("--gold", "r.jsonl", "--paraphrases", "-f", "log", "-o", "log.jsonl", "--quiet")
    assert command("run", "--target", "index:i", *words).code == 0
    given = ("--gold", "r.jsonl", "--log", "log.jsonl", "--manifest", "i/manifest.jsonl")
    report = command("retrieval", *given, "--json").json
    metrics = report["metrics"]
    names = ("R@1", "coverage", "citation_accuracy", "anchor_hit@1")
    assert [metrics[name]["value"] for name in names] == [1.0, 1.0, 1.0, 1.0]
    # The index writes the hash that the suite checks: of the text alone, and of all of it.
    assert report["broken_hashes"] == []
    spoiled = [json.loads(line) for line in lines]
    spoiled[0]["text"] = spoiled[0]["text"].replace("30", "31")
    folder.write("spoiled.jsonl", spoiled)
    ran = command("retrieval", *given[:4], "--manifest", "spoiled.jsonl", "--json")
    assert [found["qid"] for found in ran.json["broken_hashes"]] == ["A1"]


READERS = (
    ("index", "query", "made", "events"),
    ("index", "verify", "made"),
    ("index", "diff", "made", "whole"),
    ("index", "diff", "whole", "made"),
    ("run", "--target", "index:made", "--gold", "gold.jsonl", "-o", "t.jsonl", "--fresh"),
)
VALUES = (None, -1, 10**30, [], {"a": 1})


def test_a_damaged_header_is_one_sentence_for_every_command(
    command: Command, folder: Folder
) -> None:
    for name in ("made", "whole"):
        command("index", "build", "docs", "-o", name)
    header = json.loads((folder.work / "made/index.json").read_text())
    missing = [{key: header[key] for key in header if key != left} for left in header]
    missing += [
        {**header, "files": {key: header["files"][key] for key in header["files"] if key != left}}
        for left in header["files"]
    ]
    odd = [{**header, key: value} for key in header for value in VALUES]
    for number, made in enumerate([*missing, *odd]):
        folder.write("made/index.json", json.dumps(made))
        for words in READERS:
            ran = command(*words)
            assert ran.code in (0, 1, 2), (made, words)
            assert "a fault in ragstone" not in ran.err, (made, words)
            if number < len(missing):
                assert (ran.code, ran.out) == (2, b""), (made, words)
                assert ran.err.count("\n") == 1
                assert "build the index again" in ran.err


@pytest.mark.parametrize(
    "name", ["index.json", "manifest.jsonl", "documents.jsonl", "words.msgpack"]
)
@pytest.mark.parametrize(
    "data", [b"", b"\xff", b"{}", b"[[", b"[" * 5000, b'{"a":' * 5000], ids=len
)
def test_a_damaged_file_of_an_index_is_no_fault(
    name: str, data: bytes, command: Command, folder: Folder
) -> None:
    for each in ("made", "whole"):
        command("index", "build", "docs", "-o", each)
    folder.write(f"made/{name}", data)
    for words in READERS:
        ran = command(*words)
        assert ran.code in (0, 1, 2), words
        assert "a fault in ragstone" not in ran.err, words
