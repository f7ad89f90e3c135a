"""Byte-exact citations: units, emoji and combining characters, hashes, overlap."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from suites.retrieval.retrieval_builders import OWN, chunk, item, run

from ragstone.api import retrieval
from ragstone.contracts.chunk_hash import hash_fits
from ragstone.suites.retrieval.spans import to_bytes

# An emoji outside the BMP, a family held by zero-width joiners, a letter with a combining mark.
TEXT = "🙂 👨‍👩‍👧 cafe\u0301: " + "x" * 200 + " null keys are rejected."
WANTED = "null keys"


def place(unit: str) -> list[int]:
    """Where WANTED stands, counted as a pipeline in that unit would count."""
    before, inside = TEXT[: TEXT.index(WANTED)], WANTED
    size = {
        "bytes": lambda s: len(s.encode()),
        "codepoints": len,
        "utf16": lambda s: len(s.encode("utf-16-le")) // 2,
    }[unit]
    return [size(before), size(before) + size(inside)]


@pytest.mark.parametrize("unit", ["bytes", "codepoints", "utf16"])
def test_a_position_in_any_unit_is_the_same_byte(unit: Any) -> None:
    assert [to_bytes(TEXT, at, unit) for at in place(unit)] == place("bytes")


def test_the_units_differ_where_it_matters() -> None:
    starts = {unit: place(unit)[0] for unit in ("bytes", "codepoints", "utf16")}
    assert len(set(starts.values())) == 3


@pytest.mark.parametrize("unit", ["bytes", "codepoints", "utf16"])
@pytest.mark.parametrize("base", [0, 5000])
def test_a_declared_unit_gives_the_same_accuracy_and_overlap(unit: Any, base: int) -> None:
    span = [base + at for at in place(unit)]
    end = {"bytes": len(TEXT.encode()), "codepoints": len(TEXT)}.get(
        unit, len(TEXT.encode("utf-16-le")) // 2
    )
    gold = item(relevant_offsets={OWN: span})
    cited = {"id": OWN, "offsets": [span[0], span[1] + 5]}
    made = chunk(offsets=[base, base + end], text=TEXT)
    report = retrieval([gold], [run(cites=[cited])], manifest=[made], unit=unit)
    assert report["citation_accuracy"].value == 1.0
    assert report["citation_iou"].value == len(WANTED) / (len(WANTED) + 5)


def test_a_span_counted_in_the_wrong_unit_drifts() -> None:
    cites = [{"id": OWN, "offsets": [at - 40 for at in place("bytes")]}]
    drifted = [run(qid, cites=cites) for qid in ("q1", "q2", "q3")]
    gold = [item(each["qid"], relevant_offsets={OWN: place("bytes")}) for each in drifted]
    made = chunk(offsets=[0, len(TEXT.encode())], text=TEXT)
    report: Any = retrieval(gold, drifted, manifest=[made])
    assert report["citation_accuracy"].value == 0.0
    assert "right id, wrong bytes" in [f["pattern"] for f in report.data["reading"]]


def test_another_unit_without_the_text_cannot_be_checked() -> None:
    report = retrieval([item()], [run()], unit="codepoints")
    assert report["citation_accuracy"].value is None


@pytest.mark.parametrize("name", ["sha256", "sha1", "md5"])
def test_a_hash_or_its_beginning_is_recognised(name: str) -> None:
    digest = hashlib.new(name, b"text").hexdigest()
    assert hash_fits(b"text", digest)
    assert hash_fits(b"text", f"{name}:{digest[:12].upper()}")
    assert not hash_fits(b"other", digest)
    assert not hash_fits(b"text", digest[:4])


def test_a_text_that_is_not_what_its_hash_says_is_read_as_a_rebuild() -> None:
    good = hashlib.sha256(TEXT.encode()).hexdigest()
    for declared, broken in ((good, False), ("0" * 64, True)):
        made = chunk(offsets=[0, len(TEXT.encode())], text=TEXT, hash=declared)
        qids = ("q1", "q2", "q3")
        report: Any = retrieval([item(q) for q in qids], [run(q) for q in qids], manifest=[made])
        titles = [found["title"] for found in report.data["reading"]]
        assert ("citations point at texts that are no longer there" in titles) is broken


def test_the_cited_bytes_are_held_against_their_own_hash() -> None:
    begin, end = place("bytes")
    for text, broken in ((WANTED, False), ("null kings", True)):
        cited = {"id": OWN, "offsets": [begin, end],
                 "hash": hashlib.sha256(text.encode()).hexdigest()}  # fmt: skip
        made = chunk(offsets=[0, len(TEXT.encode())], text=TEXT)
        report: Any = retrieval([item()], [run(cites=[cited])], manifest=[made])
        assert bool(report.data["broken_hashes"]) is broken
