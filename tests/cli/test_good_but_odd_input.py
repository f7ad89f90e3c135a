"""What is odd and yet right: it is read as it is meant, and nothing is said about it."""

from __future__ import annotations

import gzip
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from builders import gold, refusal, trace
from command import ANSWERS, INPUTS, QUESTIONS, Command, Folder, ragstone

from ragstone.engine.duck import quoted

GOLD = b"".join(json.dumps(item).encode() + b"\n" for item in QUESTIONS)
TRACE = b"".join(json.dumps(item).encode() + b"\n" for item in ANSWERS)
LINES = [line + b"\n" for line in TRACE.splitlines()]
ASKED = QUESTIONS[0]["question"]


def passes(command: Command, *words: str, stdin: bytes = b"", warned: str = "") -> dict[str, Any]:
    """A run that is right in every question and says nothing, or this, on standard error."""
    ran = command("score", *(words or INPUTS), "--json", stdin=stdin)
    assert (ran.code, ran.err if not warned else "") == (0, "")
    assert warned in ran.err
    assert (ran.json["answered"], ran.json["refused"], ran.json["precision"]) == (1, 1, 1.0)
    return ran.json


@pytest.fixture(autouse=True)
def good(folder: Folder) -> None:
    folder.fill()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is said of the same questions and answers where nothing is odd."""
    folder = Folder(tmp_path_factory.mktemp("plain"))
    folder.fill()
    return ragstone("score", *INPUTS, "--json", cwd=folder.work).json


SAME_LINES = {
    "a byte-order mark": b"\xef\xbb\xbf" + TRACE,
    "carriage returns": TRACE.replace(b"\n", b"\r\n"),
    "a byte-order mark and carriage returns": b"\xef\xbb\xbf" + TRACE.replace(b"\n", b"\r\n"),
    "blank lines": b"\n\n" + TRACE.replace(b"\n", b"\n\n \t\n"),
    "no line break at the end": TRACE.rstrip(),
    "spaces around the values": b"  " + TRACE.replace(b"\n", b" \t \n\t"),
    "form feeds around the values": b"\x0c" + TRACE.replace(b"\n", b"\x0b\n\x0c"),
    "a carriage return between tokens": TRACE.replace(b", ", b",\r "),
    "a byte-order mark on a line of its own": b"\xef\xbb\xbf\n" + TRACE,
}


@pytest.mark.parametrize("content", SAME_LINES.values(), ids=SAME_LINES.keys())
def test_white_space_does_not_matter(
    content: bytes, command: Command, folder: Folder, plain: dict[str, Any]
) -> None:
    folder.write("trace.jsonl", content)
    assert passes(command) == plain
    folder.write("trace.jsonl", TRACE)
    folder.write("gold.jsonl", content.replace(TRACE, GOLD) if TRACE in content else GOLD)
    assert passes(command) == plain


def copied(command: Command, folder: Folder, source: str, target: str, how: str) -> None:
    """A file as DuckDB writes it."""
    import duckdb

    scan = f"read_json({quoted(str(folder.work / source))}, format = 'newline_delimited')"
    with duckdb.connect() as connection:
        connection.execute(f"copy (from {scan}) to {quoted(str(folder.work / target))} ({how})")


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("x.jsonl.gz", "format json, compression gzip"),
        ("x.jsonl.zst", "format json, compression zstd"),
        ("x.parquet", "format parquet"),
        ("x.log", "format parquet"),
        ("x.json", "format json, compression zstd"),
    ],
)
def test_a_packed_file_is_read_as_it_is_whatever_its_name(
    name: str, how: str, command: Command, folder: Folder, plain: dict[str, Any]
) -> None:
    copied(command, folder, "gold.jsonl", f"gold-{name}", how)
    copied(command, folder, "trace.jsonl", f"trace-{name}", how)
    assert passes(command, "--gold", f"gold-{name}", "--trace", f"trace-{name}") == plain


def test_several_gzip_members_are_one_file(
    command: Command, folder: Folder, plain: dict[str, Any]
) -> None:
    folder.write("trace.gz", gzip.compress(LINES[0]) + gzip.compress(LINES[1]))
    assert passes(command, *INPUTS[:2], "--trace", "trace.gz") == plain


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_standard_input_is_read_like_a_file(
    pack: Any, command: Command, plain: dict[str, Any]
) -> None:
    assert passes(command, *INPUTS[:2], "--trace", "-", stdin=pack(TRACE)) == plain
    assert passes(command, "--gold", "-", *INPUTS[2:], stdin=pack(GOLD)) == plain


def test_a_pipe_with_a_name_is_read_like_a_file(
    command: Command, folder: Folder, plain: dict[str, Any]
) -> None:
    # As the shell's <(zcat old.gz) makes: it can be read only once, and from the start.
    os.mkfifo(folder.work / "pipe")
    writer = threading.Thread(target=Path(folder.work / "pipe").write_bytes, args=(TRACE,))
    writer.start()
    assert passes(command, *INPUTS[:2], "--trace", "pipe") == plain
    writer.join()


def test_an_empty_trace_file_is_a_trace_of_nothing(command: Command, folder: Folder) -> None:
    for content in (b"", b"\n\n", b"\xef\xbb\xbf"):
        folder.write("trace.jsonl", content)
        ran = command.score("--json")
        assert (ran.code, ran.json["missing"], ran.json["inputs"]["lines"]) == (1, 1.0, 0)


def test_the_last_line_wins_across_files_in_the_order_given(
    command: Command, folder: Folder
) -> None:
    last = ("--keep", "last")
    folder.write("r2.jsonl", [refusal("A1")])
    folder.write("r10.jsonl", [trace("A1")])
    # r10 sorts before r2: the glob's order is that of the names, not of the numbers in them.
    globbed = command(
        "score", *INPUTS[:2], "--trace", "trace.jsonl", "r*.jsonl", *last, "--json"
    ).json
    assert globbed["over_refusal"] == 1.0
    assert globbed["inputs"]["superseded"] == 2
    given = ("--trace", "trace.jsonl", "--trace", "r2.jsonl", "r10.jsonl")
    same = "2 of 4 trace lines were replaced by another line of the same question"
    named = passes(command, *INPUTS[:2], *given, *last, warned=same)
    assert named["inputs"]["superseded"] == 2
    glob = ("--trace", "trace.jsonl", "r*.jsonl")
    first = passes(command, *INPUTS[:2], *glob, "--keep", "first", warned=same)
    assert first["inputs"]["kept"] == 2


def test_a_file_matched_twice_is_read_once(command: Command, folder: Folder) -> None:
    found = passes(command, *INPUTS[:2], "--trace", "trace.jsonl", "tr*.jsonl", "./trace.jsonl")
    assert found["inputs"]["lines"] == 2


def test_a_name_that_looks_like_a_pattern_is_that_file(
    command: Command, folder: Folder, plain: dict[str, Any]
) -> None:
    folder.write("run1.jsonl", [refusal("A1"), refusal("A2")])
    folder.write("run[1].jsonl", TRACE)
    folder.write('it\'s "here" *.jsonl', TRACE)
    folder.write("qid=A9/ts=x/trace.jsonl", TRACE)
    for name in ("run[1].jsonl", 'it\'s "here" *.jsonl', "qid=A9/ts=x/trace.jsonl"):
        assert passes(command, *INPUTS[:2], "--trace", name) == plain


def test_q_id_is_another_spelling_of_qid(command: Command, folder: Folder) -> None:
    lines = [{"q_id": row.pop("qid"), **row} for row in (trace("A1"), refusal("A2"))]
    lines.append({"qid": None, **lines[0]})
    lines.append({"qid": "", **lines[1]})
    folder.write("trace.jsonl", lines)
    counts = passes(command, warned="2 of 4 trace lines were replaced")["inputs"]
    assert [counts[name] for name in ("lines", "kept", "no_qid", "superseded")] == [4, 2, 0, 2]


OLDER = {
    "ts": 1700000000,
    "q": ASKED,
    "chunks": [{"id": "p1#1", "score": 0.5}, {"id": "p1#2"}, {"id": "p2#1", "score": None}],
    "answer": "- X rejects null keys.\n- citations: [p1#2]",
}


@pytest.mark.parametrize(
    "answer",
    [
        "- X rejects null keys.\n- citations: [p1#2]",
        "* X rejects null keys.\n* Citations: [p1#2, p1#1]",
        "X rejects null keys.\nCITATION: p1#2",
        "- citations: [ 'p1#2' ]\n- X rejects null keys.",
    ],
)
def test_the_older_shape_is_joined_by_its_question(
    answer: str, command: Command, folder: Folder
) -> None:
    folder.write("trace.jsonl", [{**OLDER, "answer": answer}, refusal("A2")])
    assert passes(command)["chr"] == 1.0


def test_the_older_shape_may_refuse_and_may_be_unknown(command: Command, folder: Folder) -> None:
    asked = QUESTIONS[1]["question"]
    older = [
        trace("A1"),
        {**OLDER, "q": asked, "answer": "- not in context\n- citations: []"},
        {**OLDER, "q": "Who?"},
        {**OLDER, "q": asked.upper()},
        {"chunks": [], "answer": "no question at all"},
    ]
    folder.write("trace.jsonl", older)
    ran = command.score("--json")
    assert (ran.code, ran.json["refused"]) == (0, 1)
    assert ran.json["inputs"]["unknown_qid"] == 2
    assert ran.json["inputs"]["no_qid"] == 1


EXTRA: dict[str, Any] = {
    "nested objects": {"meta": {"a": {"b": [{"c": {}}, {"c": {}}]}, "d": {"a": 1}}},
    "null where it is allowed": {"q": None, "ts": None, "latency_ms": None, "tokens": None},
    "emoji": {"note": "😀 👩‍👩‍👧 é ﬀ", "😀": "\U0001f600"},
    "empty names": {"": {"": []}, " ": None},
    "braces in strings": {"note": '{"qid": "A1"} [1,] NaN, // # {{{{', "other": ", ]"},
    "words that are not numbers": {"x": "NaN", "y": [", NaN ]", ": inf,"]},
    "two hundred lists": {"x": json.loads("[" * 198 + "]" * 198)},
    "many brackets": {"x": [[i, {"k": [i]}] for i in range(500)]},
    "a mark inside a string": {"x": "\ufeff\u200b\u2028\x85"},
    "every control character": {"x": "".join(map(chr, range(32))) + "\x7f"},
}


@pytest.mark.parametrize("extra", EXTRA.values(), ids=EXTRA.keys())
@pytest.mark.parametrize("ascii", [True, False], ids=["escaped", "raw"])
def test_what_the_contract_does_not_know_is_let_through(
    extra: dict[str, Any], ascii: bool, command: Command, folder: Folder, plain: dict[str, Any]
) -> None:
    rows = [json.dumps({**row, **extra}, ensure_ascii=ascii) + "\n" for row in ANSWERS]
    folder.write("trace.jsonl", "".join(rows))
    found = passes(command)
    assert found["digest"] == plain["digest"]


@pytest.mark.parametrize(
    "number",
    [b"1e999", b"-1e999", b"1e-999", b"-0", b"1" * 5000, b"0.1e+5", b"12345678901234567890"],
)
def test_any_number_may_stand_in_an_unknown_field(
    number: bytes, command: Command, folder: Folder, plain: dict[str, Any]
) -> None:
    folder.write("trace.jsonl", TRACE.replace(b'{"qid"', b'{"x": [' + number + b'], "qid"'))
    assert passes(command)["digest"] == plain["digest"]


def test_null_is_the_same_as_absent(command: Command, folder: Folder) -> None:
    names = ("question", "gold_claim_substr", "gold_citations", "constraints", "tags", "notes")
    item = gold("A1", constraints=None, tags=None, notes=None)
    folder.write("gold.jsonl", [item, {"qid": "A2", "answerable": False, **dict.fromkeys(names)}])
    passes(command)
    folder.write("trace.jsonl", [{"qid": "A1", "answer_json": None, "retrieved_ids": None}])
    assert command.score("--json").json["missing"] == 1.0


def test_a_claim_may_have_a_million_characters(command: Command, folder: Folder) -> None:
    folder.write("trace.jsonl", [trace("A1", "é" * 10**6 + " X Rejects NULL keys"), refusal("A2")])
    passes(command)
    folder.write("trace.jsonl", [trace("A1", "wrong " * 10**6), refusal("A2")])
    ran = command.score("-o", "out.html", "-o", "out.md")
    assert ran.code == 1
    for name in ("out.html", "out.md"):
        # A report is read by people: it shows the start of such a claim, and how long it is.
        assert (folder.work / name).stat().st_size < 10**6


def test_a_line_may_be_longer_than_duckdb_reads_by_default(
    command: Command, folder: Folder, plain: dict[str, Any]
) -> None:
    padded = [{**row, "log": "x" * 20_000_000} for row in ANSWERS]
    folder.write("trace.jsonl", padded[:1])
    with (folder.work / "trace.jsonl").open("ab") as file:
        file.write(LINES[1])
    assert passes(command)["digest"] == plain["digest"]


def test_characters_outside_the_first_plane_may_be_escaped_or_not(
    command: Command, folder: Folder
) -> None:
    item = gold("😀", gold_claim_substr=["𝄞 clef 😀"], gold_citations=["p😀#1"])
    answer = trace("😀", "the 𝄞 CLEF 😀", ["p😀#1"], ["p😀#1"])
    for gold_ascii, trace_ascii in ((True, False), (False, True)):
        folder.write("gold.jsonl", json.dumps(item, ensure_ascii=gold_ascii))
        folder.write("trace.jsonl", json.dumps(answer, ensure_ascii=trace_ascii))
        ran = command.score("--json")
        assert (ran.code, ran.json["precision"]) == (0, 1.0)


ODD_IDS = [
    "a b",
    "a,b",
    "a\"b'c",
    "[p1]",
    "p\\1",
    "p\n1",
    "p\t",
    "null",
    "1",
    "\u00e9",
    "<b>",
    "%s",
]


@pytest.mark.parametrize("name", ODD_IDS, ids=ascii)
def test_an_id_may_hold_any_character(name: str, command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", [gold(name, gold_citations=[name])])
    folder.write("trace.jsonl", [trace(name, cites=[name], retrieved=[name])])
    ran = command.score("--json", "-o", "out.sarif", "-o", "out.xml")
    assert (ran.code, ran.json["precision"]) == (0, 1.0)
    folder.write("trace.jsonl", [trace(name, cites=["other"], retrieved=[name])])
    assert command.score("--json").json["offenders"][0]["qid"] == name


def test_ids_are_compared_byte_for_byte(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", [gold("A1", gold_citations=["\u00e9"])])
    folder.write("trace.jsonl", [trace("A1", cites=["e\u0301"], retrieved=["e\u0301"])])
    assert command.score("--json").json["chr"] == 0.0


def moved(row: dict[str, Any]) -> dict[str, Any]:
    """The same trace from a pipeline with names of its own."""
    answer = row["answer_json"]
    return {
        "request": {"id": row["qid"]},
        "docs": row["retrieved_ids"],
        "output": {"final": {"text": answer["claim"]}, "sources": answer["citations"]},
    }


def test_fields_with_other_names_are_mapped(
    command: Command, folder: Folder, plain: dict[str, Any]
) -> None:
    folder.write("gold.jsonl", [{"id": item.pop("qid"), **item} for item in map(dict, QUESTIONS)])
    folder.write("trace.jsonl", map(moved, ANSWERS))
    flags = ("gold.qid=id,trace.qid=request.id", "retrieved_ids=docs", "claim=output.final.text",
             "answer_json.citations=output.sources")  # fmt: skip
    found = passes(command, *INPUTS, "--map", *flags)
    assert found["inputs"] == plain["inputs"]
    toml = """
        [map]
        gold.qid = "id"
        "trace.qid" = "request.id"
        retrieved_ids = "docs"
        claim = "output.final.text"
        answer_json.citations = "output.sources"
    """
    folder.write("ragstone.toml", toml)
    assert passes(command)["inputs"] == plain["inputs"]


def test_a_mapped_field_is_checked_under_the_name_the_user_gave(
    command: Command, folder: Folder
) -> None:
    folder.write("trace.jsonl", [moved(trace("A1")), {"request": {"id": 7}, "docs": {"p": 1}}])
    ran = command.score("--map", "qid=request.id", "retrieved_ids=docs")
    assert ran.err.splitlines()[:2] == [
        "trace.jsonl:2: request.id: expected a string, found 7",
        'trace.jsonl:2: docs: expected a list of strings, found {"p": 1}',
    ]


def test_a_mapped_qid_makes_a_line_one_of_the_newer_shape(command: Command, folder: Folder) -> None:
    # The older shape's fields are then the pipeline's own, in either pass over the lines.
    row = {**moved(trace("A1")), "chunks": "three", "answer": {"any": "thing"}}
    flags = ("--map", "trace.qid=request.id", "claim=output.final.text",
             "citations=output.sources", "retrieved_ids=docs")  # fmt: skip
    second = moved(refusal("A2"))
    for content in ([row, second], [row, {**second, "x": {"deep": [[{"er": 1}]] * 300}}]):
        folder.write("trace.jsonl", content)
        passes(command, *INPUTS, *flags)
