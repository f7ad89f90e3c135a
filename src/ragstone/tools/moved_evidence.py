"""The evidence of a gold item under new ids, in whichever form the item names it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

# The fields that name a question's evidence: retrieval gold has the first, answers gold the others.
EVIDENCE = ("relevant", "gold_citations", "gold_citations_any")

Carry = Callable[[list[str], str], list[str]]
"""From old ids and the name of their field to the new ids that stand for them."""


@dataclass(slots=True)
class Moved:
    """The fields as they are now, all ids before and after, and those that were really found."""

    fields: dict[str, object] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    heirs: list[str] = field(default_factory=list)


def move_evidence(item: Mapping[str, object], carry: Carry) -> Moved:
    """Every form of evidence; what would be left without any id keeps its old ones.

    >>> move_evidence({"gold_citations": {"a": 2, "b": 0}}, lambda ids, name: [ids[0] * 2]).fields
    {'gold_citations': {'aa': 2, 'bb': 0}}
    """
    moved = Moved()
    for name in EVIDENCE:
        value = item.get(name)
        if not value:
            continue
        if isinstance(value, dict):
            moved.fields[name] = _grades(value, name, carry, moved)
        elif isinstance(value, list) and name == "gold_citations_any":
            moved.fields[name] = [_ids(group, name, carry, moved) for group in value]
        elif isinstance(value, list):
            moved.fields[name] = _ids(value, name, carry, moved)
    return moved


def _ids(ids: list[str], name: str, carry: Carry, moved: Moved) -> list[str]:
    carried = carry(ids, name)
    moved.before += ids
    moved.after += carried or ids
    moved.heirs += carried
    return carried or ids


def _grades(
    graded: Mapping[str, float | None], name: str, carry: Carry, moved: Moved
) -> dict[str, float | None]:
    """Each heir has the grade of the old id; of several that became one, the highest."""
    made: dict[str, float | None] = {}
    for id, grade in graded.items():
        for heir in carry([id], name):
            known = made.get(heir)
            made[heir] = grade if known is None else max(known, grade or known)
    moved.before += graded
    moved.after += made or graded
    moved.heirs += made
    return made or dict(graded)
