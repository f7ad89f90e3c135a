"""Which questions are least like those that are there: the farthest first, and unlike each other.

Distances are those of the default embedder, which needs no model: the same on every machine.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ragstone.embedders.embed import Ngram, Vector, delta_s
from ragstone.progress import counting

# So many questions are held against each other; more of them would take minutes.
MOST = 20_000


def farthest_first(
    questions: Sequence[str], known: Sequence[str], limit: int | None = None
) -> Iterator[tuple[int, float]]:
    """The places of questions and how far each is from what is known and from those before it.

    >>> [at for at, _ in farthest_first(["kept events?", "a banana?"], ["Are events kept?"])]
    [1, 0]
    """
    embed = Ngram().embed
    vectors = embed(questions[:MOST])
    if not vectors:
        return
    near = _nearest(vectors, embed(known))
    left = set(range(len(vectors)))
    while left and (limit is None or limit > 0):
        # Ties go to the one that came first.
        at = min(left, key=lambda each: (-near[each], each))
        yield at, near[at]
        left.remove(at)
        limit = None if limit is None else limit - 1
        for other in left:
            near[other] = min(near[other], delta_s(vectors[at], vectors[other]))


def _nearest(vectors: Sequence[Vector], known: Sequence[Vector]) -> list[float]:
    """The distance of each vector to the nearest that is known; 1 where none shares a feature."""
    index: dict[int, list[tuple[int, int]]] = defaultdict(list)
    norms = [math.sqrt(sum(w * w for w in _weights(vector).values())) for vector in known]
    for number, vector in enumerate(known):
        for code, weight in _weights(vector).items():
            index[code].append((number, weight))
    found = []
    for vector in counting(vectors, "comparing", "questions", step="comparing"):
        dots: dict[int, int] = defaultdict(int)
        own = _weights(vector)
        for code, weight in own.items():
            for number, other in index.get(code, ()):
                dots[number] += weight * other
        size = math.sqrt(sum(w * w for w in own.values()))
        best = max((dot / (size * norms[at]) for at, dot in dots.items()), default=0.0)
        found.append(min(1.0, max(0.0, 1.0 - best)))
    return found


def _weights(vector: Vector) -> Mapping[int, int]:
    if not isinstance(vector, Mapping):
        raise TypeError("the default embedder counts features")
    return vector
