"""PDF as blocks, read with pypdf, which the extra `index` installs."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path

from ragstone.errors import ConfigError, InputError
from ragstone.index.canonical import flowing, unified
from ragstone.index.chunk_model import Block


def read_pdf(path: Path, data: bytes) -> Sequence[Block]:
    """A section for each page, with its paragraphs where empty lines separate them."""
    try:
        import pypdf
    except ImportError:
        raise ConfigError(
            f"{path}: reading PDF needs an extra: pip install 'ragstone[index]'"
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
