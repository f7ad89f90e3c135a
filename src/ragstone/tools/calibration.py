"""The ΔS that separates relevant from other chunks, with one embedder, on the user's gold set.

Every embedder has its own scale. The line is the ΔS at which the share of relevant pairs up to
it exceeds the share of others by most (Youden); how well any line could do is the area under the
ROC curve, with an interval that counts questions and not pairs.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragstone._version import __version__
from ragstone.contracts.sources import Source
from ragstone.embedders.embed import Embedder, delta_s, find
from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.measure.interval import Closed, wilson
from ragstone.measure.metric import Mean, Measured
from ragstone.progress import counting, doing
from ragstone.report.charts import shapes
from ragstone.report.charts.plot import Line, Panel, Point, plot
from ragstone.report.charts.scale import near
from ragstone.report.document.blocks import Picture, Table
from ragstone.report.document.figures import number
from ragstone.report.model import Report
from ragstone.suites.declaration import Arm, Work
from ragstone.suites.digest import digest_of
from ragstone.suites.inputs import sum_inputs
from ragstone.suites.retrieval.delta_s import embedded
from ragstone.suites.retrieval.logs import read_tables
from ragstone.suites.retrieval.metrics import LINE, RISK, STABLE
from ragstone.suites.retrieval.options import RetrievalOptions
from ragstone.suites.retrieval.suite import LOG, RETRIEVAL
from ragstone.suites.step_weights import bytes_read

# How many chunks of other questions stand for "not relevant" where gold and log name none.
OTHERS = 3

# A log only adds chunks that were retrieved and are not relevant; the line can be learned without.
WITHOUT_LOG = replace(
    RETRIEVAL,
    inputs=tuple(
        replace(LOG, required=False) if given is LOG else given for given in RETRIEVAL.inputs
    ),
)


# About how long each takes beside the others, on a million lines of a log.
STEPS = {"reading": 20, "hashing": 5, "pairing": 35, "embedding": 5, "comparing": 20, "line": 15}


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
    interval: Closed
    sensitivity: float
    specificity: float
    relevant: int
    other: int
    questions: int
    curve: tuple[tuple[float, float], ...]


def calibrate(
    duck: Duck, sources: Mapping[str, tuple[Source, ...]], options: RetrievalOptions
) -> tuple[Calibration, dict[str, str]]:
    """The line for a gold set and texts, and the hash of each input it was learned from."""
    arms = (Arm("", "log_0", sources["log"]),) if sources.get("log") else ()
    work = Work(RETRIEVAL, duck, options, sources, arms)
    with doing("reading", bytes_read(work), "B", duck.share, step="reading"):
        read_tables(work)
    sum_inputs(work)
    embedder = find(options.embedder, options.allow_download)
    scores = _scores(duck, embedder, logged=bool(arms))
    if not any(each.relevant for each in scores) or not any(each.other for each in scores):
        raise InputError(
            "calibration needs texts of relevant chunks and of others: give --manifest with texts, "
            "or --texts"
        )
    hashes = {table: found.finish() for table, found in work.sums.items()}
    with doing("looking for the line", step="line"):
        return learn(embedder.identity, scores, options.level), hashes


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
    for index, value in enumerate(counting(values, "looking for the line", "values")):
        ours, theirs = bisect_right(relevant, value), bisect_right(other, value)
        gain = ours * len(other) - theirs * len(relevant)
        if gain > best:
            after = values[index + 1] if index + 1 < len(values) else value
            best, line = gain, (value + after) / 2
    return min(1.0, max(1e-6, round(line, 6)))


def _area(
    scores: Sequence[Scores], relevant: Sequence[float], other: Sequence[float], level: float
) -> tuple[float, Closed]:
    """The area under the curve; its variance counts each question as one (Obuchowski, 1997)."""
    m, n = len(relevant), len(other)
    above: list[list[float]] = []
    below: list[list[float]] = []
    for each in counting(scores, "measuring the area", "questions"):
        above.append(
            [n - (bisect_left(other, x) + bisect_right(other, x)) / 2 for x in each.relevant]
        )
        below.append(
            [(bisect_left(relevant, y) + bisect_right(relevant, y)) / 2 for y in each.other]
        )
    area = math.fsum(x for part in above for x in part) / (m * n)
    ours = [math.fsum(part) / n - len(part) * area for part in above]
    theirs = [math.fsum(part) / m - len(part) * area for part in below]
    clusters = len(scores)
    if clusters < 2:
        return area, (0.0, 1.0)
    ratio = clusters / (clusters - 1)
    variance = ratio * math.fsum((x / m + y / n) ** 2 for x, y in zip(ours, theirs, strict=True))
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
    items: list[Any] = duck.query(
        "select qid, paraphrases, relevant, coalesce(negatives, []) from gold order by qid"
    )
    chunk_texts: Any = duck.query("select id, text from chunk_texts")
    texts: dict[str, str] = dict(chunk_texts)
    ids = "list_sort(list_distinct(flatten(list(ids))))"
    logs: Any = duck.query(f"select qid, {ids} from log_0 group by qid") if logged else ()
    retrieved: dict[str, list[str]] = dict(logs)
    firsts = [relevant[0] for _, _, relevant, _ in items]
    pairs: list[tuple[list[str], list[str], list[str]]] = []
    paired = counting(items, "pairing", "questions", step="pairing")
    for place, (qid, wordings, right, negatives) in enumerate(paired):
        wrong = [*negatives, *retrieved.get(qid, ())]
        if len(wrong) < OTHERS:
            wrong += [firsts[(place + far) % len(firsts)] for far in range(1, OTHERS + 1)]
        wrong = [chunk for chunk in dict.fromkeys(wrong) if chunk not in right]
        pairs.append((wordings, right, wrong))
    wanted = [word for words, _, _ in pairs for word in words]
    wanted += [
        texts[chunk] for _, right, wrong in pairs for chunk in (*right, *wrong) if chunk in texts
    ]
    vectors = embedded(embedder, wanted)

    def against(words: Sequence[str], chunks: Sequence[str]) -> tuple[float, ...]:
        return tuple(
            delta_s(vectors[word], vectors[texts[chunk]])
            for word in words
            for chunk in chunks
            if chunk in texts
        )

    return [
        Scores(against(words, right), against(words, wrong))
        for words, right, wrong in counting(pairs, "comparing", "questions", step="comparing")
    ]


AUC = Mean(
    name="auc",
    title="tells relevant chunks from others",
    of="true",
    value="relevant_below_other",
    empty=0.0,
    better="higher",
    says="How often a relevant chunk has a smaller ΔS than another: 1 is always, 0.5 is chance.",
)


def report_of(found: Calibration, options: RetrievalOptions, hashes: Mapping[str, str]) -> Report:
    """Everything a renderer needs; `hashes` are those of the inputs that the line came from."""
    settings: Any = options.settings()
    inputs: Any = dict(hashes)
    whole = {"suite": "calibrate", "inputs": inputs, "embedder": found.embedder}
    return Report(
        suite="calibrate",
        version=__version__,
        figures={
            "delta_s_line": found.line,
            "auc": found.auc,
            "sensitivity": found.sensitivity,
            "specificity": found.specificity,
            "relevant_pairs": found.relevant,
            "other_pairs": found.other,
            "questions": found.questions,
        },
        metrics={
            "auc": Measured(AUC, found.auc, None, found.questions, found.interval, vacuous=False)
        },
        gates=(),
        digest=digest_of({**whole, "settings": settings}),
        settings=settings,
        data={"embedder": found.embedder, "scale": found.line / LINE},
        blocks=(_picture(found), _table(found)),
        warnings=_warnings(found),
        verdicts={None: "CALIBRATED"},
    )


def _warnings(found: Calibration) -> tuple[str, ...]:
    if found.interval[0] > 0.5:
        return ()
    return (
        f"the embedder {found.embedder} does not tell relevant from other chunks on this gold set: "
        f"its AUC could be {number(found.interval[0])}; do not gate on its ΔS",
    )


def _table(found: Calibration) -> Table:
    rows = (
        ("stable below", STABLE * found.line / LINE),
        ("the line", found.line),
        ("risk from", RISK * found.line / LINE),
    )
    return Table(
        "The thresholds in force",
        ("threshold", "ΔS"),
        rows,
        f"All ΔS thresholds are scaled by {found.line / LINE:.4f}, the line over 0.45.",
    )


def _picture(found: Calibration) -> Picture:
    chance = Line(((0.0, 0.0), (1.0, 1.0)), shapes.MUTED, "4 4", 1)
    chosen = Point(1 - found.specificity, found.sensitivity)
    panel = Panel(
        near([0.0, 1.0], title="share of other chunks at or below the line"),
        near([0.0, 1.0]),
        (chance, Line(tuple(found.curve))),
        (chosen,),
        title="Share of relevant chunks at or below the line",
    )
    alt = (
        f"The line {number(found.line)} takes {number(found.sensitivity)} of the relevant pairs "
        f"and leaves out {number(found.specificity)} of the others"
    )
    return Picture("ROC", plot([panel], height=300), alt)
