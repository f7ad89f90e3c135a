"""Cuts a document's blocks into chunks with stable ids.

An id is made of the document's name, the section's titles and a hash of the text. An edit elsewhere
does not change it, and an id that still exists still names the same text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from ragstone.contracts.chunk_hash import chunk_hash
from ragstone.index.texts import Block, PlacedBlock, Type, placed, section_id, sentences

SIZE = 1000
"""The most bytes that a chunk of prose holds, unless one sentence is longer."""


class Document(msgspec.Struct, frozen=True):
    """One source file: its name, the hash of its bytes, and its canonical text."""

    doc: str
    title: str
    source_hash: str
    text_hash: str
    text: str


class Chunk(msgspec.Struct, frozen=True):
    """What is retrieved and cited, and one line of the manifest.

    `text` is the bytes `offsets` (half-open) of the document's canonical text.
    """

    id: str
    doc: str
    section_id: str
    titles: tuple[str, ...]
    offsets: tuple[int, int]
    type: Type
    hash: str
    text: str

    def byte_span(self, begin: int, end: int) -> tuple[int, int]:
        """A span of characters of `text` as bytes of the canonical text."""
        start = self.offsets[0] + len(self.text[:begin].encode())
        return start, start + len(self.text[begin:end].encode())


def split_document(
    doc: str, source: bytes, blocks: Sequence[Block], size: int = SIZE
) -> tuple[Document, tuple[Chunk, ...]]:
    """The document and its chunks.

    >>> blocks = [Block("Relay", level=1), Block("Retries", level=2), Block("It tries 5 times.")]
    >>> _, (chunk,) = split_document("relay.md", b"...", blocks)
    >>> chunk.id, chunk.section_id, chunk.offsets
    ('relay.md#retries~7df43d68', 'relay_md.retries', (16, 33))
    """
    title, text, places = placed(blocks)
    made = Document(doc, title, _sha(source), _sha(text.encode()), text)
    return made, tuple(_chunks(made, places, size))


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _mark(type: Type, text: str) -> str:
    """The last part of an id. The type is hashed too: equal words as prose and as code differ."""
    return _sha(f"{type}\0{text}".encode())[:8]


def _chunks(document: Document, places: Sequence[PlacedBlock], size: int) -> Iterator[Chunk]:
    used: dict[str, int] = {}
    data = document.text.encode()
    for _, section in groupby(places, key=lambda place: place.slugs):
        for first, begin, end in _packed(list(section), size):
            text = data[begin:end].decode()
            id = f"{document.doc}#{'/'.join(first.slugs)}~{_mark(first.block.type, text)}"
            count = used[id] = used.get(id, 0) + 1
            yield Chunk(
                id if count == 1 else f"{id}.{count}",
                document.doc,
                section_id(document.doc, first.slugs),
                tuple(title for title in first.titles if title),
                (begin, end),
                first.block.type,
                chunk_hash(data[begin:end]),
                text,
            )


def _packed(section: Sequence[PlacedBlock], size: int) -> Iterator[tuple[PlacedBlock, int, int]]:
    """Joins neighbouring prose up to the size; code, tables and figures stay by themselves."""
    for kind, run in groupby(section, key=lambda place: place.block.type):
        pieces = [piece for place in run for piece in _pieces(place, size)]
        held: tuple[PlacedBlock, int, int] | None = None
        for place, begin, end in pieces:
            if held is not None and kind == "prose" and end - held[1] <= size:
                held = (held[0], held[1], end)
                continue
            if held is not None:
                yield held
            held = (place, begin, end)
        if held is not None:
            yield held


def _pieces(place: PlacedBlock, size: int) -> Iterator[tuple[PlacedBlock, int, int]]:
    """A block, cut between sentences or lines where it is longer than the size."""
    if place.end - place.begin <= size:
        yield place, place.begin, place.end
        return
    text = place.block.text
    begin = last = place.begin
    read = 0
    for start, end in sentences(text, place.block.type):
        # Counting each sentence's bytes from the block's begin would be quadratic.
        before = last + len(text[read:start].encode())
        after = before + len(text[start:end].encode())
        if after - begin > size and last > begin:
            yield place, begin, last
            begin = before
        last, read = after, end
    if last > begin:
        yield place, begin, last
