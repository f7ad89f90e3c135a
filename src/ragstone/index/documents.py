"""Finds the documents of a folder and reads each with the reader for its file extension."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragstone.errors import InputError
from ragstone.index.canonical import unified
from ragstone.index.chunk_model import Block
from ragstone.index.html_blocks import read_html
from ragstone.index.markdown_blocks import read_markdown
from ragstone.index.text_blocks import read_source, read_text

Reader = Callable[[str], Sequence[Block]]

_SOURCES = """
    .py .pyi .js .mjs .cjs .jsx .ts .tsx .go .rs .java .kt .scala .c .h .cc .cpp .hpp .cs .rb .php
    .swift .lua .pl .r .jl .sh .bash .zsh .ps1 .sql .css .toml .yaml .yml .json .ini .cfg .proto
"""
READERS: Mapping[str, Reader] = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), read_markdown),
    **dict.fromkeys((".html", ".htm", ".xhtml"), read_html),
    **dict.fromkeys((".txt", ".text", ".rst", ".adoc", ""), read_text),
    **dict.fromkeys(_SOURCES.split(), read_source),
}
PDF = ".pdf"


@dataclass(frozen=True, slots=True)
class Found:
    """The documents of a folder by name, and how many files have no reader."""

    documents: tuple[tuple[str, Path], ...]
    skipped: int


def found_in(docs: str | Path) -> Found:
    """Every file below a folder that has a reader, sorted by name.

    Files and folders whose name begins with a dot are skipped.
    """
    root = Path(docs)
    if root.is_file():
        return Found(((root.name, root),), 0)
    if not root.is_dir():
        raise InputError(f"{docs}: there is no such folder")
    named = sorted((path.relative_to(root).as_posix(), path) for path in _files(root))
    taken = tuple((name, path) for name, path in named if _suffix(path) in (*READERS, PDF))
    if not taken:
        raise InputError(f"{docs}: no Markdown, HTML, text, PDF or source file is in it")
    return Found(taken, len(named) - len(taken))


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder) / name for name in names if not name.startswith("."))


def _suffix(path: Path) -> str:
    return path.suffix.lower()


def blocks_of(path: Path, data: bytes) -> Sequence[Block]:
    """The blocks of one file; InputError if it cannot be read."""
    if _suffix(path) == PDF:
        from ragstone.index.pdf_blocks import read_pdf

        return read_pdf(path, data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start:,} is not UTF-8") from None
    return READERS[_suffix(path)](unified(text))
