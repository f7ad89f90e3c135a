"""What a document becomes on its way into the index: blocks, a canonical text, chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

Type = Literal["prose", "code", "table", "figure"]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document as its reader saw it; a heading has a level, nothing else has."""

    text: str
    type: Type = "prose"
    level: int | None = None


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block in its section: the titles above it, their slugs, and its bytes in the text."""

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
    """One line of the manifest: what is retrieved and cited.

    `offsets` are bytes of the document's canonical text, half-open, and `text` is what they hold.
    """

    id: str
    doc: str
    section_id: str
    titles: tuple[str, ...]
    offsets: tuple[int, int]
    type: Type
    hash: str
    text: str
