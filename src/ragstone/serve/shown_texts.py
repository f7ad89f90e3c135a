"""Texts of the user's data on pages: as much of each as `[report] texts` lets out."""

from __future__ import annotations

from ragstone.report.private_texts import CLIPPED, Texts


def cut(text: object, texts: Texts) -> str:
    """A text as a page may show it; nothing where there is none.

    >>> cut("a" * 100, "clip") == "a" * 80 + "…", cut("a", "none"), cut(None, "all")
    (True, '', '')
    """
    if not isinstance(text, str) or texts == "none":
        return ""
    return text if texts == "all" or len(text) <= CLIPPED else f"{text[:CLIPPED]}…"
