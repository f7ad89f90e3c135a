"""The scale that a table or its heading gives to bare figures: `(in millions)`, `USD thousands`."""

from __future__ import annotations

import re
from bisect import bisect_right
from decimal import Decimal

from ragstone.matching.number_words import CODES, SCALES, SIGNS, one_of, scale_of

_SCALE = one_of(word for word in SCALES if len(word) > 3)
_PLURAL = one_of(word for word in SCALES if len(word) > 3 and word.endswith("s"))
_CURRENCY = rf"(?:{CODES}|US dollars|dollars|euros|{one_of(SIGNS)})"
_BLANK = r"[ \u00a0]{0,2}"
_HEADING = re.compile(
    rf"(?<!\w)(?:in|\(){_BLANK}(?:{_CURRENCY}{_BLANK})?(?P<after>{_SCALE})(?!\w)"
    rf"|(?<!\w)(?<![0-9][ \u00a0]){_CURRENCY}{_BLANK}(?P<named>{_PLURAL})(?!\w)",
    re.IGNORECASE,
)
# What every scale in words holds, in any case: most texts have none, and are done here.
_MARKS = ("illi", "ILLI", "housand", "HOUSAND", "crore", "lakh", "Crore", "Lakh")


class Headings:
    """Every heading of a text that gives a scale; a figure is under the last one before it, or
    under the first of all where none stands before it.

    >>> headings = Headings("Revenue 5 (USD millions); headcount in thousands: 12")
    >>> [int(headings.scale_at(place)) for place in (8, 50)]
    [1000000, 1000]
    """

    def __init__(self, text: str) -> None:
        some = any(mark in text for mark in _MARKS)
        found = list(_HEADING.finditer(text)) if some else []
        self._places = [one.start() for one in found]
        self._scales = [scale_of(one["after"] or one["named"]) for one in found]

    def __bool__(self) -> bool:
        return bool(self._places)

    def scale_at(self, place: int) -> Decimal:
        """The scale of the heading that a place of the text is under."""
        return self._scales[max(0, bisect_right(self._places, place) - 1)]
