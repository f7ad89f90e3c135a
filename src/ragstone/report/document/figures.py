"""How a number and its metric are written: the same way on every page and in every table."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ragstone.gates.gate import Threshold
from ragstone.measure.interval import Interval
from ragstone.measure.metric import Measured, Metric
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


def titled(name: str, metric: Metric | None) -> str:
    """A metric's plain name with the one that files and flags know; that alone if it has no other.

    >>> from ragstone.measure.metric import Ratio
    >>> hits = Ratio(name="chr", title="cites the right evidence", hit="cited", says="")
    >>> titled("answers.chr", hits)
    'cites the right evidence (answers.chr)'
    """
    return f"{metric.title} ({name})" if metric is not None and metric.title else name


def unit_of(metric: Metric) -> str:
    """What a metric's number counts, such as `ms`; nothing for shares and plain numbers."""
    unit = getattr(metric, "unit", "")
    return unit if isinstance(unit, str) else ""


def places_of(value: float, unit: str) -> int:
    """With how many places a number of a unit is written.

    A clock across a network is good for whole milliseconds; only what is very fast gets a tenth.
    What is as large as thousands is no share, and has one place.

    >>> places_of(268.9, "ms"), places_of(3.1, "ms"), places_of(0.5, ""), places_of(123456.7, "")
    (0, 1, 4, 1)
    """
    if unit == "ms":
        return 0 if abs(value) >= 9.95 else 1
    return PLACES if abs(value) < 1000 else 1


def quantity(value: float | None, unit: str = "", places: int | None = None) -> str:
    """A number for people with its unit: whole milliseconds, and 4 places for all else.

    >>> quantity(268.9414, "ms"), quantity(3.14159, "ms"), quantity(0.5), quantity(None, "ms")
    ('269 ms', '3.1 ms', '0.5000', '–')
    """
    if value is None or not math.isfinite(value):
        return ABSENT
    shown = number(float(value), places_of(value, unit) if places is None else places)
    return f"{shown} {unit}".rstrip()


def judged_quantity(value: float | None, threshold: Threshold, unit: str = "") -> str:
    """A gate's value; a failing one never looks as if it passed, so it gets the places it needs.

    >>> judged_quantity(0.79996, Threshold(">=", 0.8)), judged_quantity(0.8, Threshold(">=", 0.8))
    ('0.79996', '0.8000')
    >>> judged_quantity(2000.4, Threshold("<=", 2000), "ms")
    '2,000.4 ms'
    """
    if value is None or not math.isfinite(value) or threshold.holds(value):
        return quantity(value, unit)
    fewest = places_of(value, unit)
    told = (n for n in range(fewest, 12) if not threshold.holds(round(value, n)))
    return quantity(value, unit, next(told, 12))


def limit(threshold: Threshold, unit: str = "") -> str:
    """A threshold in the signs of print, as it was given.

    >>> limit(Threshold("<=", 0.05)), limit(Threshold("<=", 2000), "ms")
    ('≤ 0.05', '≤ 2,000 ms')
    """
    sign = threshold.op.replace(">=", "≥").replace("<=", "≤")
    given = f"{threshold.value:,.12g}" if abs(threshold.value) < 1e12 else f"{threshold.value:g}"
    return f"{sign} {given} {unit}".rstrip()


def whole_percent(share: float) -> str:
    """A share of what is counted beside it, where nobody asks for more digits.

    >>> whole_percent(1 / 3), whole_percent(1.0), whole_percent(0.999), whole_percent(0.001)
    ('33 %', '100 %', '99 %', '1 %')
    """
    hundredths = round(100 * share)
    # All and nothing are said only of all and of nothing.
    if 0 < share < 1:
        hundredths = min(max(hundredths, 1), 99)
    return f"{hundredths} %"


def interval(
    ends: Interval | None, needs: int | None = None, places: int = PLACES, unit: str = ""
) -> str:
    """An interval for people; `needs` is from how many samples on an open end is there.

    >>> interval((0.25, 0.75)), interval(None), interval((1620.25, 2105.5), unit="ms")
    ('0.2500 to 0.7500', '–', '1,620 to 2,106 ms')
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
        both = [number(float(end), _end_places(end, unit, places)) for end in (low, high)]
        return f"{' to '.join(both)} {unit}".rstrip()
    end, side = (high, "or less") if low is None else (low, "or more")
    said = f"{quantity(end, unit, _end_places(end or 0.0, unit, places))} {side}"
    return f"{said} ({wanted})" if wanted else said


def _end_places(end: float, unit: str, places: int) -> int:
    return places_of(end, unit) if unit else places


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
        **({"waived": found.waived} if found.waived else {}),
    }
