"""An index as a folder of files: builds, writes and opens it."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

import msgspec

from ragstone.errors import InputError
from ragstone.index.canonical import NORMALIZER
from ragstone.index.chunk_model import Chunk, Document
from ragstone.index.chunks import SIZE, split_document
from ragstone.index.documents import Found, blocks_of
from ragstone.index.extractive import THRESHOLD
from ragstone.index.ranker import Ranker, words_of
from ragstone.index.terms import ANALYZER
from ragstone.suites.retrieval.embed import Ngram

# 2: a chunk's hash is that of its text; in format 1 it covered the type as well.
FORMAT = 2
READABLE = (1, 2)
HEADER, MANIFEST, DOCUMENTS, WORDS = (
    "index.json",
    "manifest.jsonl",
    "documents.jsonl",
    "words.msgpack",
)
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

    path: Path
    header: Header
    chunks: tuple[Chunk, ...]
    ranker: Ranker


def built(found: Found, size: int = SIZE) -> tuple[list[Document], list[Chunk]]:
    """Documents and chunks. The error names every file that cannot be read, not only the first."""
    documents: list[Document] = []
    chunks: list[Chunk] = []
    bad = []
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
        WORDS: msgspec.msgpack.encode([words_of(chunk) for chunk in chunks]),
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
    files[HEADER] = pretty(header)
    _swap(path, files)
    return header


def fingerprint(hashes: dict[str, str], size: int, format: int) -> str:
    """The `index_hash`; the same documents read the same way have the same one on any machine."""
    how = [format, NORMALIZER, ANALYZER, Ngram.identity, size, hashes[MANIFEST], hashes[DOCUMENTS]]
    return hashlib.sha256(msgspec.json.encode(how)).hexdigest()


def pretty(header: Header) -> bytes:
    return msgspec.json.format(msgspec.json.encode(header), indent=2) + b"\n"


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


def _swap(path: Path, files: dict[str, bytes]) -> None:
    part = path.with_name(f".{path.name}.{token_hex(4)}.part")
    try:
        part.mkdir()
        for name, data in files.items():
            _put(part / name, data)
        old = _old(path)
        if path.exists():
            shutil.rmtree(old, ignore_errors=True)
            path.replace(old)
        part.replace(path)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _put(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _old(path: Path) -> Path:
    """Where the old index is kept between the two renames of a swap."""
    return path.with_name(f".{path.name}.old")


def header_in(given: str | Path) -> tuple[Path, Header]:
    """The folder of an index and its header; the old index if a build was killed in its swap."""
    path = Path(given)
    for folder in (path, _old(path)):
        if (folder / HEADER).is_file():
            header = _decoded(folder / HEADER, (folder / HEADER).read_bytes(), Header)
            if header.format not in READABLE:
                raise InputError(f"{path}: built by another version of ragstone; build it again")
            return folder, header
    raise InputError(f"{path} is not an index; ragstone index build DOCS -o {path} makes one")


def open_index(given: str | Path) -> Index:
    """The index at a path, ready to be searched."""
    folder, header = header_in(given)
    chunks = tuple(read_lines(folder / MANIFEST, Chunk))
    words = _decoded(folder / WORDS, _bytes(folder / WORDS), list[dict[str, int]])
    if len(chunks) != header.chunks or len(words) != header.chunks:
        raise InputError(f"{given}: the files do not belong together; build it again")
    return Index(folder, header, chunks, Ranker(chunks, words))


def read_lines(path: Path, kind: type[T]) -> Iterator[T]:
    for number, line in enumerate(_bytes(path).splitlines(), 1):
        yield _decoded(f"{path}:{number}", line, kind)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; build the index again") from None


def _decoded(where: object, data: bytes, kind: type[T]) -> T:
    decode = msgspec.msgpack.decode if str(where).endswith(WORDS) else msgspec.json.decode
    try:
        return decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"{where}: {error}; build the index again") from None
