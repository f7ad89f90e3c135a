"""A date as gold writes it: a day, a month, a quarter or a year, as ISO 8601 has them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping

from ragstone.matching.answer_forms import DateAnswer
from ragstone.matching.dates import ORDERS, Date
from ragstone.matching.misfits import wrong

_FORM = re.compile(
    r"(?P<year>[12][0-9]{3})(?:-Q(?P<quarter>[1-4])|-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?)?",
    re.ASCII,
)
_EXPECTED = 'a date such as "2023-07-01", "2023-07", "2023-Q3" or "2023"'
_MONTHS = "January February March April May June July August September October November December"


def date_answer(given: Mapping[str, object], at: str) -> DateAnswer:
    """The date of a typed answer, and the order of the claim's digits."""
    value, order = given["date"], given.get("order")
    form = _FORM.fullmatch(value) if isinstance(value, str) else None
    if form is None:
        raise wrong(f"{at}.date", _EXPECTED, value)
    year, quarter, month, day = (int(part) if part else None for part in form.groups())
    try:
        datetime.date(int(form["year"]), month or 1, day or 1)
    except ValueError:
        raise wrong(f"{at}.date", "a day that exists", value) from None
    if order is not None and order not in ORDERS:
        raise wrong(f"{at}.order", " or ".join(f'"{one}"' for one in ORDERS), order)
    date = Date(year, quarter, month, day)
    return DateAnswer(date, _words(date), str(order) if order else None)


def _words(date: Date) -> str:
    """`July 1, 2023`, as a report shows what was expected.

    >>> _words(Date(2023, 3)), _words(Date(2023, None, 7))
    ('Q3 2023', 'July 2023')
    """
    if date.quarter:
        return f"Q{date.quarter} {date.year}"
    if not date.month:
        return str(date.year)
    month = _MONTHS.split()[date.month - 1]
    return f"{month} {date.day}, {date.year}" if date.day else f"{month} {date.year}"
