"""The canonical text of a document, in which offsets are counted whatever the source format was.

It is Unicode NFC with line feeds, the blocks in order with an empty line between them. It holds no
marks of the source (asterisks, tags), so a phrase is found as a person reads it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from ragstone.index.chunk_model import Block, PlacedBlock

NORMALIZER = "nfc-lf/1"
_SPACE = re.compile(r"[^\S\n]+")
# Invisible characters would break a match: controls, soft hyphens, zero-width spaces.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\xad\u200b\u200c\u2060\ufeff]")


def unified(text: str) -> str:
    """In NFC, with line feeds for every kind of line end and without invisible characters.

    >>> unified("cafe\\u0301\\r\\nopen\\ufeff")
    'café\\nopen'
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = lines.replace("\x0c", "\n").replace("\x85", "\n").replace("\u2028", "\n")
    return _INVISIBLE.sub("", unicodedata.normalize("NFC", lines))


def flowing(text: str) -> str:
    """Prose on one line, with single spaces."""
    return " ".join(text.split())


def rows(text: str) -> str:
    """Text that keeps its line breaks, with single spaces and no empty lines."""
    kept = (_SPACE.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in kept if line)


def indented(text: str) -> str:
    """Code with its indentation, without trailing spaces and outer empty lines."""
    return "\n".join(line.rstrip() for line in text.expandtabs(4).split("\n")).strip("\n")


def placed(blocks: Iterable[Block]) -> tuple[str, str, tuple[PlacedBlock, ...]]:
    """The title, the canonical text, and the blocks that are not headings, with their sections.

    A heading of level 1 at the very beginning is the document's title and opens no section.
    """
    text, places, stack = "", [], _Stack()
    title = ""
    offset = 0
    for block in blocks:
        body = block.text
        if not body.strip():
            continue
        begin = offset + (2 if text else 0)
        text += ("\n\n" if text else "") + body
        offset = begin + len(body.encode())
        if block.level is None:
            places.append(PlacedBlock(block, stack.slugs, (title, *stack.titles), begin, offset))
        elif begin == 0 and block.level == 1:
            title = body
        else:
            stack.enter(block.level, body)
    return title, text, tuple(places)


class _Stack:
    """The headings above the block that is being placed."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str, str]] = []
        self._used: dict[tuple[str, ...], int] = {}

    @property
    def slugs(self) -> tuple[str, ...]:
        return tuple(slug for _, slug, _ in self._open)

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(title for _, _, title in self._open)

    def enter(self, level: int, title: str) -> None:
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        name = slug_of(title)
        path = (*self.slugs, name)
        count = self._used[path] = self._used.get(path, 0) + 1
        self._open.append((level, name if count == 1 else f"{name}-{count}", title))


def slug_of(title: str) -> str:
    """A title as part of an id: its words in lower case, joined by hyphens.

    >>> slug_of("Limits & quotas (v2.1)"), slug_of("???")
    ('limits-quotas-v2-1', 'section')
    """
    words = re.findall(r"[^\W_]+", title.casefold())
    return "-".join(words)[:60].strip("-") or "section"


def section_id(doc: str, slugs: Sequence[str]) -> str:
    """The path in the title tree, with dots between its steps as in the retrieval suite.

    >>> section_id("guide/billing.md", ["plans", "refunds"])
    'guide/billing_md.plans.refunds'
    """
    return ".".join((doc.replace(".", "_"), *slugs))
