"""Spans in bytes, also where they were written in code points or UTF-16 units; and their hashes.

Offsets are bytes of the canonical UTF-8 text. A pipeline that counted otherwise says so, and its
spans are converted with the text of the chunk they point into: its log, its manifest and its gold
count alike, so a position less the chunk's own begin is a position in the chunk's text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ragstone.contracts.chunk_hash import hash_fits
from ragstone.engine.duck import text, whole
from ragstone.suites.declaration import Work
from ragstone.suites.retrieval.options import R, Unit


class Broken(NamedTuple):
    """A citation whose text is not what its hash says: its question, its chunk, what is wrong."""

    qid: str
    id: str
    says: str


def to_bytes(text: str, position: int, unit: Unit) -> int:
    """A position in the text, counted in the unit, as a number of UTF-8 bytes.

    A position inside a character is the character's begin; one past the end is the end.

    >>> to_bytes("née 🙂 x", 3, "codepoints"), to_bytes("née 🙂 x", 6, "utf16")
    (4, 9)
    """
    if unit == "bytes":
        return position
    if unit == "codepoints":
        return len(text[: max(position, 0)].encode("utf-8", "surrogatepass"))
    seen = size = 0
    for character in text:
        width = 2 if ord(character) > 0xFFFF else 1
        if seen + width > position:
            break
        seen += width
        size += len(character.encode("utf-8", "surrogatepass"))
    return size


def convert(work: Work[R], log: str) -> None:
    """The table `converted`: every span of a first citation and its gold span, in bytes."""
    columns = "id varchar, b bigint, e bigint, nb bigint, ne bigint"
    work.duck.run(f"create or replace temp table converted ({columns})")
    if work.options.unit == "bytes":
        return
    rows = list(_converted(work, log))
    if rows:
        lists = [list(column) for column in zip(*rows, strict=True)]
        work.duck.run(
            "insert into converted select unnest($a), unnest($b), unnest($c), unnest($d), "
            "unnest($e)",
            dict(zip("abcde", lists, strict=True)),
        )


def _converted(work: Work[R], log: str) -> Iterator[tuple[str, int, int, int, int]]:
    found = work.duck.query(work.sql("spans_to_convert.sql", log=log))
    for chunk, begin, end, holds, base in found:
        ends = (whole(begin), whole(end))
        first, last = (to_bytes(text(holds), at - whole(base), work.options.unit) for at in ends)
        yield text(chunk), *ends, first, last


def broken_hashes(work: Work[R], log: str) -> tuple[Broken, ...]:
    """Every first citation whose text is not what its hash says; also the table `broken_<log>`.

    The chunk's text is held against the manifest's hash, and the cited bytes, where the citation
    carries a hash of its own, against that.
    """
    found = work.duck.query(work.sql("cited_hashes.sql", log=log))
    broken = []
    for qid, chunk, holds, declared, cited, begin, end in found:
        raw = text(holds).encode("utf-8", "surrogatepass")
        if declared is not None and not hash_fits(raw, text(declared)):
            says = "the chunk's text is not what its hash says"
            broken.append(Broken(text(qid), text(chunk), says))
        elif cited is not None and begin is not None and end is not None:
            part = raw[max(whole(begin), 0) : whole(end)]
            if not hash_fits(part, text(cited)):
                says = "the cited bytes are not what they were"
                broken.append(Broken(text(qid), text(chunk), says))
    qids = sorted({each.qid for each in broken})
    table = f"create or replace temp table broken_{log} as select unnest($qids::varchar[]) as qid"
    work.duck.run(table, {"qids": qids})
    return tuple(broken)
