"""The values between a document and the index: blocks, the canonical text, chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

Type = Literal["prose", "code", "table", "figure"]


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph, listing, table or figure; only a heading has a level."""

    text: str
    type: Type = "prose"
    level: int | None = None


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block with the titles above it, their slugs, and its bytes in the canonical text."""

    block: Block
    slugs: tuple[str, ...]
    titles: tuple[str, ...]
    begin: int
    end: int


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
