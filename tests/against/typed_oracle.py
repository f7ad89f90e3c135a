"""What gold expects beyond phrases, straight from the spec: which of it a claim holds.

One expectation is matched by `ragstone.matching`, which has tests of its own; what follows from the
matches, for a question and for a run, is computed here without the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ragstone.matching.expectations import Claim, parse, parse_forbidden

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Held:
    """What a claim holds of a question's typed answers, nuggets and forbidden parts."""

    answered: bool
    forbidden: bool
    nuggets: tuple[bool, ...]
    vital: tuple[bool, ...]


def listed(item: Record, field: str) -> list[Any]:
    """A field that may be one thing or a list of them; absent and null are none."""
    found = item.get(field)
    if found is None:
        return []
    return list(found) if isinstance(found, list) else [found]


def held(item: Record, claim: str, decimal: str) -> Held:
    said = Claim(claim, decimal)
    # A claim without a visible character is no claim, and holds nothing, not even an empty match.
    silent = claim.strip() == ""

    def says(value: Any, parser: Callable[..., Any] = parse) -> bool:
        return not silent and bool(parser(value, decimal).match(said).ok)

    nuggets = [
        ({key: part for key, part in nugget.items() if key not in ("id", "vital")}, nugget)
        for nugget in listed(item, "nuggets")
    ]
    return Held(
        answered=any(says(answer) for answer in listed(item, "gold_answer")),
        forbidden=any(says(part, parse_forbidden) for part in listed(item, "must_not")),
        nuggets=tuple(says(fact) for fact, _ in nuggets),
        vital=tuple(says(fact) for fact, nugget in nuggets if nugget.get("vital") is not False),
    )


def contained(item: Record, phrase_found: bool, found: Held) -> bool:
    """A phrase or a typed answer; where gold has neither, every vital nugget."""
    phrases = listed(item, "gold_claim_substr")
    if phrases or listed(item, "gold_answer"):
        # Without phrases "found" is vacuous, and must not stand for a typed answer.
        return (bool(phrases) and phrase_found) or found.answered
    return all(found.vital)


def mean(shares: Sequence[Sequence[bool]]) -> Fraction:
    """The mean share of what was found, as an exact sum that is still to be divided."""
    return sum((Fraction(sum(share), len(share)) for share in shares), Fraction(0))
