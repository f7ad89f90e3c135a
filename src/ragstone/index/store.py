"""An index as a folder of files: builds, writes, opens and checks it, and compares two."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from ragstone.contracts.chunk_hash import chunk_hash
from ragstone.embedders.embed import Ngram
from ragstone.errors import InputError
from ragstone.files import folder_aside, write_set
from ragstone.index.chunks import SIZE, Chunk, Document, split_document
from ragstone.index.documents import Found, blocks_of, found_in
from ragstone.index.extractive import THRESHOLD
from ragstone.index.ranker import Ranker, words_of
from ragstone.index.texts import ANALYZER, NORMALIZER
from ragstone.own_files import read_plain
from ragstone.progress import counting, doing

# 2: a chunk's hash is that of its text; in format 1 it covered the type as well.
FORMAT = 2
READABLE = (1, 2)
HEADER, MANIFEST = "index.json", "manifest.jsonl"
DOCUMENTS, WORDS = "documents.jsonl", "words.msgpack"
PARTS = (MANIFEST, DOCUMENTS, WORDS)
T = TypeVar("T")


class Header(msgspec.Struct, frozen=True):
    """`index.json`. `index_hash` covers the manifest, the documents and how they were read; not
    `threshold`, which changes the answers and not what is retrieved."""

    format: int
    index_hash: str
    normalizer: str
    analyzer: str
    embedder: str
    chunk_size: int
    documents: int
    chunks: int
    skipped: int
    threshold: float
    calibrated: bool
    files: dict[str, str]


@dataclass(frozen=True, slots=True)
class Index:
    """An open index."""

    header: Header
    chunks: tuple[Chunk, ...]
    ranker: Ranker


def built(found: Found, size: int = SIZE) -> tuple[list[Document], list[Chunk]]:
    """Documents and chunks. The error names every file that cannot be read, not only the first."""
    documents: list[Document] = []
    chunks: list[Chunk] = []
    bad = []
    with doing("reading documents", len(found.documents), "files", step="reading") as task:
        for name, path in found.documents:
            try:
                data = path.read_bytes()
                document, parts = split_document(name, data, blocks_of(path, data), size)
            except OSError as error:
                bad.append(f"{path}: {error.strerror}")
            except InputError as error:
                bad.append(str(error))
            else:
                documents.append(document)
                chunks.extend(parts)
            task.done += 1
    if bad:
        raise InputError("\n".join(bad))
    if not chunks:
        raise InputError("the documents hold no text")
    return documents, chunks


def write_index(
    path: Path,
    documents: Sequence[Document],
    chunks: Sequence[Chunk],
    skipped: int = 0,
    size: int = SIZE,
    threshold: float | None = None,
    calibrated: bool = False,
) -> Header:
    """Writes the index beside the old one, then swaps them, so a killed build loses nothing."""
    _may_replace(path)
    files = {
        MANIFEST: _lines(chunks),
        DOCUMENTS: _lines(documents),
        WORDS: msgspec.msgpack.encode([words_of(each) for each in counted_chunks(chunks)]),
    }
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    header = Header(
        FORMAT,
        fingerprint(hashes, size, FORMAT),
        NORMALIZER,
        ANALYZER,
        Ngram.identity,
        size,
        len(documents),
        len(chunks),
        skipped,
        THRESHOLD if threshold is None else threshold,
        calibrated and threshold is not None,
        hashes,
    )
    files[HEADER] = msgspec.json.format(msgspec.json.encode(header), indent=2) + b"\n"
    write_set(path, files)
    return header


def fingerprint(hashes: dict[str, str], size: int, format: int) -> str:
    """The `index_hash`; the same documents read the same way have the same one on any machine."""
    how = [format, NORMALIZER, ANALYZER, Ngram.identity, size, hashes[MANIFEST], hashes[DOCUMENTS]]
    return hashlib.sha256(msgspec.json.encode(how)).hexdigest()


def counted_chunks(chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    """The chunks, while their words are counted."""
    return counting(chunks, "counting words", "chunks", step="counting words")


def _lines(items: Iterable[msgspec.Struct]) -> bytes:
    return b"".join(msgspec.json.encode(item) + b"\n" for item in items)


def _may_replace(path: Path) -> None:
    """Refuses to replace a file, or a folder that is not an index."""
    if path.is_file():
        raise InputError(f"{path} is a file; an index is a folder")
    if path.is_dir() and any(path.iterdir()) and not (path / HEADER).is_file():
        raise InputError(f"{path} holds something that is not an index; give another folder")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: the folder {path.parent} does not exist")


def header_in(given: str | Path) -> tuple[Path, Header]:
    """The folder of an index and its header; the old index if a build was killed in its swap."""
    path = Path(given)
    for folder in (path, folder_aside(path)):
        if (folder / HEADER).is_file():
            header = _decoded(folder / HEADER, _bytes(folder / HEADER), Header)
            if header.format not in READABLE:
                raise InputError(f"{path}: built by another version of ragstone; build it again")
            for name in PARTS:
                if name not in header.files:
                    raise InputError(
                        f"{folder / HEADER}: there is no hash of {name}; build the index again"
                    )
            return folder, header
    raise InputError(f"{path} is not an index; ragstone index build DOCS -o {path} makes one")


def open_index(given: str | Path) -> Index:
    """The index at a path, ready to be searched."""
    folder, header = header_in(given)
    chunks = tuple(read_lines(folder / MANIFEST, Chunk))
    words = _decoded(folder / WORDS, _bytes(folder / WORDS), list[dict[str, int]])
    if len(chunks) != header.chunks or len(words) != header.chunks:
        raise InputError(f"{given}: the files do not belong together; build it again")
    return Index(header, chunks, Ranker(chunks, words))


def read_lines(path: Path, kind: type[T]) -> Iterator[T]:
    every = _bytes(path).splitlines()
    lines = counting(every, f"reading {path.name}", "lines", step=path.name)
    for number, line in enumerate(lines, 1):
        yield _decoded(f"{path}:{number}", line, kind)


def _bytes(path: Path) -> bytes:
    try:
        return read_plain(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; build the index again") from None


def _decoded(where: object, data: bytes, kind: type[T]) -> T:
    decode = msgspec.msgpack.decode if str(where).endswith(WORDS) else msgspec.json.decode
    try:
        return decode(data, type=kind)
    except RecursionError:
        raise InputError(f"{where}: it is nested too deep; build the index again") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"{where}: {error}; build the index again") from None


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
        change = compared(chunks, built(found_in(docs), header.chunk_size)[1])
        found += [f"{id}: the documents no longer hold it" for id in change.removed]
        found += [f"{id}: the documents hold it and the index does not" for id in change.added]
    return found


def _files(folder: Path, header: Header) -> Iterator[str]:
    for name in PARTS:
        path = folder / name
        if not path.is_file():
            yield f"{name}: the file is missing"
        elif hashlib.sha256(_bytes(path)).hexdigest() != header.files.get(name):
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
