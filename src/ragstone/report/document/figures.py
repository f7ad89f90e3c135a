"""How a number is written: the same way on every page, in every table and in all JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ragstone.measure.interval import Interval
from ragstone.measure.metric import Measured
from ragstone.report.document.blocks import Json

ABSENT = "–"
PLACES = 4


def number(value: float | None, places: int = PLACES) -> str:
    """A number for people: floats with 4 places, whole numbers with separators, absent as a dash.

    >>> number(0.5), number(12345), number(None), number(-1e-9)
    ('0.5000', '12,345', '–', '0.0000')
    """
    if value is None or not math.isfinite(value):
        return ABSENT
    if isinstance(value, int):
        return f"{value:,}"
    text = f"{value:,.{places}f}"
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text


def interval(ends: Interval | None, needs: int | None = None, places: int = PLACES) -> str:
    """An interval for people; `needs` is from how many samples on an open end is there.

    >>> interval((0.25, 0.75)), interval(None)
    ('0.2500 to 0.7500', '–')
    >>> interval((0.25, None), 72), interval((None, None), 368)
    ('0.2500 or more (needs 72 samples)', 'needs 368 samples')
    """
    if ends is None:
        return ABSENT
    low, high = ends
    wanted = f"needs {needs:,} samples" if needs else ""
    if low is None and high is None:
        return wanted or ABSENT
    if low is not None and high is not None:
        return f"{number(low, places)} to {number(high, places)}"
    said = f"{number(high, places)} or less" if low is None else f"{number(low, places)} or more"
    return f"{said} ({wanted})" if wanted else said


def numbers_json(numbers: Mapping[str, Measured]) -> dict[str, Json]:
    return {name: measured_json(found) for name, found in numbers.items()}


def measured_json(found: Measured) -> dict[str, Json]:
    """One metric's number, and what it was computed over."""
    return {
        "value": found.value,
        "numerator": found.numerator,
        "denominator": found.denominator,
        "tested": found.tested,
        "interval": None if found.interval is None else list(found.interval),
        "needs_samples": found.needs_samples,
        "vacuous": found.vacuous,
    }
