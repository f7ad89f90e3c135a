"""The audit suite once more, straight from its table: plain Python, lists and exact fractions.

It shares no code with the engine. Its answers are of a small kind, so that reading them is simple:
numbers are digits between blanks, quotations stand in straight marks, and every sentence ends with
a full stop and a blank.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Record = Mapping[str, Any]
Share = tuple[int | Fraction, int]

TOKEN = "not in context"


def audit(traces: Sequence[Record], texts: Mapping[str, str]) -> dict[str, Share]:
    """Every share as its hits and the size of its set."""
    rows = [row_of(trace) for trace in traces]
    shipped = [row for row in rows if row["shipped"]]
    citing = [row for row in shipped if row["cites"]]
    locked = [row for row in rows if row["locked"]]
    found: dict[str, Share] = {
        "empty": _count(rows, "empty"),
        "refused": _count(rows, "refused"),
        "near_refused": _count(rows, "near"),
        "answer_rate": _count(rows, "shipped"),
        "unscoped": (sum(not set(row["cites"]) <= set(row["seen"]) for row in citing), len(citing)),
        "uncited": (sum((row["uncited"] for row in shipped), Fraction(0)), len(shipped)),
        "no_echo": (sum(set(row["echo"]) != set(row["locked"]) for row in locked), len(locked)),
        "inconsistent": inconsistent(rows),
    }
    return {**found, **support(shipped, texts)}


def row_of(trace: Record) -> dict[str, Any]:
    answer = trace.get("answer_json") or {}
    given = answer.get("claims")
    claim = " ".join(each["text"] for each in given) if given else answer.get("claim")
    cites = [*(answer.get("citations") or ())]
    for each in given or ():
        cites += each.get("citations") or ()
    plain = (claim or "").strip().casefold()
    refused = plain == TOKEN
    sentences = given or [
        {"text": text, "citations": cites} for text in re.findall(r"[^.]+\.", claim or "")
    ]
    bare = [each for each in given or () if not each.get("citations")]
    return {
        "question": trace["q"].strip().casefold(),
        "empty": not plain,
        "refused": refused,
        "shipped": bool(plain) and not refused,
        "near": not refused and TOKEN in plain,
        "claim": claim or "",
        "cites": cites,
        "seen": trace["retrieved_ids"],
        "uncited": Fraction(len(bare), len(given)) if given else Fraction(not cites),
        "locked": [text.strip() for text in trace.get("constraints") or ()],
        "echo": [text.strip() for text in answer.get("constraints_echo") or ()],
        "sentences": [(each["text"], each.get("citations") or ()) for each in sentences],
    }


def _count(rows: Iterable[Record], name: str) -> Share:
    listed = list(rows)
    return sum(bool(row[name]) for row in listed), len(listed)


def numbers(text: str) -> frozenset[int]:
    return frozenset(int(digits) for digits in re.findall(r"(?<=\s)\d+(?=[ .])", f" {text}"))


def inconsistent(rows: Iterable[Record]) -> Share:
    asked = defaultdict(list)
    for row in rows:
        asked[row["question"]].append(row)
    again = [some for some in asked.values() if len(some) > 1]
    differ = 0
    for some in again:
        ends = {row["refused"] for row in some if not row["empty"]}
        said = {numbers(row["claim"]) for row in some if row["shipped"]}
        differ += len(ends) > 1 or len(said) > 1
    return differ, len(again)


def support(shipped: Iterable[Record], texts: Mapping[str, str]) -> dict[str, Share]:
    """A part is found, not found, or unknown where a text is not at hand."""
    kinds: dict[str, list[set[str]]] = {"support": [], "number_support": [], "quote_support": []}
    for row in shipped:
        for text, cites in row["sentences"]:
            ids = set(cites or row["seen"])
            held = [texts[each] for each in ids if each in texts]
            sure = bool(ids) and len(held) == len(ids)
            figures = {
                _verdict(any(number in numbers(each) for each in held), sure)
                for number in numbers(text)
            }
            quotes = {
                _verdict(any(quote.casefold() in each.casefold() for each in held), sure)
                for quote in re.findall('"([^"]*)"', text)
                if len(quote.split()) > 2
            }
            kinds["number_support"].append(figures)
            kinds["quote_support"].append(quotes)
            kinds["support"].append(figures | quotes)
    found = {name: _supported(verdicts) for name, verdicts in kinds.items()}
    return {**found, "checkable": (found["support"][1], len(kinds["support"]))}


def _verdict(held: bool, sure: bool) -> str:
    return "yes" if held else "no" if sure else "unknown"


def _supported(verdicts: Iterable[set[str]]) -> Share:
    known = [some for some in verdicts if some == {"yes"} or "no" in some]
    return sum(some == {"yes"} for some in known), len(known)
