"""Keys that are nearly fields: a misspelled key must not turn an expectation off in silence.

Other fields are allowed, so a key that no field has is taken as it is, unless it is one that
somebody nearly spelled: in another case, with `-` or a blank for `_`, by an alias of the record,
or, where both have seven letters or more, with one letter other, more, less or exchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from ragstone.contracts.json_paths import Path

# What other tools and people call something else, however near it is to a field.
OTHER_NAMES = {
    *("answers", "chunk", "content", "contexts", "doc_IDs", "event", "events", "latencyMs"),
    *("latency_s", "normalized", "reasons", "reranked", "topK", "traceId", "TraceId"),
}
# From so many letters on, a key with one letter wrong is nearly a field; from twice as many, two.
_LETTERS = ((7, 1), (12, 2))
# No field has a name as long as this.
_LONGEST = 64
# An object with more keys than this has names of its own, and others in every line.
_FEW = 64


@dataclass(frozen=True, eq=False, repr=False)
class Level:
    """The keys that an object of a record may have.

    `names` has each with the names of what stands in for it where it is absent, and `aliases` is
    from other words to names. `inside` are the levels of the objects under these keys, or, if a
    level is `listed`, of those in a list there; the other keys are `plain`.
    """

    path: Path
    names: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, str]
    inside: Mapping[str, Level]
    listed: bool = False
    plain: Set[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plain", self.names.keys() - self.inside.keys())


class NearKey(NamedTuple):
    """A key with a value: where it is, which field it nearly is, and whether that one is absent.

    `there` are the field and what stands in for it, of which none is there if it is `missed`.
    """

    path: Path
    meant: Path
    there: tuple[Path, ...]
    missed: bool


def near_keys(level: Level, value: Mapping[str, object]) -> Sequence[NearKey]:
    """The keys of an object, and of those inside of it, that are nearly fields of their record."""
    # The lines of a file have the same keys, and this is asked of each.
    near, inside = (_looked_at if len(value) <= _FEW else _look_at)(level, tuple(value))
    if not near and not inside:
        return ()
    found = []
    for key, meant in near:
        if value[key] is not None:
            names = (meant, *level.names[meant])
            missed = all(value.get(name) is None for name in names)
            there = tuple((*level.path, name) for name in names)
            found.append(NearKey((*level.path, key), there[0], there, missed))
    for name, below in inside:
        given = value[name]
        if isinstance(given, dict) and not below.listed:
            # Most have these keys alone.
            found += () if given.keys() <= below.plain else near_keys(below, given)
        elif isinstance(given, list) and below.listed:
            for item in given:
                if isinstance(item, dict):
                    found += near_keys(below, item)
    return found


_Look = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, Level], ...]]


def _look_at(level: Level, keys: tuple[str, ...]) -> _Look:
    """Those of the keys that are nearly fields, each with that field; and those that hold some."""
    near = ((key, nearest(level, key)) for key in keys)
    inside = ((key, level.inside[key]) for key in keys if key in level.inside)
    return tuple(pair for pair in near if pair[1]), tuple(inside)


_looked_at = lru_cache(maxsize=1024)(_look_at)


@lru_cache(maxsize=4096)
def nearest(level: Level, key: str) -> str:
    """The name that a key of no field nearly is; "" if it is like none.

    >>> level = Level((), {"gold_citations": (), "q": ()}, {"gold_cites": "gold_citations"}, {})
    >>> [nearest(level, key) for key in ("Gold-Citations", "gold_citatons", "gold_cites", "k")]
    ['gold_citations', 'gold_citations', 'gold_citations', '']
    """
    if key in level.names or key in OTHER_NAMES or len(key) > _LONGEST:
        return ""
    if key in level.aliases:
        return level.aliases[key]
    folded = _folded(key)
    known = {name: _folded(name) for name in level.names}
    same = (name for name, plain in known.items() if plain == folded)
    return next(same, "") or next((n for n in known if _is_slip(folded, known[n])), "")


def _folded(key: str) -> str:
    return "_".join(key.casefold().replace("-", "_").split())


def _is_slip(one: str, other: str) -> bool:
    """Whether so few letters differ that one was meant to be the other."""
    letters = min(sum(each.isalnum() for each in key) for key in (one, other))
    most = max((edits for least, edits in _LETTERS if letters >= least), default=0)
    return abs(len(one) - len(other)) <= most and _edits(one, other) <= most


def _edits(one: str, other: str) -> int:
    """How many letters are other, more, less, or exchanged with the one beside them."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
