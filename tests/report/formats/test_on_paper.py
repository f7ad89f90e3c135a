"""Pages on paper: every sheet but the last is well filled, and nothing is cut off."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser
Shown = Callable[..., Any]
# Where the words of a sheet of A4 are at all, in points from its lower edge.
TALL = 842


def lowest_words(sheet: Any) -> float:
    """How far down a sheet its lowest words stand, as a share of its height."""
    heights: list[float] = []

    def visit(text: str, matrix: list[float], inner: list[float], *_: Any) -> None:
        if text.strip():
            heights.append(inner[4] * matrix[1] + inner[5] * matrix[3] + matrix[5])

    sheet.extract_text(visitor_text=visit)
    return 1 - min(heights, default=TALL) / TALL


@pytest.mark.parametrize(
    "name", ["answers-fail", "retrieval", "canary", "context-4", "latency", "stability", "compare"]
)
def test_no_sheet_but_the_last_is_half_empty(
    page_of: Callable[[str], Path], opened_file: Shown, name: str
) -> None:
    pypdf = pytest.importorskip("pypdf")
    page = opened_file(page_of(name))
    sheets = pypdf.PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
    filled = [round(lowest_words(sheet), 2) for sheet in sheets]
    assert len(filled) > 1
    assert [share for share in filled[:-1] if share < 0.5] == [], filled
