"""Where in the bytes is a span that was written in code points or UTF-16 units?

Offsets are bytes of the canonical UTF-8 text. A pipeline that counted otherwise says so, and its
spans are converted with the text of the chunk they point into: its log, its manifest and its gold
count alike, so a position less the chunk's own begin is a position in the chunk's text.
"""

from __future__ import annotations

from collections.abc import Iterator

from ragstone.contracts.chunk_hash import hash_fits
from ragstone.engine.duck import Duck
from ragstone.suites.retrieval.options import Unit


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


def convert(duck: Duck, side: str, unit: Unit) -> None:
    """The table `converted`: every span of a first citation and its gold span, in bytes."""
    duck.run("create or replace temp table converted "
             "(id varchar, b bigint, e bigint, nb bigint, ne bigint)")  # fmt: skip
    if unit == "bytes":
        return
    rows = list(_converted(duck, side, unit))
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        duck.run(
            "insert into converted select unnest($a), unnest($b), unnest($c), unnest($d), "
            "unnest($e)",
            dict(zip("abcde", columns, strict=True)),
        )


def _converted(duck: Duck, side: str, unit: Unit) -> Iterator[tuple[str, int, int, int, int]]:
    found = duck.query(f"""
        with spans as (
            select cites[1].id as id, cites[1].b as b, cites[1].e as e from log_{side}
            union
            select key, span[1], span[2] from (
                select unnest(map_keys(spans)) as key, unnest(map_values(spans)) as span from gold
            )
            union
            select id, b, e from manifest
        )
        select spans.id, spans.b, spans.e, texts.text, coalesce(manifest.b, 0)
        from spans
        join texts using (id)
        left join manifest using (id)
        where spans.b is not null
        order by all
    """)
    for chunk, begin, end, text, base in found:
        start, stop, origin = int(str(begin)), int(str(end)), int(str(base))
        yield (
            str(chunk),
            start,
            stop,
            to_bytes(str(text), start - origin, unit),
            to_bytes(str(text), stop - origin, unit),
        )


def broken_hashes(duck: Duck, side: str) -> tuple[tuple[str, str, str], ...]:
    """(qid, id, what) of every first citation whose text is not what its hash says.

    The chunk's text is held against the manifest's hash, and the cited bytes, where the citation
    carries a hash of its own, against that.
    """
    found = duck.query(f"""
        select distinct log.qid, log.cites[1].id as id, texts.text, manifest.hash,
            log.cites[1].hash as cited_hash,
            case when getvariable('unit') = 'bytes' then log.cites[1].b - coalesce(manifest.b, 0)
                else converted.nb end as b,
            case when getvariable('unit') = 'bytes' then log.cites[1].e - coalesce(manifest.b, 0)
                else converted.ne end as e,
        from log_{side} as log
        join texts on texts.id = log.cites[1].id
        left join manifest on manifest.id = log.cites[1].id
        left join converted on converted.id = log.cites[1].id
            and converted.b = log.cites[1].b and converted.e = log.cites[1].e
        where manifest.hash is not null or log.cites[1].hash is not null
        order by all
    """)
    broken = []
    for qid, chunk, text, declared, cited, begin, end in found:
        raw = str(text).encode("utf-8", "surrogatepass")
        if declared is not None and not hash_fits(raw, str(declared)):
            broken.append((str(qid), str(chunk), "the chunk's text is not what its hash says"))
        elif cited is not None and begin is not None and end is not None:
            part = raw[max(int(str(begin)), 0) : int(str(end))]
            if not hash_fits(part, str(cited)):
                broken.append((str(qid), str(chunk), "the cited bytes are not what they were"))
    return tuple(broken)
