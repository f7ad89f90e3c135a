"""Times and durations as people and pipelines write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ragstone.errors import ConfigError

# A number below this is in seconds, one above it in milliseconds: the years 5138 and 1973.
_MILLISECONDS = 1e11
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
MINUTE = 60_000


def moment_of(value: object) -> int | None:
    """A `ts` in milliseconds since 1970; None where there is none that a calendar has.

    A time without an offset is in UTC.

    >>> moment_of(1700000000), moment_of(1700000000123), moment_of("2023-11-14T22:13:20Z")
    (1700000000000, 1700000000123, 1700000000000)
    """
    if isinstance(value, str):
        try:
            told = datetime.fromisoformat(value)
            value = (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
        return round(value * 1000)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    # Beyond it no calendar goes.
    if not 0 <= value < 2.5e14:
        return None
    return round(value if value >= _MILLISECONDS else value * 1000)


def minute_of(moment: int) -> int:
    """The number of the minute since 1970 that a moment is in."""
    return moment // MINUTE


def minute_name(minute: int) -> str:
    """A minute as a time that people and programs read.

    >>> minute_name(28333333)
    '2023-11-14T22:13Z'
    """
    return datetime.fromtimestamp(minute * 60, UTC).strftime("%Y-%m-%dT%H:%MZ")


def minute_in(name: str) -> int:
    """The number of a minute that `minute_name` wrote.

    >>> minute_in("2023-11-14T22:13Z")
    28333333
    """
    return int(datetime.fromisoformat(name).timestamp()) // 60


def seconds_in_words(seconds: float) -> str:
    """A duration as people read it, rounded down: what is not over yet is not said to be.

    >>> [seconds_in_words(each) for each in (604_800, 604_799, 5_400, 86_400, 60, 1.5)]
    ['7 days', '6.9 days', '1.5 hours', '1 day', '1 minute', '1.5 seconds']
    """
    names = {"day": 86400, "hour": 3600, "minute": 60, "second": 1}
    name = next((name for name, unit in names.items() if seconds >= unit), "second")
    tenths = int(seconds * 10 // names[name])
    return f"{tenths / 10:g} {name}{'' if tenths == 10 else 's'}"


def seconds_in(words: object, at: str) -> int:
    """A duration such as `30d`, `2m` or `90s`, in seconds.

    >>> seconds_in("2m", "late")
    120
    """
    found = re.fullmatch(r"([0-9]{1,6})([smhd])", words) if isinstance(words, str) else None
    if found is None:
        raise ConfigError(
            f'{at}: expected a duration such as "90s", "2m" or "30d", found {words!r}'
        )
    return int(found[1]) * _UNITS[found[2]]
