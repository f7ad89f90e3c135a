"""Plain text and source files as blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragstone.index.canonical import flowing, indented
from ragstone.index.chunk_model import Block

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
    if not _leads(blocks):
        return blocks
    return [Block(block.text, block.type, block.level and 2) for block in blocks]


def _leads(blocks: Sequence[Block]) -> bool:
    return bool(blocks) and blocks[0].level is not None


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
