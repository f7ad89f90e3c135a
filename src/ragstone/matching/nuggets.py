"""Nuggets: the facts that a good answer holds, each found or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragstone.matching.answer_forms import Expectation
from ragstone.matching.claim_reading import Claim, Match
from ragstone.matching.expectations import parse
from ragstone.matching.misfits import Misfit, wrong


@dataclass(frozen=True, slots=True)
class Nugget:
    """One fact; a vital one must be there for an answer to be complete."""

    id: str
    expectation: Expectation
    vital: bool

    def match(self, claim: Claim) -> Match:
        """Whether the claim holds the fact, and where."""
        return self.expectation.match(claim)


def parse_nuggets(
    value: object, decimal: str = ".", at: str = "nuggets", question: str = ""
) -> tuple[Nugget, ...]:
    """The nuggets of a gold item; each has an id of its own, and is vital unless it says no.

    >>> (one,) = parse_nuggets([{"id": "n1", "number": 30, "unit": "days", "vital": False}])
    >>> one.match(Claim("Kept for 30 days.")).ok, one.vital
    (True, False)
    """
    if not isinstance(value, list):
        raise wrong(at, "a list", value)
    nuggets = tuple(
        _nugget(one, f"{at}[{place}]", decimal, question) for place, one in enumerate(value)
    )
    places: dict[str, int] = {}
    for place, nugget in enumerate(nuggets):
        if nugget.id in places:
            raise Misfit(
                f'{at}[{place}].id: "{nugget.id}" is the id of {at}[{places[nugget.id]}] too'
            )
        places[nugget.id] = place
    return nuggets


def _nugget(value: object, at: str, decimal: str, question: str) -> Nugget:
    if not isinstance(value, Mapping):
        raise wrong(at, 'a nugget such as {"id": "n1", "any": ["Rome"]}', value)
    name, vital = value.get("id"), value.get("vital")
    vital = True if vital is None else vital
    if not isinstance(name, str) or not name.strip():
        raise wrong(f"{at}.id", "a text that names the nugget", name)
    if not isinstance(vital, bool):
        raise wrong(f"{at}.vital", "true or false", vital)
    answer = {key: part for key, part in value.items() if key not in ("id", "vital")}
    return Nugget(name, parse(answer, decimal, at, question), vital)
