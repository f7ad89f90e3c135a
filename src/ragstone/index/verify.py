"""Checks that an index is as it was built, and compares the chunks of two."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragstone.contracts.chunk_hash import chunk_hash
from ragstone.errors import InputError
from ragstone.index.chunk_model import Chunk, Document
from ragstone.index.documents import found_in
from ragstone.index.ranker import words_of
from ragstone.index.store import (
    DOCUMENTS,
    MANIFEST,
    WORDS,
    Header,
    built,
    fingerprint,
    header_in,
    read_lines,
)


def index_problems(given: str | Path, docs: str | Path | None = None) -> list[str]:
    """What is wrong with an index's files, hashes and spans; with `docs`, also what has changed."""
    folder, header = header_in(given)
    found = list(_files(folder, header))
    if found:
        return found
    chunks = list(read_lines(folder / MANIFEST, Chunk))
    documents = {item.doc: item for item in read_lines(folder / DOCUMENTS, Document)}
    found += _spans(chunks, documents, header.format)
    if docs is not None:
        found += _changes(chunks, built(found_in(docs), header.chunk_size)[1])
    return found


def _files(folder: Path, header: Header) -> Iterator[str]:
    for name in (MANIFEST, DOCUMENTS, WORDS):
        path = folder / name
        if not path.is_file():
            yield f"{name}: the file is missing"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != header.files.get(name):
            yield f"{name}: its hash is not the one the index was built with"
    if header.index_hash != fingerprint(dict(header.files), header.chunk_size, header.format):
        yield "index.json: index_hash does not follow from the files and how they were read"


def _spans(
    chunks: Sequence[Chunk], documents: Mapping[str, Document], format: int
) -> Iterator[str]:
    """Chunks whose text, hash or id does not fit the documents."""
    texts = {name: item.text.encode() for name, item in documents.items()}
    seen: set[str] = set()
    for chunk in chunks:
        begin, end = chunk.offsets
        if texts.get(chunk.doc, b"")[begin:end] != chunk.text.encode():
            yield f"{chunk.id}: its offsets hold another text"
        hashed = chunk.text if format > 1 else f"{chunk.type}\0{chunk.text}"
        if chunk_hash(hashed.encode()) != chunk.hash:
            yield f"{chunk.id}: its hash is not that of its text"
        if chunk.id in seen:
            yield f"{chunk.id}: the id stands for two chunks"
        if not words_of(chunk) and not chunk.text.strip():
            yield f"{chunk.id}: it is empty"
        seen.add(chunk.id)


def _changes(old: Sequence[Chunk], new: Sequence[Chunk]) -> Iterator[str]:
    change = compared(old, new)
    yield from (f"{id}: the documents no longer hold it" for id in change.removed)
    yield from (f"{id}: the documents hold it and the index does not" for id in change.added)


@dataclass(frozen=True, slots=True)
class ChunkChanges:
    """The difference of two lists of chunks; a moved chunk has the same text at other offsets."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[str, ...]
    same: int


def compared(one: Sequence[Chunk], other: Sequence[Chunk]) -> ChunkChanges:
    """What changed from the first list to the second, by id and sorted by id."""
    left, right = {c.id: c for c in one}, {c.id: c for c in other}
    both = sorted(left.keys() & right.keys())
    moved = tuple(id for id in both if left[id].offsets != right[id].offsets)
    return ChunkChanges(
        tuple(sorted(right.keys() - left.keys())),
        tuple(sorted(left.keys() - right.keys())),
        moved,
        len(both) - len(moved),
    )


def chunks_of(given: str | Path) -> tuple[Header, list[Chunk]]:
    """The header and the chunks of an index, once its files are found to be unchanged."""
    folder, header = header_in(given)
    broken = list(_files(folder, header))
    if broken:
        raise InputError(f"{given}: {broken[0]}; build it again")
    return header, list(read_lines(folder / MANIFEST, Chunk))
