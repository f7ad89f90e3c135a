"""Which ΔS separates relevant from not relevant, with this embedder, on the user's own gold set?

Every embedder has its own scale. The line is the ΔS at which the share of relevant pairs up to
it exceeds the share of others by most (Youden); how well any line could do is the area under the
ROC curve, with an interval that counts questions and not pairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.measure.interval import Interval, wilson
from ragstone.suites.retrieval.delta_s import embedded
from ragstone.suites.retrieval.embed import Embedder, delta_s

# How many chunks of other questions stand for "not relevant" where gold and log name none.
OTHERS = 3


@dataclass(frozen=True, slots=True)
class Scores:
    """The ΔS of one question's pairs with relevant and with other chunks."""

    relevant: tuple[float, ...]
    other: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """The line, and how well it separates."""

    embedder: str
    line: float
    auc: float
    interval: Interval
    sensitivity: float
    specificity: float
    relevant: int
    other: int
    questions: int
    curve: tuple[tuple[float, float], ...]


def calibrate(duck: Duck, embedder: Embedder, logged: bool, level: float = 0.95) -> Calibration:
    """The line for the gold set and texts that were read; `logged` says that a log was too."""
    scores = _scores(duck, embedder, logged)
    if not any(each.relevant for each in scores) or not any(each.other for each in scores):
        raise InputError(
            "calibration needs texts of relevant chunks and of others: give --manifest with texts, "
            "or --texts"
        )
    return learn(embedder.identity, scores, level)


def learn(name: str, scores: Sequence[Scores], level: float = 0.95) -> Calibration:
    """The line and the area under the curve from the scores of each question.

    >>> found = learn("x/1", [Scores((0.2, 0.3), (0.6,)), Scores((0.1,), (0.7, 0.9))])
    >>> found.line, found.auc, found.sensitivity, found.specificity
    (0.45, 1.0, 1.0, 1.0)
    """
    relevant = sorted(x for each in scores for x in each.relevant)
    other = sorted(x for each in scores for x in each.other)
    line = _best(relevant, other)
    area, interval = _area(scores, relevant, other, level)
    return Calibration(
        embedder=name,
        line=line,
        auc=area,
        interval=interval,
        sensitivity=bisect_right(relevant, line) / len(relevant),
        specificity=1 - bisect_right(other, line) / len(other),
        relevant=len(relevant),
        other=len(other),
        questions=len(scores),
        curve=_curve(relevant, other),
    )


def _best(relevant: Sequence[float], other: Sequence[float]) -> float:
    """Midway between the two values where the shares differ most; the lower one of equals."""
    values = sorted({*relevant, *other})
    best, line = -1, values[0]
    for index, value in enumerate(values):
        gain = bisect_right(relevant, value) * len(other) - bisect_right(other, value) * len(
            relevant
        )
        if gain > best:
            after = values[index + 1] if index + 1 < len(values) else value
            best, line = gain, (value + after) / 2
    return min(1.0, max(1e-6, round(line, 6)))


def _area(
    scores: Sequence[Scores], relevant: Sequence[float], other: Sequence[float], level: float
) -> tuple[float, Interval]:
    """The area under the curve; its variance counts each question as one (Obuchowski, 1997)."""
    m, n = len(relevant), len(other)
    above = [
        [n - (bisect_left(other, x) + bisect_right(other, x)) / 2 for x in each.relevant]
        for each in scores
    ]
    below = [
        [(bisect_left(relevant, y) + bisect_right(relevant, y)) / 2 for y in each.other]
        for each in scores
    ]
    area = sum(x for part in above for x in part) / (m * n)
    ours = [sum(part) / n - len(part) * area for part in above]
    theirs = [sum(part) / m - len(part) * area for part in below]
    clusters = len(scores)
    if clusters < 2:
        return area, (0.0, 1.0)
    ratio = clusters / (clusters - 1)
    variance = ratio * sum((x / m + y / n) ** 2 for x, y in zip(ours, theirs, strict=True))
    size = area * (1 - area) / variance if variance > 1e-18 else clusters
    return area, wilson(min(area * size, size), size, level)


def _curve(relevant: Sequence[float], other: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """(false, true) positive rates, for at most a hundred lines."""
    values = sorted({*relevant, *other})
    step = max(1, len(values) // 100)
    points = [
        (bisect_right(other, v) / len(other), bisect_right(relevant, v) / len(relevant))
        for v in values[::step]
    ]
    return ((0.0, 0.0), *points, (1.0, 1.0))


def _scores(duck: Duck, embedder: Embedder, logged: bool) -> list[Scores]:
    items = duck.query(
        "select qid, paraphrases, relevant, negatives, gold.rowid from gold order by qid"
    )
    texts = {str(chunk): str(text) for chunk, text in duck.query("select id, text from texts")}
    retrieved = _retrieved(duck) if logged else {}
    firsts = [_strings(relevant)[0] for _, _, relevant, _, _ in items]
    pairs: list[tuple[list[str], list[str], list[str]]] = []
    for place, (qid, wordings, relevant, negatives, _) in enumerate(items):
        right = _strings(relevant)
        wrong = [*_strings(negatives), *retrieved.get(str(qid), ())]
        if len(wrong) < OTHERS:
            wrong += [firsts[(place + far) % len(firsts)] for far in range(1, OTHERS + 1)]
        wrong = [chunk for chunk in dict.fromkeys(wrong) if chunk not in right]
        pairs.append((_strings(wordings), right, wrong))
    wanted = [t for words, right, wrong in pairs
              for t in (*words, *(texts[c] for c in (*right, *wrong) if c in texts))]  # fmt: skip
    vectors = embedded(embedder, wanted)

    def against(words: Sequence[str], chunks: Sequence[str]) -> tuple[float, ...]:
        return tuple(
            delta_s(vectors[word], vectors[texts[chunk]])
            for word in words
            for chunk in chunks
            if chunk in texts
        )

    return [Scores(against(words, right), against(words, wrong)) for words, right, wrong in pairs]


def _retrieved(duck: Duck) -> Mapping[str, list[str]]:
    found = duck.query(
        "select qid, list_sort(list_distinct(flatten(list(ids)))) from log_log group by qid"
    )
    return {str(qid): _strings(ids) for qid, ids in found}


def _strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []
