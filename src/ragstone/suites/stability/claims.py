"""How far apart several wordings of one answer are."""

from __future__ import annotations

import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from ragstone.errors import InputError
from ragstone.extras import install_line
from ragstone.measure.interval import quantile_linear

Distance = Callable[[str, str], int]


class _Punctuation(dict[int, int | None]):
    """What `str.translate` does with each character, found out when it is first met."""

    def __missing__(self, code: int) -> int | None:
        character = chr(code)
        mark = character in string.punctuation or unicodedata.category(character).startswith("P")
        self[code] = None if mark else code
        return self[code]


_PUNCTUATION = _Punctuation()


def canonical(claim: str) -> str:
    """Lower case, without punctuation, spaces folded.

    >>> canonical("x  rejects — null keys!")
    'x rejects null keys'
    """
    return " ".join(claim.lower().translate(_PUNCTUATION).split())


def levenshtein() -> Distance:
    """The edit distance over code points, from the library of the `stability` extra."""
    try:
        from rapidfuzz.distance.Levenshtein import distance
    except ModuleNotFoundError:
        raise InputError(
            f"the stability suite needs rapidfuzz; get it with: {install_line('rapidfuzz')}"
        ) from None
    found: Distance = distance
    return found


def ned50(claims: Sequence[str], distance: Distance) -> float:
    """The median, over pairs, of the edit distance over the longer length; under two claims, 0.

    Equal claims are compared once, however many there are of them.

    >>> ned50(["a", "a", "b"], lambda one, two: 1)
    1.0
    """
    counts = sorted(Counter(claims).items())
    far: Counter[float] = Counter()
    for index, (one, times) in enumerate(counts):
        far[0.0] += times * (times - 1) // 2
        for two, others in counts[index + 1 :]:
            far[distance(one, two) / max(len(one), len(two))] += times * others
    values = sorted((value, count) for value, count in far.items() if count)
    return quantile_linear(values, 0.5) if values else 0.0


def equal_pairs(claims: Sequence[str]) -> float:
    """The share of pairs that are equal; with fewer than two claims, 1.

    >>> equal_pairs(["a", "a", "b"])
    0.3333333333333333
    """
    pairs = len(claims) * (len(claims) - 1) // 2
    equal = sum(times * (times - 1) // 2 for times in Counter(claims).values())
    return equal / pairs if pairs else 1.0


def usual(claims: Sequence[str]) -> str:
    """The most common claim; of equally common ones, the first.

    >>> usual(["b", "a", "a", "b"])
    'b'
    """
    return Counter(claims).most_common(1)[0][0]
