"""What a report shows of other tools' scores, apart from what Ragstone measures itself."""

from __future__ import annotations

from typing import Any

from ragstone.measure.metric import Mean, Measured
from ragstone.report.document.blocks import Block, Cell, Json, Table
from ragstone.report.document.figures import interval, number
from ragstone.suites.declaration import Numbers, Outcome
from ragstone.suites.judged_scores.score_names import PREFIX, is_score
from ragstone.suites.options import plain

TITLE = "What other tools' judges say"
_SAYS = (
    "Opinions of another tool, kept as they came: Ragstone decides none of them, and no gate "
    "counts a score that people's labels have not calibrated."
)


def score_blocks(outcome: Outcome[Any]) -> list[Block]:
    """The scores with their intervals, by slice, and those of several arms against the baseline."""
    names = [metric.name for metric in outcome.metrics if is_score(metric.name)]
    if not names:
        return []
    return [_table(outcome, names), *_by_slice(outcome, names), *_against(outcome)]


def _table(outcome: Outcome[Any], names: list[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for arm, numbers in outcome.measured.items():
        whose: tuple[Cell, ...] = (arm,) if outcome.several else ()
        rows += [(*whose, *_row(numbers[name])) for name in names if name in numbers]
    word = (outcome.suite.arm_word,) if outcome.several else ()
    columns = ("score", "is", "value", "interval", "answers", "calibrated")
    return Table(TITLE, (*word, *columns), tuple(rows), _SAYS)


def _row(found: Measured) -> tuple[Cell, ...]:
    return (
        found.name.removeprefix(PREFIX),
        "mean" if isinstance(found.metric, Mean) else "share",
        number(found.value),
        interval(found.interval),
        found.denominator,
        "no" if found.metric.barred else "yes",
    )


def _by_slice(outcome: Outcome[Any], names: list[str]) -> list[Block]:
    made: list[Block] = []
    for field, arms in outcome.slices.items():
        for arm, values in arms.items():
            whose = f": {arm}" if outcome.several else ""
            rows = tuple((value, *_cells(numbers, names)) for value, numbers in values.items())
            title = f"{TITLE}, by {field}{whose}"
            made.append(Table(title, (field, *(each.removeprefix(PREFIX) for each in names)), rows))
    return made


def _cells(numbers: Numbers, names: list[str]) -> list[Cell]:
    return [numbers[name].value if name in numbers else None for name in names]


def _against(outcome: Outcome[Any]) -> list[Block]:
    rows = tuple(
        (
            found.arm,
            found.metric.removeprefix(PREFIX),
            f"{found.difference:+.4f}",
            interval(found.interval),
            found.p,
            found.p_holm,
            found.wins,
            found.ties,
            found.losses,
        )
        for found in outcome.judge_comparisons
    )
    if not rows:
        return []
    columns = ("score", "difference", "interval", "p", "p (Holm)", "wins", "ties", "losses")
    says = "Question by question; p (Holm) is corrected for all rows of this table at once."
    title = f"{TITLE}, against {outcome.baseline}"
    return [Table(title, (outcome.suite.arm_word, *columns), rows, says)]


def score_data(outcome: Outcome[Any]) -> dict[str, Json]:
    """The tests of other tools' scores, for programs; the scores themselves are among metrics."""
    if not outcome.judge_comparisons:
        return {}
    from dataclasses import asdict

    word = outcome.suite.arm_word
    made: list[Any] = []
    for each in outcome.judge_comparisons:
        row = asdict(each)
        made.append(plain({word: row.pop("arm"), **row}))
    return {"judge_comparisons": made}
