"""Nuggets: the facts that a full answer holds, each an expectation with an id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragstone.matching.expectations import Expectation


@dataclass(frozen=True, slots=True)
class Nugget:
    """One fact; an answer without a vital one is not full."""

    id: str
    vital: bool
    expectation: Expectation


def parse_nuggets(value: object, decimal: str = ".") -> tuple[Nugget, ...]:
    """The nuggets of a gold item, each with an id of its own; Misfit says what is wrong.

    >>> [nugget.vital for nugget in parse_nuggets([{"id": "a", "any": ["Rome"]}])]
    [True]
    """
    from ragstone.matching.misfits import Misfit, wrong

    if not isinstance(value, list):
        raise wrong("nuggets", 'a list of objects such as {"id": "a", "any": ["Rome"]}', value)
    found: dict[str, Nugget] = {}
    for place, each in enumerate(value):
        nugget = _nugget(each, f"nuggets[{place}]", decimal)
        if nugget.id in found:
            raise Misfit(f'nuggets[{place}].id: "{nugget.id}" was already given')
        found[nugget.id] = nugget
    return tuple(found.values())


def _nugget(value: object, at: str, decimal: str) -> Nugget:
    from ragstone.matching.expectations import parse
    from ragstone.matching.misfits import wrong

    if not isinstance(value, Mapping):
        raise wrong(at, 'an object such as {"id": "a", "any": ["Rome"]}', value)
    name, vital = value.get("id"), value.get("vital")
    if not isinstance(name, str) or not name:
        raise wrong(f"{at}.id", "a string that is not empty", name)
    if vital is not None and not isinstance(vital, bool):
        raise wrong(f"{at}.vital", "true or false", vital)
    said = {key: item for key, item in value.items() if key not in ("id", "vital")}
    return Nugget(name, vital is not False, parse(said, decimal, at))
