"""A log in another tool's words is scored as one of our own: every form of --map, any reader."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from arrow_tables import write_parquet
from command import Command, Folder
from packing import zstd

import ragstone
from ragstone.contracts.mapped_values import hashed
from ragstone.errors import ConfigError

COUNT = 3
GOLD = [
    *(
        {"qid": f"{n}", "question": f"What is {n}?", "answerable": True,
         "gold_claim_substr": ["rejects null keys"], "gold_citations": ["2"]}
        for n in range(COUNT)
    ),
    {"qid": "9", "question": "Who?", "answerable": False},
]  # fmt: skip
TRACE = [
    *(
        {"qid": f"{n}", "retrieved_ids": ["1", "2"], "refused": False,
         "answer_json": {"claim": "X rejects null keys.", "citations": ["2", *["[9]"] * (n == 1)]}}
        for n in range(COUNT)
    ),
    {"qid": "9", "retrieved_ids": ["1"], "refused": True,
     "answer_json": {"claim": "Sorry.", "citations": []}},
]  # fmt: skip
THEIR_GOLD = [
    {"id": int(item["qid"]), "q": item["question"], "type": "yes" if item["answerable"] else "no",
     "answer": "rejects null keys" if item["answerable"] else None,
     "proof": [{"chunk": 2}] if item["answerable"] else None}
    for item in GOLD
]  # fmt: skip
THEIR_TRACE = [
    {"id": int(line["qid"]), "out": {"gpt-4.1": line["answer_json"]["claim"]},
     "hits": [{"id": int(each), "s": 0.5} for each in line["retrieved_ids"]],
     "cites": [1 if each == "2" else 9 for each in line["answer_json"]["citations"]],
     "answered": not line["refused"]}
    for line in TRACE
]  # fmt: skip
MAP = {
    "qid": "id",
    "question": "q",
    "answerable": "type{yes:true,no:false}",
    "gold_claim_substr": "answer",
    "gold_citations": "proof[].chunk",
    "claim": 'out."gpt-4.1"',
    "retrieved_ids": "hits[].id",
    "citations": "cites[]@retrieved_ids",
    "trace.refused": "!answered",
}
WORDS = ("--map", *(f"{name}={text}" for name, text in MAP.items()))
HOW = ("--no-config", "--json", "--ids", "text", "--cite-base", "0")


@pytest.fixture
def logs(folder: Folder) -> Folder:
    folder.fill()
    for name, rows in {
        "g": GOLD,
        "t": TRACE,
        "their_g": THEIR_GOLD,
        "their_t": THEIR_TRACE,
    }.items():
        folder.write(f"{name}.jsonl", rows)
    return folder


def numbers(found: dict[str, Any]) -> Any:
    return found["metrics"], found["offenders"], found["inputs"]["gold"]


@pytest.mark.parametrize("kind", ["jsonl", "gz", "zst", "parquet", "-", "many"])
def test_every_reader_reads_every_form(kind: str, logs: Folder, command: Command) -> None:
    own = command("score", "--gold", "g.jsonl", "--trace", "t.jsonl", "--json", "--no-config")
    gold, trace = (logs.work / f"their_{each}.jsonl" for each in "gt")
    stdin = b""
    if kind in ("gz", "zst"):
        pack = gzip.compress if kind == "gz" else zstd
        for each in (gold, trace):
            each.write_bytes(pack(each.read_bytes()))
    elif kind == "parquet":
        write_parquet(logs.work / "g.parquet", THEIR_GOLD)
        write_parquet(logs.work / "t.parquet", THEIR_TRACE)
        gold, trace = logs.work / "g.parquet", logs.work / "t.parquet"
    elif kind == "-":
        stdin = trace.read_bytes()
    elif kind == "many":
        # So large that most lines are checked by the engine.
        others = [{**line, "id": 100 + n} for n, line in enumerate(THEIR_TRACE * 600)]
        logs.write("their_t.jsonl", [*THEIR_TRACE, *others])
    found = command(
        "score", "--gold", str(gold), "--trace", "-" if stdin else str(trace), *WORDS, *HOW,
        stdin=stdin,
    )  # fmt: skip
    assert found.code in (0, 1), found.err
    assert numbers(found.json) == numbers(own.json)
    assert found.json["settings"]["ids"] == "text"


def test_flags_the_file_and_a_call_say_the_same(logs: Folder, command: Command) -> None:
    files = ("--gold", "their_g.jsonl", "--trace", "their_t.jsonl")
    flags = command(
        "score", *files, *WORDS, *HOW, "--map", "reason=1.5", "answer_json.refused=false"
    )
    lines = [f"{json.dumps(name)} = {json.dumps(text)}" for name, text in MAP.items()]
    lines = [line.replace('"trace.refused"', "trace.refused") for line in lines]
    logs.write(
        "ragstone.toml",
        "[read]\nids = 'text'\n[answers]\ncite_base = 0\n[map]\nreason = 1.5\n"
        '"answer_json.refused" = false\n' + "\n".join(lines),
    )
    file = command("score", *files, "--json")
    called = ragstone.answers(
        gold=THEIR_GOLD, trace=THEIR_TRACE, ids="text", cite_base=0,
        map={**MAP, "reason": 1.5, "answer_json.refused": False},
    )  # fmt: skip
    assert file.json == flags.json
    assert json.loads(called.render("json")) == flags.json


def test_without_ids_a_report_does_not_speak_of_them(logs: Folder, command: Command) -> None:
    found = command("score", "--gold", "g.jsonl", "--trace", "t.jsonl", "--json", "--no-config")
    assert "ids" not in found.json["settings"]


def test_texts_stand_for_ids_by_their_hash(logs: Folder, command: Command) -> None:
    texts = ["X is fast.", "Café: X rejects null keys.\0"]
    gold = [
        {**GOLD[0], "gold_citations": [texts[1]]},
        {**GOLD[1], "gold_citations": [hashed(texts[1])]},
    ]
    trace = [
        {**TRACE[n], "retrieved_ids": [texts[0], texts[1].replace("é", "e\u0301")],
         "answer_json": {"claim": "X rejects null keys.", "citations": [texts[1]]}}
        for n in range(2)
    ]  # fmt: skip
    logs.write("g.jsonl", gold)
    logs.write("t.jsonl", trace)
    given = ("score", "--gold", "g.jsonl", "--trace", "t.jsonl", "--json", "--no-config")
    found = command(*given, "--ids", "hash").json
    assert (found["precision"], found["recall@k"]) == (1.0, 1.0)
    assert command(*given).json["precision"] == 0.0
    assert found["digest"] != command(*given).json["digest"]


BAD = {
    "answerable=type{yes:true": "expected , or } at character 14 of 'type{yes:true'",
    "answerable=type{yes}": "expected a colon at character 9",
    "answerable=type{}": "expected a value to look up at character 6",
    "answerable=type{yes:}": "expected what the value stands for at character 10",
    "answerable=type{a:true,'a':false}": "'a' at character 13 of",
    "answerable=type{a:true}.x": "expected the end at character 13",
    "answerable=type{a:maybe}": "a:maybe of 'type{a:maybe}': expected true or false, found",
    "answerable=!": "expected a key at character 2 of '!'",
    "answerable=!a[].b": "expected the end at character 3 of '!a[].b'; ! is for one value",
    "answerable=!a{b:true}": "expected the end at character 3 of '!a{b:true}'",
    "answerable=7": "expected true or false, found 7, which is a constant; a key of this name",
    "answerable=1e999": "expected a number that a float can hold at character 1",
    "claim='it's'": "expected the end at character 5 of \"'it's'\"; a quote in a text is written",
    "claim='it": 'the quote at character 1 of "\'it" is not closed',
    "claim=!a": "!a gives true or false, and claim is a string",
    "claim=a[]@retrieved_ids": "a[]@retrieved_ids gives a list, and claim is none",
    "claim=a@retrieved_ids": "gives a list of ids, and claim is a string",
    "citations=a@": "expected a field such as retrieved_ids at character 3 of 'a@'",
    "citations=a@claim": "'claim' at character 3 of 'a@claim' is no list of the trace",
    "citations=a@citations": "'citations' at character 3 of 'a@citations' is no list of the trace",
    "citations=a]": "expected a dot, [] or [0] at character 2 of 'a]'",
}


@pytest.mark.parametrize("where", ["--map", "[map]", "map="])
@pytest.mark.parametrize(("word", "says"), BAD.items(), ids=list(BAD))
def test_what_cannot_be_read_is_shown_at_its_character(
    word: str, says: str, where: str, logs: Folder, command: Command
) -> None:
    name, _, text = word.partition("=")
    if where == "map=":
        with pytest.raises(ConfigError) as caught:
            ragstone.answers(gold=GOLD, trace=TRACE, map={name: text})
        assert says in str(caught.value)
        return
    logs.write("ragstone.toml", f"[map]\n{name} = {json.dumps(text)}" if where == "[map]" else "")
    flags = ("--map", word) if where == "--map" else ()
    found = command("score", "--gold", "g.jsonl", "--trace", "t.jsonl", *flags)
    at = f"--map {name}: " if where == "--map" else f"ragstone.toml: map.{name}: "
    assert (found.code, found.err.startswith(f"ragstone: {at}")) == (2, True), found.err
    assert says in found.err


LINES = {
    "answerable=!x": ('"yes"', 'x: expected true or false to turn round with !, found "yes"'),
    "answerable=x{a:true,b:false}": ('"A"', 'x: expected one of a, b, found "A"'),
    "answerable=x{1:true}": ("1.5", "x: expected one of 1, found 1.5"),
    "trace.citations=x@retrieved_ids": (
        '["2"]',
        'x: expected positions, which are whole numbers, found "2"',
    ),
    "gold_citations=x": ("7", "x: expected a list of strings, or an object from ids to numbers"),
}


@pytest.mark.parametrize(("word", "made"), LINES.items(), ids=list(LINES))
def test_a_value_of_another_kind_is_named(
    word: str, made: tuple[str, str], logs: Folder, command: Command
) -> None:
    value, says = made
    file = "t.jsonl" if word.startswith("trace.") else "g.jsonl"
    rows = [{**row, "x": json.loads(value)} for row in (TRACE if file == "t.jsonl" else GOLD)]
    logs.write(file, rows[:1])
    found = command(
        "score", "--gold", "g.jsonl", "--trace", "t.jsonl", "--no-config", "--map", word
    )
    assert (found.code, f"{file}:1: {says}" in found.err) == (2, True), found.err


def test_a_path_that_few_lines_have_is_counted(logs: Folder, command: Command) -> None:
    rows = [{**TRACE[n], **({"why": {"it": "x"}} if n == 2 else {})} for n in range(4)]
    logs.write("t.jsonl", rows)
    words = ("--no-config", "--json", "--map", "reason=why.it")
    found = command("score", "--gold", "g.jsonl", "--trace", "t.jsonl", *words)
    assert "map reason=why.it: 1 of 4 lines of trace has why.it" in found.json["warnings"]
    logs.write("t.jsonl", [*rows, *[rows[2]] * 2])
    found = command("score", "--gold", "g.jsonl", "--trace", "t.jsonl", *words)
    assert not [each for each in found.json["warnings"] if "why" in each]


def test_a_mapping_is_split_at_its_own_commas_alone(logs: Folder, command: Command) -> None:
    word = ",".join([*WORDS[1:], "constraints_echo='a,b'"])
    given = ("score", "--gold", "their_g.jsonl", "--trace", "their_t.jsonl", *HOW)
    found = command(*given, "--map", word)
    assert found.json == command(*given, *WORDS, "constraints_echo='a,b'").json


def test_gold_whose_ids_are_numbers_is_checked_and_frozen(logs: Folder, command: Command) -> None:
    words = ("--no-config", "--ids", "text", *WORDS[:6])
    assert command("check", "their_g.jsonl", "--as", "gold", *words).code == 0
    assert command("check", "their_g.jsonl", "--as", "gold", *words[:1], *WORDS[:6]).code == 2
    assert command("gold", "lint", "their_g.jsonl", *words).code == 0
    frozen = ("--who", "me", "--why", "tests")
    assert command("gold", "freeze", "their_g.jsonl", *frozen, *words).code == 0
    scored = ("score", "--gold", "their_g.jsonl", "--trace", "their_t.jsonl", *WORDS, *HOW)
    assert command(*scored).code in (0, 1)
