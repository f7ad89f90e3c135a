"""Known failures that are taken out of the gates for a while: `[[waive]]`, and the day it counts.

The day is an input like any other: it is resolved once, where options are made, and is part of the
settings, so that a report can be made again on another day.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal

from ragstone.contracts.plain_numbers import clipped
from ragstone.errors import ConfigError
from ragstone.suites.settings_tables import must_know, text_of

KEYS = ("qid", "until", "why")
_WRITTEN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Waiver:
    """A question whose rows no gate counts, up to and including a day.

    >>> waiver = Waiver("A7", "2027-01-31", "the source is being rewritten")
    >>> waiver.holds_on("2027-01-31"), waiver.holds_on("2027-02-01")
    (True, False)
    """

    qid: str
    until: str
    why: str

    def holds_on(self, day: str) -> bool:
        # Written as they are checked to be, days are in the order of their texts.
        return day <= self.until

    def as_dict(self) -> dict[str, str]:
        return {key: getattr(self, key) for key in KEYS}


State = Literal["in_force", "not_needed", "expired", "unknown"]


@dataclass(frozen=True, slots=True)
class Waived:
    """A waiver, and what has become of it on the day of a run."""

    waiver: Waiver
    state: State


def today() -> str:
    """The day it is, in UTC: the one place that asks the clock which waivers hold."""
    return datetime.now(UTC).date().isoformat()


def day_of(value: object, at: str) -> str:
    """A day as text; TOML's own dates are taken too.

    >>> day_of("2027-02-30", "as_of")
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: as_of: expected a date such as 2027-01-31, found '2027-02-30'
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    # Python also reads 20270131 and 2027-W04-7.
    if isinstance(value, str) and _WRITTEN.fullmatch(value):
        with suppress(ValueError):
            return date.fromisoformat(value).isoformat()
    raise ConfigError(f"{at}: expected a date such as 2027-01-31, found {clipped(value)}")


def waivers_from_table(value: object, at: str) -> tuple[Waiver, ...]:
    """`[[waive]]`, each with `qid`, `until` and `why`, in order of qid; a qid is waived once."""
    if not isinstance(value, list):
        raise ConfigError(f"{at}: expected a list, found {clipped(value)}")
    found = [_waiver(item, f"{at}[{number}]") for number, item in enumerate(value)]
    must_differ(found, at)
    return tuple(sorted(found, key=lambda waiver: waiver.qid))


def must_differ(waivers: Sequence[Waiver], at: str) -> None:
    """Of two waivers of one question, nobody could say which one holds."""
    places: dict[str, int] = {}
    for number, waiver in enumerate(waivers):
        first = places.setdefault(waiver.qid, number)
        if first != number:
            raise ConfigError(
                f"{at}[{number}].qid: {clipped(waiver.qid)} is waived by {at}[{first}] already"
            )


def _waiver(item: object, at: str) -> Waiver:
    if isinstance(item, Waiver):
        return item
    if not isinstance(item, Mapping):
        raise ConfigError(f"{at}: expected a table with `qid`, `until` and `why`")
    must_know(item, KEYS, f"{at}.")
    for key in KEYS:
        if key not in item:
            raise ConfigError(f"{at}: `{key}` is missing; a waiver has `qid`, `until` and `why`")
    until = day_of(item["until"], f"{at}.until")
    return Waiver(_text(item["qid"], f"{at}.qid"), until, _text(item["why"], f"{at}.why"))


def _text(value: object, at: str) -> str:
    text = text_of(value, at)
    if not text.strip():
        raise ConfigError(f"{at}: expected a string that is not empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{at}: expected UTF-8, found {clipped(text)}") from None
    return text
