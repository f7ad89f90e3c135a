"""`ragstone.ranking(qrels, run, metrics=[...])`: ranking quality of data already in memory.

It computes in Python: to hand a million scores over to the engine takes longer than to rank them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isnan
from numbers import Real

from ragstone.contracts.kinds import KINDS
from ragstone.contracts.long_tables import Nested, grades_of, nested
from ragstone.contracts.plain_numbers import clipped
from ragstone.errors import ConfigError, InputError
from ragstone.suites.ranking.placing import Grades, Scores, place
from ragstone.suites.ranking.ranking_measures import (
    DEFAULT,
    Measure,
    measure,
    needs_all_judged,
)
from ragstone.suites.ranking.values import Placed, value_of

_FIRST = 3  # a table's row begins with n_ret, n_rel and how many are relevant at all


@dataclass(frozen=True, slots=True)
class Ranking(Mapping[str, float | None]):
    """Averages over the questions with a relevant document, by the names that were asked for.

    A question that the run has no ranking for scores 0 and is counted in `missing`; one without a
    relevant document is in no average and counted in `no_gold`. One that has none of the level is
    counted in `below_level`, and as 0 wherever a level decides, which is never in an nDCG.
    """

    names: tuple[str, ...]
    metrics: Mapping[str, float | None]
    questions: int
    missing: int
    no_gold: int
    below_level: int
    unknown_qid: int
    table: Mapping[str, tuple[float, ...]]

    @property
    def rows(self) -> dict[str, dict[str, float]]:
        """The value of each metric for each judged question."""
        return {
            qid: dict(zip(self.names, row[_FIRST:], strict=True)) for qid, row in self.table.items()
        }

    def __getitem__(self, name: str) -> float | None:
        return self.metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)


def ranking(
    qrels: Nested, run: Nested, metrics: Iterable[str] = DEFAULT, *, level: int = 1
) -> Ranking:
    """Scores a run against judgments, by trec_eval's conventions.

    Both are nested dicts (question → document → grade or score; a list of documents is in rank
    order), long data frames, or arrays: three columns, or rows of three.

    >>> found = ranking({"q": {"a": 1, "b": 1}}, {"q": {"a": 0.9, "x": 0.5}}, ["P@1", "R@2"])
    >>> dict(found), found.rows
    ({'P@1': 1.0, 'R@2': 0.5}, {'q': {'P@1': 1.0, 'R@2': 0.5}})
    """
    names = tuple([metrics] if isinstance(metrics, str) else metrics)
    if not names:
        raise ConfigError("no metric was asked for")
    if not isinstance(level, int) or level < 1:
        raise ConfigError(f"level: expected a whole number of at least 1, found {clipped(level)}")
    gold, ranked = grades_of(nested(qrels, "qrels")), nested(run, "run")
    table = _table(gold, ranked, [measure(name) for name in names], level)
    scored = [row for row in table.values() if row[2]]
    columns = list(zip(*scored, strict=True))[_FIRST:] or [()] * len(names)
    return Ranking(
        names=names,
        metrics={
            name: _mean(column) if column else None
            for name, column in zip(names, columns, strict=True)
        },
        questions=len(scored),
        missing=sum(qid not in ranked for qid, row in table.items() if row[2]),
        no_gold=len(table) - len(scored),
        below_level=sum(not row[1] for row in scored),
        unknown_qid=sum(qid not in gold for qid in ranked),
        table=table,
    )


def _table(
    qrels: Mapping[str, Grades],
    run: Mapping[str, Scores],
    measures: Sequence[Measure],
    level: int,
) -> dict[str, tuple[float, ...]]:
    """Per question of qrels: n_ret, n_rel, the relevant at all, and the value of each measure."""
    values = [value_of(each) for each in measures]
    floor = 0 if needs_all_judged(measures) else min(1, level)
    nothing: Scores = {}
    table = {}
    for qid, gold in qrels.items():
        scores = run.get(qid, nothing)
        try:
            if any(map(isnan, scores.values())):
                _must_be_scores(qid, scores)
            hits = place(gold, scores, floor)
        except (TypeError, OverflowError):
            _must_be_scores(qid, scores)
            raise
        grades = list(gold.values())
        n_rel = len([grade for grade in grades if grade >= level])
        graded = n_rel if level == 1 else len([grade for grade in grades if grade >= 1])
        relevant = [rank for rank, grade in hits if grade >= level]
        placed = Placed(hits, relevant, grades, n_rel, level)
        table[qid] = (len(scores), n_rel, graded, *[value(placed) for value in values])
    return table


def _mean(values: Sequence[float]) -> float:
    """The mean, rounded once, as `exact_mean` has it for values with counts."""
    parts = list(values)
    top, bottom = 0, 1
    while total := fsum(parts):
        parts.append(-total)
        more, under = total.as_integer_ratio()
        top, bottom = top * under + more * bottom, bottom * under
    return top / (bottom * len(values))


def _must_be_scores(qid: str, scores: Scores) -> None:
    """Every score is a number, and one that a float can hold."""
    for doc, score in scores.items():
        # A number of numpy is a Real and no float; a Decimal cannot be compared with one.
        if not isinstance(score, Real) or (
            isinstance(score, int) and not KINDS["score"].fits(score)
        ):
            raise InputError(
                f"run: qid {qid!r}: the score of {doc!r} is {clipped(score)}, and no float holds it"
            )
        if isnan(score):
            raise InputError(f"run: qid {qid!r}: the score of {doc!r} is NaN")
