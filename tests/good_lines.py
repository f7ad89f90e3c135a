"""A good line or two of every record, with what files have been seen to hold besides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from builders import gold, trace

from ragstone.contracts.diagnose import Rules, good_lines
from ragstone.contracts.mapped_fields import Ids
from ragstone.contracts.record import FieldMap, Given, Record, mapping_of
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.label_records import JUDGE_LABELS, JUDGED, LABEL, PAIRS
from ragstone.contracts.records.retrieval_records import (
    MANIFEST,
    RETRIEVAL_GOLD,
    RETRIEVAL_LOG,
    TEXTS,
)
from ragstone.contracts.records.trace_records import RUN, SAMPLE, TRACE
from ragstone.errors import ContractError, Diagnostic, Diagnostics

Line = dict[str, Any]

HIT = {"id": "S.1#1", "score": 0.5, "offsets": [0, 9], "type": "prose", "section_id": "S.1"}
SAID = {**trace("A1", echo=["c"]), "q": "Why?", "ts": 1700000000, "latency_ms": 12.5}


def mapped(record: Record, ids: Ids = "", base: int = 1, /, **words: str) -> FieldMap:
    """How the fields of a record are read."""
    return mapping_of(record, Given(words, ids, base))


# (record, lines of one file, other names of fields)
GOOD: tuple[tuple[Record, tuple[Line, ...], FieldMap], ...] = (
    (GOLD, ({**gold("A1"), "constraints": ["c"], "tags": ["t"], "notes": "n"}, gold("A2")), {}),
    (GOLD, (gold("A1"), dict(reversed(gold("A2").items())), {**gold("A3"), "x": {"y": {"z": 1}}},
            {**gold("A4"), "x": {"w": ["v", None, {"u": 1.5}]}}), {}),
    (GOLD, ({**gold("A1"), "gold_citations": {"p1": 1, "é": -1.5}}, gold("A2"),
            {**gold("A3"), "gold_citations": {}, "gold_citations_any": [["p1"], ["p2", "p3"]]},
            {**gold("A4"), "gold_citations": None, "gold_citations_any": []}), {}),
    (GOLD, ({"key": "A1", "answerable": True, "cites": {"p1": 1, "p2": None}},
            {"key": "A2", "answerable": True, "cites": ["p1"], "gold_citations": {"p9": 1}}),
     mapped(GOLD, qid="key", gold_citations="cites")),
    (GOLD, ({**gold("A1"), "a b": {"y": 1}}, {**gold("A2"), "a b": {"z": "é"}}), {}),
    (TRACE, ({**SAID, "stage_ms": {"llm": 1}}, {**SAID, "stage_ms": {"guard": 2.5}},
             {**SAID, "meta": {"a": 1}, "list": [{"b": 1}, {"c": {}}]},
             {**SAID, "meta": {}, "list": []}), {}),
    (GOLD, ({**gold("A1"), "x": {"y": [1, {"z": None}]}, "tags": ["a", "b"]},), {}),
    (TRACE, ({**SAID, "stage_ms": {"llm": 1}, "tokens": {"in": 1, "out": 2}, "ok": True,
              "reason": None, "extra": {"a": [{"b": 1}], "é": "ü\"\n"}}, SAID), {}),
    (TRACE, ({"q": "Why?", "ts": "2024-01-31T10:00:00.125Z", "answer": "- so\n- citations: [p1]",
              "chunks": [{"id": "p1", "score": 0.5}, {"id": "p2", "text": "so"}]},), {}),
    (TRACE, ({**SAID, "answer_json": {"claims": [{"text": "so", "citations": ["p1", "p2"]}]}},
             {**SAID, "answer_json": {"claims": [{"text": "é"}, {"text": "b", "citations": []}]}},
             {**SAID, "answer_json": {"claim": "so", "citations": ["p1"], "claims": None}}), {}),
    (TRACE, ({**SAID, "trace_id": "t1", "constraints": ["c"], "retrieved_ids": ["p1", "p2"],
              "retrieved_texts": ["one", "two"]}, {**SAID, "trace_id": 7}), {}),
    (TRACE, ({**SAID, "judge": {"faithfulness": 0.5, "tone": "polite", "é/~": True, "x": None}},
             {**SAID, "judge": {}}, {**SAID, "judge": {"tone": "rude"}}, SAID), {}),
    (JUDGED, ({"qid": "A1", "name": "faithfulness", "score": 0.5, "why": "so"},), {}),
    (JUDGED, ({"qid": "A1", "name": "tone", "label": "polite", "system": "a"},), {}),
    (JUDGE_LABELS, ({"qid": "A1", "label": True, "who": "Ann"},), {}),
    (TRACE, ({"key": "A1", "out": {"text": "so", "from": ["p1"]}, "answer_json": None,
              "chunks": 3},),
     mapped(TRACE, qid="key", claim="out.text", citations="out.from")),
    (TRACE, ({"qid": "A1", "answer": {"text": "so"}, "QID": 1},),
     mapped(TRACE, claim="answer.text")),
    (GOLD, ({"key": "A1", "answerable": True, "tags": None},), mapped(GOLD, qid="key")),
    (GOLD, ({**gold("A1"), "gold_answer": {"number": 1577, "unit": "USD million"},
             "nuggets": [{"id": "a", "any": ["Rome"]}, {"id": "b", "any": ["5"], "vital": False}],
             "must_not": ["accepts null keys"]},
            {**gold("A2"), "gold_answer": [{"any": ["Yes"]}, {"number": "0.5"}], "must_not": []}),
     {}),
    (RETRIEVAL_GOLD, ({"qid": "A1", "paraphrases": ["a", "b"], "relevant": ["S.1#1"],
                       "negatives": [], "relevant_offsets": {"S.1#1": [0, 9]}},), {}),
    (RETRIEVAL_LOG, ({"qid": "A1", "query": "a", "seed": 1, "topk": [HIT, {**HIT, "id": "b"}],
                      "ΔS": [0.25, 0.5], "λ_state": "→", "answer_citations": [HIT]},), {}),
    (MANIFEST, ({"id": "S.1#1", "section_id": "S.1", "offsets": [0, 9], "type": "code",
                 "text": "x"},), {}),
    (TEXTS, ({"id": "S.1#1", "text": "x"},), {}),
    (PAIRS, ({"qid": "A1", "scholar": {"label": "VALID", "reason": "r"},
              "auditor": {"label": "REJECT"}, "flags": {"constraints_mismatch": False},
              "retrieved_ids": ["p1"]},), {}),
    (LABEL, ({"qid": "A1", "label": "ABSTAIN", "reason": "r"},), {}),
    (RUN, ({**SAID, "run_id": "r1", "seed": 1, "jitter": "ws"}, {**SAID, "run_id": "r2"}), {}),
    (SAMPLE, ({**SAID, "config": "c", "knobs": {"k": 5}, "rps": 2, "planned": 0.5},), {}),
    (TRACE, ({"id": "A1", "hits": [{"id": "p1", "text": "é"}, {"id": "p2", "text": "b"}],
              "out": {"said": "so", "sources": [{"chunk": {"id": "p1"}}]}},
             {"id": "A2", "hits": [], "out": {"said": "é", "sources": None}}),
     mapped(TRACE, qid="id", retrieved_ids="hits[].id", retrieved_texts="hits[].text",
            claim="out.said", citations="out.sources[].chunk.id")),
    (TRACE, ({"qid": "A1", "groups": [{"docs": [["p1"], []]}, {"docs": []}], "cites": [2, 1, 9]},
             {"qid": "A2", "groups": [], "cites": []}, {"qid": "A3", "groups": None}),
     mapped(TRACE, retrieved_ids="groups[].docs[][]", citations="cites[]@retrieved_ids")),
    (TRACE, ({"qid": "A1", "retrieved_ids": ["p1", "[7]"], "cites": [1], "answered": True},
             {"qid": "A2", "retrieved_ids": ["p1", "[7]"], "cites": [7, 0], "answered": False},
             {"qid": "A3", "cites": None, "answered": None, "refused": True}),
     mapped(TRACE, "", 0, citations="cites@retrieved_ids", refused="!answered")),
    (GOLD, ({"qid": "A1", "type": "yes", "gold": ["x y"], "docs": [{"is": "a"}, {"is": "b"}]},
            {"qid": "A2", "type": "no", "gold": ["é", "z"], "docs": []}),
     mapped(GOLD, answerable="type{yes:true,no:false,1:true,true:false}", gold_claim_substr="gold",
            tags="docs[].is{a:first,b:'second one'}")),
    (TRACE, ({"id": "A1"}, {"id": "A2", "refused": "never read"}),
     mapped(TRACE, qid="id", refused="true", latency_ms="12.5", claim="'it''s'", citations="'p1'")),
    (GOLD, ({"qid": 7, "answerable": True, "gold_citations": [1, "b", -3]},
            {"qid": "A2", "answerable": True, "gold_citations": []}), mapped(GOLD, "text")),
    (TRACE, ({"id": 12, "docs": [{"n": 1}, {"n": "b"}], "cites": [1, 2]},
             {"id": "A2", "docs": [], "cites": None}),
     mapped(TRACE, "text", qid="id", retrieved_ids="docs[].n", citations="cites")),
    (TRACE, ({"qid": "A1", "texts": [{"t": "Cafe\u0301"}, {"t": "b"}], "used": [1],
              "answer_json": {"claims": [{"text": "so", "citations": ["Café"]}]}},
             {"qid": "A2", "texts": [{"t": "0123456789abcdef"}], "used": [5]}),
     mapped(TRACE, "hash", retrieved_ids="texts[].t", citations="used[]@retrieved_ids")),
    (GOLD, ({**gold("A1"), "gold_citations": ["Café"], "gold_citations_any": [["a"], ["b", ""]]},
            {**gold("A2"), "gold_citations": {"Cafe\u0301": 1, "b": 0}}), mapped(GOLD, "hash")),
    (SAMPLE, ({"qid": "A1", "ms": 3}, {"qid": "A2", "ms": 4.5}),
     mapped(SAMPLE, config="'base'", rps="1", latency_ms="ms", constraints="'one'")),
)  # fmt: skip

# Whole values, marks, and everything a lax reader has been seen to take.
WORDS = [
    *rb"""
    { } [ ] , : " ' \ / # // /*x*/ - + . 0 1 -1 00 01 1. .5 +1 1e5 1E+5 1e999 -1e999 0x1 null true
    false True None NaN nan -NaN Infinity -Infinity inf -inf undefined "" "a" "\"" "\u0061"
    "\ud800" "\ud83d\ude00" \u0061 [] [1] [null] ["a"] [[]] ["a",] {} {"a":1} {"a":1,"a":2}
    {"a":1,} {"a":{"b":1,"b":1}} "qid" "q_id":"B" "qid":"B" "answerable" "answer_json" "claim"
    "chunks" "id" "score" "tags" "ts" "2024-01-01" "2024-13-01" "2024-01-01T00:00:00Z" ,"x":1
    "x":{"y":NaN} "text" "out" -0 0.1e1 1E5 1e-400 1e15 1e16 1e308 -1e308 9007199254740993
    1000000000000000 1000000000000001 999999999999999.9999 9223372036854775808 18446744073709551616
""".split(),
    b"9" * 400,
    b"-" + b"9" * 5000,
    b"0." + b"0" * 400 + b"1",
]
BYTES = (b"\0", b"\v", b"\f", b"\r", b"\t", b" ", b"\x1f", b"\x85", b"\xff", b"\xa0",
         b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xc2\xa0")  # fmt: skip


def diagnosed(
    record: Record, name: str, lines: Iterable[bytes], mapping: FieldMap, unique: str = ""
) -> list[Diagnostic]:
    """What is wrong with the lines of a file, found in Python."""
    bad = Diagnostics()
    for _ in good_lines(record, [(name, lines)], mapping, bad, Rules(unique)):
        pass
    error = bad.error()
    return list(error.diagnostics) if isinstance(error, ContractError) else []
