"""Finds the documents of a folder, and reads plain text, source files and PDF as blocks."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragstone.errors import ConfigError, InputError
from ragstone.extras import install_line
from ragstone.index.markup_blocks import read_html, read_markdown
from ragstone.index.texts import WORDS, Block, flowing, indented, unified

Reader = Callable[[str], Sequence[Block]]
# A definition at the left margin in any of the common languages, or a table of a TOML file.
_DEFINITION = re.compile(
    r"^(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|static|final|abstract|async"
    r"|inline|unsafe|extern|create(?: or replace)?)\s+)*"
    r"(?:def|class|func(?:tion)?|fn|struct|enum|trait|impl|interface|type|module|namespace|message"
    r"|service|object|table|view)\s+(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_]\w*(?:(?:\.|::)\w+)*)"
    r"|^\[+(?P<table>[^\[\]]+)\]+\s*$",
    re.IGNORECASE,
)


def read_text(text: str) -> Sequence[Block]:
    """The paragraphs, separated by empty lines; a short first line by itself is the title.

    >>> [(b.level, b.text) for b in read_text("Relay\\n\\nIt sends\\nevents.")]
    [(1, 'Relay'), (None, 'It sends events.')]
    """
    pieces = [piece for piece in re.split(r"\n[^\S\n]*\n", text) if piece.strip()]
    blocks = [Block(flowing(piece)) for piece in pieces]
    if len(blocks) > 1 and _is_title(pieces[0].strip()):
        blocks[0] = Block(blocks[0].text, level=1)
    return blocks


def _is_title(text: str) -> bool:
    return len(text) <= 80 and "\n" not in text and text[-1] not in ".!?:;,"


def read_source(text: str) -> Sequence[Block]:
    """A section for each top-level definition, with the comments directly above it.

    >>> [(b.level, b.text) for b in read_source("import x\\n\\n# Sends.\\ndef send():\\n    x()")]
    [(None, 'import x'), (1, 'send'), (None, '# Sends.\\ndef send():\\n    x()')]
    """
    lines = text.split("\n")
    blocks: list[Block] = []
    held: list[str] = []
    for line in lines:
        found = _DEFINITION.match(line)
        if found:
            above = _attached(held)
            _close(blocks, held[: len(held) - above])
            held = held[len(held) - above :]
            blocks.append(Block((found["name"] or found["table"]).strip(), level=1))
        held.append(line)
    _close(blocks, held)
    # A heading of level 1 at the very beginning would be taken for the title, and open no section.
    if not blocks or blocks[0].level is None:
        return blocks
    return [Block(block.text, block.type, block.level and 2) for block in blocks]


def _attached(held: Sequence[str]) -> int:
    """How many of the last lines are comments or decorators of what follows."""
    count = 0
    for line in reversed(held):
        if not line.startswith(("#", "//", "/*", " *", "*/", "--", "@", '"""')):
            break
        count += 1
    return count


def _close(blocks: list[Block], lines: Sequence[str]) -> None:
    body = indented("\n".join(lines))
    if body:
        blocks.append(Block(body, "code"))


def read_pdf(path: Path, data: bytes) -> Sequence[Block]:
    """A section for each page, with its paragraphs where empty lines separate them."""
    try:
        import pypdf
    except ImportError:
        raise ConfigError(
            f"{path}: reading PDF needs a package that is not installed: {install_line('pypdf')}"
        ) from None
    try:
        pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages]
    except Exception as error:
        # pypdf raises many kinds of error for a broken file; the user needs to know which file.
        raise InputError(f"{path}: cannot be read as PDF: {error}") from None
    blocks: list[Block] = []
    for number, text in enumerate(pages, 1):
        blocks.append(Block(f"Page {number}", level=2))
        # A hyphen at a line's end was put there by typesetting: "time-\nout" is one word.
        whole = re.sub(r"(?<=\w)-\n(?=[a-z])", "", unified(text))
        blocks.extend(Block(flowing(piece)) for piece in re.split(r"\n\s*\n", whole))
    return blocks


READERS: Mapping[str, Reader] = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), read_markdown),
    **dict.fromkeys((".html", ".htm", ".xhtml"), read_html),
    **dict.fromkeys((".txt", ".text", ".rst", ".adoc", ""), read_text),
    **dict.fromkeys(WORDS["source_suffixes"], read_source),
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
        if root.suffix.lower() not in (*READERS, PDF):
            raise InputError(f"{docs}: it is no Markdown, HTML, text, PDF or source file")
        return Found(((root.name, root),), 0)
    if not root.is_dir():
        raise InputError(f"{docs}: there is no such folder")
    named = sorted((path.relative_to(root).as_posix(), path) for path in _files(root))
    taken = tuple((name, path) for name, path in named if path.suffix.lower() in (*READERS, PDF))
    if not taken:
        raise InputError(f"{docs}: no Markdown, HTML, text, PDF or source file is in it")
    return Found(taken, len(named) - len(taken))


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder) / name for name in names if not name.startswith("."))


def blocks_of(path: Path, data: bytes) -> Sequence[Block]:
    """The blocks of one file; InputError if it cannot be read."""
    suffix = path.suffix.lower()
    if suffix == PDF:
        return read_pdf(path, data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start:,} is not UTF-8") from None
    return READERS[suffix](unified(text))
