"""Broken lines: JSON that is not quite JSON, and fields of the wrong type."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from builders import gold, trace

from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.trace_records import TRACE
from ragstone.contracts.sources import find
from ragstone.engine.duck import Duck
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import ContractError


@dataclass(frozen=True, slots=True)
class Broken:
    """A kind of broken input: what differs from a good run, and how the message must begin."""

    name: str
    says: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    words: Sequence[str] = ()


def problems_read(duck: Duck, path: str) -> list[str]:
    """What the reader says of a file of this folder, whose name begins with its contract's."""
    record = {"gold": GOLD, "trace": TRACE}[path.partition(".")[0]]
    with pytest.raises(ContractError) as refused:
        load(duck, Loading(record, find(path, record.name, duck.scratch), "lines", "", {}))
    return [str(each) for each in refused.value.diagnostics]


def line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record).encode()


def second(first: Mapping[str, Any], bad: bytes, third: Mapping[str, Any]) -> bytes:
    """A file whose second line is bad."""
    return b"\n".join((line(first), bad, line(third))) + b"\n"


def gold_line(name: str, says: str, bad: bytes) -> Broken:
    content = second(gold("A1"), bad, gold("A3"))
    return Broken(name, f"gold.jsonl:2: {says}", {"gold.jsonl": content})


def trace_line(name: str, says: str, bad: bytes) -> Broken:
    content = second(trace("A1"), bad, trace("A3"))
    return Broken(name, f"trace.jsonl:2: {says}", {"trace.jsonl": content})


def in_gold(says: str, **fields: Any) -> Broken:
    """A field of gold with a value of the wrong type."""
    return gold_line(f"gold {fields}", says, line({**gold("A2"), **fields}))


def in_trace(says: str, **fields: Any) -> Broken:
    return trace_line(f"trace {fields}", says, line({**trace("A2"), **fields}))


def in_answer(says: str, **fields: Any) -> Broken:
    answer = {"claim": "X rejects null keys.", "citations": ["p1#2"], **fields}
    return in_trace(says, answer_json=answer)


def in_older(says: str, **fields: Any) -> Broken:
    """The older shape: it has no qid, and its fields are checked because of that."""
    older = {"q": "Why?", "chunks": [{"id": "p1"}], "answer": "- yes\n- citations: [p1]"}
    return trace_line(f"older {fields}", says, line({**older, **fields}))


START = b'{"qid": "A2", "answerable": true, '
ANSWER = b'{"qid": "A2", "answer_json": {"claim": "c", "citations": []'

LAX_JSON = (
    gold_line("NaN", "json: NaN is not a JSON number", START + b'"x": NaN}'),
    gold_line("Infinity", "json: Infinity is not a JSON number", START + b'"x": Infinity}'),
    gold_line("-Infinity", "json: -Infinity is not a JSON number", START + b'"x": -Infinity}'),
    gold_line("NaN, nested", "json: NaN is not", START + b'"x": {"y": [1, NaN ]}}'),
    trace_line("NaN, where a number is read", "json: NaN is", ANSWER + b'}, "latency_ms": NaN}'),
    gold_line("short inf", "json: expected a value, found 'inf'", START + b'"x": inf}'),
    gold_line("a plus sign", "json: expected a value, found '+1'", START + b'"x": +1}'),
    gold_line("no digit before the point", "json: expected a value", START + b'"x": .5}'),
    gold_line("no digit after the point", "json: expected a ',' delim", START + b'"x": 1.}'),
    gold_line("a leading zero", "json: expected a ',' delimiter, found '1'", START + b'"x": 01}'),
    gold_line("hexadecimal", "json: expected a ',' delimiter", START + b'"x": 0x1}'),
    gold_line("trailing comma in an object", "json: a comma before", START + b'"x": {"a": 1, }}'),
    gold_line("trailing comma in a list", "json: a comma before", START + b'"x": [1,]}'),
    gold_line("trailing comma at the end", "json: a comma before", START + b'"x": 1,}'),
    gold_line("two commas", "json: expected a property name", START + b', "x": 1}'),
    gold_line("// comment", "json: a comment is not JSON", START + b'"x": 1} // why'),
    gold_line("/* comment */", "json: a comment is not JSON", START + b'/* why */ "x": 1}'),
    gold_line("# comment", "json: a comment is not JSON", b"# why"),
    gold_line("lone high surrogate", r"json: \ud83d is half of", START + rb'"x": "\ud83d"}'),
    gold_line("lone low surrogate", r"json: \ude00 is half of", START + rb'"x": "\ude00"}'),
    gold_line("surrogates swapped", r"json: \ude00 is half", START + rb'"x": "\ude00\ud83d"}'),
    gold_line("surrogate in a key", r"json: \ud83d is half of", START + rb'"\ud83d": 1}'),
    gold_line("surrogate in a qid", r"json: \ud83d is", rb'{"qid": "\ud83d", "answerable": true}'),
    gold_line("key repeated", 'json: the key "qid" is repeated', START + b'"qid": "A9"}'),
    gold_line("unknown key repeated", 'json: the key "x" is', START + b'"x": 1, "x": 1}'),
    gold_line("key repeated as an escape", 'json: the key "x"', START + rb'"x": 1, "\u0078": 2}'),
    trace_line(
        "key repeated in a known object", 'json: the key "claim"', ANSWER + b',"claim":""}}'
    ),
    gold_line(
        "key repeated in an unknown object", 'json: the key "a" is', START + b'"x":{"a":1,"a":2}}'
    ),
    gold_line(
        "key repeated far down", 'json: the key "a" is', START + b'"x": [{"b": {"a": 1, "a": 2}}]}'
    ),
    trace_line(
        "key repeated in a chunk",
        'json: the key "id"',
        b'{"q": "?", "chunks": [{"id": "a", "id": "b"}]}',
    ),
    gold_line("two values", "json: more than one value", START + b'"x": 1} {"qid": "A9"}'),
    gold_line("a value and a number", "json: more than one value", START + b'"x": 1} 7'),
    gold_line("a bracket too many", "json: more than one value", START + b'"x": 1}]'),
    gold_line("Latin-1", "json: byte 44 (0xe9) is not UTF-8", START + b'"x": "caf\xe9"}'),
    gold_line("overlong UTF-8", "json: byte 41 (0xc0) is not UTF-8", START + b'"x": "\xc0\x80"}'),
    gold_line("a surrogate in UTF-8", "json: byte 41 (0xed)", START + b'"x": "\xed\xa0\x80"}'),
    gold_line("a tab in a string", "json: a control character", START + b'"x": "a\tb"}'),
    gold_line("a NUL in a string", "json: a control character", START + b'"x": "a\0b"}'),
    gold_line("an unknown escape", "json: not a valid \\escape", START + rb'"x": "\x41"}'),
    gold_line(
        "an escape cut short", "json: not a valid \\uXXXX escape", START + rb'"x": "\u12g4"}'
    ),
    gold_line(
        "single quotes", "json: expected a property name", b"{'qid': 'A2', 'answerable': true}"
    ),
    gold_line("bare words", "json: expected a property name", b'{qid: "A2", answerable: true}'),
    gold_line("True", "json: expected a value, found 'True'", b'{"qid": "A2", "answerable": True}'),
    gold_line("a word", "json: expected a value, found 'hello'", b"hello"),
    gold_line("a list", "json: expected an object, found [1]", b"[1]"),
    gold_line("a string", 'json: expected an object, found "s"', b'"s"'),
    gold_line("null", "json: expected an object, found null", b"null"),
    gold_line("a byte-order mark further down", "json: a byte-order mark", b"\xef\xbb\xbf{}"),
    gold_line("a no-break space", "json: expected a value", b"\xc2\xa0{}"),
    gold_line(
        "100,000 lists",
        "json: nested more than",
        START + b'"x": ' + b"[" * 10**5 + b"]" * 10**5 + b"}",
    ),
    gold_line("100,000 lists, open", "json: nested more than", START + b'"x": ' + b"[" * 10**5),
    gold_line(
        "100,000 objects",
        "json: nested more than",
        START + b'"x": ' + b'{"a":' * 10**5 + b"1" + b"}" * (10**5 + 1),
    ),
    Broken(
        "truncated last line",
        "trace.jsonl:2: json: the line ends too early",
        {"trace.jsonl": line(trace("A1")) + b"\n" + line(trace("A2"))[:40]},
    ),
    Broken(
        "truncated inside a string",
        "trace.jsonl:1: json: the line ends too early",
        {"trace.jsonl": b'{"qid": "A'},
    ),
    Broken(
        "UTF-16",
        "gold.jsonl:1: json: the file is UTF-16",
        {"gold.jsonl": line(gold()).decode().encode("utf-16")},
    ),
    Broken(
        "UTF-16 without a mark",
        "gold.jsonl:1: json: the file is UTF-16",
        {"gold.jsonl": line(gold()).decode().encode("utf-16-le")},
    ),
    Broken(
        "UTF-32",
        "gold.jsonl:1: json: the file is UTF-32",
        {"gold.jsonl": line(gold()).decode().encode("utf-32")},
    ),
    Broken(
        "indented JSON",
        "gold.jsonl:1: json: a value over several lines",
        {"gold.jsonl": json.dumps(gold(), indent=2).encode()},
    ),
    Broken(
        "a list of lists",
        "gold.jsonl:1: json: expected an object, found [{",
        {"gold.jsonl": json.dumps([[gold()]]).encode()},
    ),
    Broken(
        "a program", "gold.jsonl:1: json: byte ", {"gold.jsonl": b"\x7fELF\x02\x01\xff\n\xfe\n"}
    ),
)

EVIDENCE = "expected a list of strings, or an object from ids to numbers"

WRONG_TYPES = (
    in_gold("qid: expected a string, found 7", qid=7),
    in_gold("qid: expected a string, found nothing", qid=None),
    in_gold("qid: expected a string that is not empty", qid=""),
    gold_line("no qid", "qid: expected a string, found nothing", b'{"answerable": true}'),
    in_gold('answerable: expected true or false, found "yes"', answerable="yes"),
    in_gold('answerable: expected true or false, found "true"', answerable="true"),
    in_gold("answerable: expected true or false, found 1", answerable=1),
    in_gold("answerable: expected true or false, found nothing", answerable=None),
    gold_line("no answerable", "answerable: expected true or false, found noth", b'{"qid": "A2"}'),
    in_gold("question: expected a string, found 5", question=5),
    in_gold('gold_claim_substr: expected a list of strings, found "s"', gold_claim_substr="s"),
    in_gold(
        "gold_claim_substr: expected a list of strings, found 1 at position 1",
        gold_claim_substr=["ok", 1],
    ),
    in_gold(
        "gold_claim_substr: expected a list of strings, found null at position 0",
        gold_claim_substr=[None],
    ),
    in_gold('gold_claim_substr: expected a list of strings, found {"', gold_claim_substr={"a": ""}),
    in_gold(f'gold_citations: {EVIDENCE}, found "p1#2"', gold_citations="p1#2"),
    in_gold(f"gold_citations: {EVIDENCE}, found 1 at position 0", gold_citations=[1]),
    in_gold(f'gold_citations: {EVIDENCE}, found "high" at "p1#2"', gold_citations={"p1#2": "high"}),
    in_gold('constraints: expected a list of strings, found "c"', constraints="c"),
    in_gold('tags: expected a list of strings, found "billing"', tags="billing"),
    in_gold("tags: expected a list of strings, found null at position 0", tags=[None]),
    in_trace("qid: expected a string, found 7", qid=7),
    in_trace("q_id: expected a string, found 7", q_id=7),
    in_trace("q: expected a string, found 7", q=7),
    in_trace("retrieved_ids: expected a list of strings, found 1 at", retrieved_ids=[1]),
    in_trace('retrieved_ids: expected a list of strings, found "p1"', retrieved_ids="p1"),
    in_trace('answer_json: expected an object, found "s"', answer_json="s"),
    in_trace("answer_json: expected an object, found [1]", answer_json=[1]),
    in_answer("answer_json.claim: expected a string, found 7", claim=7),
    in_answer('answer_json.claim: expected a string, found ["c"]', claim=["c"]),
    in_answer('answer_json.citations: expected a list of strings, found "p1"', citations="p1"),
    in_answer("answer_json.citations: expected a list of strings, found null", citations=[None]),
    in_answer("answer_json.constraints_echo: expected a list of strings", constraints_echo="c"),
    in_trace("ts: expected seconds, milliseconds or an ISO-8601 time, found", ts="yesterday"),
    in_trace("ts: expected seconds, milliseconds or an ISO-8601 time, found", ts="2024-13-01"),
    in_trace("ts: expected seconds, milliseconds or an ISO-8601 time, found true", ts=True),
    in_trace('latency_ms: expected a number, found "12"', latency_ms="12"),
    in_trace("latency_ms: expected a number, found true", latency_ms=True),
    trace_line("an endless latency", "latency_ms: expected a number", b'{"latency_ms": 1e999}'),
    in_trace("stage_ms: expected an object, found [1]", stage_ms=[1]),
    in_trace('stage_ms.llm: expected a number, found "x"', stage_ms={"llm": "x"}),
    in_trace('tokens.in: expected a number, found "x"', tokens={"in": "x"}),
    in_trace('cost_usd: expected a number, found "$1"', cost_usd="$1"),
    in_older('chunks: expected a list of objects with a string "id", found "p1"', chunks="p1"),
    in_older('chunks: expected a list of objects with a string "id", found "p1" at', chunks=["p1"]),
    in_older("chunks: expected a list of objects", chunks=[{"id": 1}]),
    in_older("chunks: expected a list of objects", chunks=[{"score": 1}]),
    in_older("chunks: expected a list of objects", chunks=[{"id": "p1", "score": "high"}]),
    in_older("answer: expected a string, found 7", answer=7),
    in_older('answer: expected a string, found {"claim"', answer={"claim": "x"}),
)

LINES = LAX_JSON + WRONG_TYPES
# What is wrong with a line is the reader's affair: the command is asked about ten of them.
TEN = LINES[:: len(LINES) // 9]
