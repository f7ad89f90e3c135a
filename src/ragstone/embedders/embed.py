"""How far apart two texts are (ΔS), with an embedder that needs no model and no download.

The default embedder counts the words of a text and their parts, in whole numbers: the same bits on
every machine, in any batch, on any number of threads, and nothing to install. It compares words and
not meaning; where that is not enough, an embedder with a model plugs in by name.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from ragstone.errors import ConfigError
from ragstone.matching.combining_marks import normal

GROUP = "ragstone.embedders"
DEFAULT_EMBEDDER = "ngram"

# A vector is either a few features with their whole weights, or numbers in a fixed order.
Vector = Mapping[int, int] | Sequence[float]

# Cosines of float embedders move in the seventh place between processors.
_PLACES = 6

_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    """
    a about all also an and any are as at be been but by can did do does for from had has have he
    her his how if in into is it its many more most much no not of on one only or other she so some
    such than that the their them then there these they this to two was we were what when where
    which who whom whose why will with would you your
    """.split()  # noqa: SIM905
)


class Embedder(Protocol):
    """What an entry point of the group `ragstone.embedders` makes.

    The entry point is called with what follows the colon in `name:argument` (or nothing) and with
    whether a download was allowed.
    """

    @property
    def identity(self) -> str:
        """Name and version: what a calibrated line is valid for, and what the digest holds."""

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]: ...


class Ngram:
    """Words and the beginnings of words, hashed and counted.

    >>> left, right, other = Ngram().embed(["Null keys are rejected.", "It rejects a null key!",
    ...                                     "Bananas are yellow."])
    >>> delta_s(left, right) < delta_s(left, other)
    True
    """

    identity = "ngram/1"

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [_features(text) for text in texts]


def _features(text: str) -> Mapping[int, int]:
    counts: Counter[str] = Counter()
    for word in _WORD.findall(normal(text, "NFKC").casefold()):
        if word not in _COMMON:
            counts[word] += 1
    made: Counter[int] = Counter()
    for word, count in counts.items():
        # The fourth mention says little that the first three did not.
        weight = min(count, 3)
        made[_code(word)] += 2 * weight
        for size in (4, 5):
            if len(word) > size:
                made[_code(f"{size}{word[:size]}")] += weight
    return made


def _code(feature: str) -> int:
    return zlib.crc32(feature.encode("utf-8", "surrogatepass"))


def delta_s(one: Vector, other: Vector) -> float:
    """1 - cosine, from 0 to 1; 1.0 if either vector is zero.

    >>> delta_s([1.0, 0.0], [0.0, 2.0]), delta_s([1.0, 1.0], [2.0, 2.0]), delta_s([0.0], [1.0])
    (1.0, 0.0, 1.0)
    """
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        small, large = (one, other) if len(one) <= len(other) else (other, one)
        dot = sum(weight * large.get(code, 0) for code, weight in small.items())
        norms = sum(w * w for w in one.values()) * sum(w * w for w in other.values())
        return _clamped(dot / math.sqrt(norms)) if norms else 1.0
    if isinstance(one, Mapping) or isinstance(other, Mapping):
        raise ConfigError("an embedder must return vectors of one kind")
    left, right = [float(x) for x in one], [float(x) for x in other]
    # fsum rounds once, whatever the order and the width of the processor's registers.
    size = math.sqrt(math.fsum(x * x for x in left)) * math.sqrt(math.fsum(x * x for x in right))
    if not size or not math.isfinite(size):
        return 1.0
    dot_product = math.fsum(x * y for x, y in zip(left, right, strict=True))
    return round(_clamped(dot_product / size), _PLACES)


def _clamped(cosine: float) -> float:
    return min(1.0, max(0.0, 1.0 - cosine))


def find(name: str, allow_download: bool = False) -> Embedder:
    """The embedder of a name, such as `ngram` or `sentence-transformers:models/mini`."""
    head, _, argument = name.partition(":")
    if head == DEFAULT_EMBEDDER and not argument:
        return Ngram()
    from importlib.metadata import entry_points

    from ragstone.gates.judge import suggestion

    found = {point.name: point for point in entry_points(group=GROUP)}
    if head not in found:
        known = sorted({DEFAULT_EMBEDDER, *found})
        raise ConfigError(f"there is no embedder {head!r}{suggestion(head, known)}")
    made: Embedder = found[head].load()(argument, allow_download)
    return made
