"""The blocks that every suite can show: readings, offenders, slices, several arms side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragstone.measure.metric import Measured
from ragstone.report.document.blocks import Block, Cell, Offenders, Picture, Reading, Table
from ragstone.report.document.figures import ABSENT, interval, number
from ragstone.suites.declaration import Outcome
from ragstone.suites.slices import MOST_VALUES

WORST = "Those that cost most failed gates come first, then by qid."
NONE: Mapping[str, Mapping[str, Cell]] = {}
NOTHING = "A dash stands where the slice has nothing to compute the number over."


def findings_block(outcome: Outcome[Any], title: str = "What this points to") -> list[Block]:
    return [Reading(title, outcome.findings)] if outcome.findings else []


def offenders_block(
    outcome: Outcome[Any], title: str = "Offenders", says: str = WORST
) -> list[Block]:
    found = outcome.offenders
    if not found.rows:
        return []
    return [Offenders(title, found.rows, found.total, says)]


def qids_table(title: str, qids: Sequence[str], total: int, says: str = "") -> list[Block]:
    """Questions by name, as many as every list shows; nothing where there are none."""
    if not qids:
        return []
    rows = tuple((qid,) for qid in qids)
    return [Table(title, ("qid",), rows, first_of(len(rows), total, says))]


def first_of(shown: int, total: int, says: str = "") -> str:
    """What is said of a list, and how many it leaves out."""
    more = f" The first {shown:,} of {total:,}; --all lists them all." if shown < total else ""
    return (says + more).lstrip()


def slice_tables(outcome: Outcome[Any]) -> list[Block]:
    """A table for each field of --by; with several arms, a table for each arm of it."""
    return [
        slice_table(outcome, field, values, f": {arm}" if outcome.several else "")
        for field, arms in outcome.slices.items()
        for arm, values in arms.items()
    ]


def slice_table(
    outcome: Outcome[Any], field: str, values: Mapping[str, Mapping[str, Measured]], name: str = ""
) -> Table:
    """The numbers of each value of a field; `name` is whose they are."""
    columns = outcome.suite.slice_columns or tuple(
        metric.name for metric in outcome.metrics if metric.over == "rows"
    )
    rows = tuple(_slice_row(value, row, columns) for value, row in values.items())
    title = f"By {field}{name}"
    says = _left_out(outcome, field) + NOTHING
    return Table(title, (field, outcome.suite.row_word, *columns), rows, says)


def _left_out(outcome: Outcome[Any], field: str) -> str:
    """How many values of a field are not in its table, where some are not."""
    rest = outcome.slices_left_out.get(field)
    if rest is None:
        return ""
    shown = f"The {MOST_VALUES} values with most {outcome.suite.row_word}"
    return f"{shown}, and {rest.values:,} more values with {rest.questions:,} questions. "


def _slice_row(value: str, row: Mapping[str, Measured], columns: Sequence[str]) -> tuple[Cell, ...]:
    sizes = (found.denominator for found in row.values() if found.metric.over == "rows")
    numbers = (None if row[name].vacuous else row[name].value for name in columns if name in row)
    return (value, max(sizes, default=0), *numbers)


def arms_blocks(
    outcome: Outcome[Any], names: Sequence[str], more: Mapping[str, Mapping[str, Cell]] = NONE
) -> list[Block]:
    """Several arms side by side: numbers, tests against the baseline, questions far apart.

    `more` are further columns of the table of numbers, each from arm to cell.
    """
    if not outcome.several:
        return []
    return [
        _arms_table(outcome, names, more),
        _arms_picture(outcome, names),
        _tests(outcome),
        _apart(outcome),
    ]


def _arms_table(
    outcome: Outcome[Any], names: Sequence[str], more: Mapping[str, Mapping[str, Cell]]
) -> Table:
    word = outcome.suite.arm_word
    rows: list[tuple[Cell, ...]] = []
    for arm, numbers in outcome.measured.items():
        name = arm + (" (baseline)" if arm == outcome.baseline else "")
        cells = (number_with_interval(numbers[each]) for each in names)
        rows.append((name, *cells, *(column[arm] for column in more.values())))
    says = "The number of each, and in brackets where it could truly lie."
    return Table(f"{word.capitalize()}s", (word, *names, *more), tuple(rows), says)


def _arms_picture(outcome: Outcome[Any], names: Sequence[str]) -> Picture:
    """Every arm under every metric, on one axis: what does not overlap is seen at once."""
    # Most reports have one arm and no such picture.
    from ragstone.report.charts.dots import Dot, Row, dots

    rows, said = [], []
    for name in names:
        rows.append(Row(name))
        values = []
        for arm, numbers in outcome.measured.items():
            found = numbers[name]
            value = None if found.vacuous else found.value
            note = number(value)
            values.append(f"{arm} {note}")
            if found.interval is not None:
                note += f"  ({_ends(found, 2)})"
            dot = Dot(value, found.interval, hollow=arm == outcome.baseline)
            rows.append(Row(arm, (dot,), note))
        said.append(f"{name}: {', '.join(values)}")
    around = f"{100 * outcome.options.level:g} % interval"
    return Picture(
        f"{outcome.suite.arm_word.capitalize()}s side by side",
        dots(rows, f"the number, with its {around}", "baseline"),
        "; ".join(said),
        f"A dot is the number over all questions, the bar its {around}; the ring is the baseline.",
    )


def number_with_interval(found: Measured) -> str:
    if found.vacuous or found.value is None:
        return ABSENT
    if found.interval is None:
        return number(found.value)
    return f"{number(found.value)} ({_ends(found, 3)})"


def _ends(found: Measured, places: int) -> str:
    """`0.25–0.75`, or in words where an end is open."""
    if found.interval is None or None in found.interval:
        return interval(found.interval, found.needs_samples, places)
    return "–".join(number(end, places) for end in found.interval)


def _tests(outcome: Outcome[Any]) -> Table:
    rows = tuple(
        (
            found.arm,
            found.metric,
            f"{found.difference:+.4f}",
            interval(found.interval),
            found.p,
            found.p_holm,
            found.test,
            found.wins,
            found.ties,
            found.losses,
        )
        for found in outcome.comparisons
    )
    columns = (
        "metric",
        "difference",
        "interval",
        "p",
        "p (Holm)",
        "test",
        "wins",
        "ties",
        "losses",
    )
    return Table(
        f"Against {outcome.baseline}",
        (outcome.suite.arm_word, *columns),
        rows,
        "Paired tests, question by question: McNemar's for yes and no, random signs for other "
        "numbers; p (Holm) is corrected for all rows of this table at once.",
    )


def _apart(outcome: Outcome[Any]) -> Table:
    word, base = outcome.suite.arm_word, outcome.baseline
    metric = outcome.differing[0].metric if outcome.differing else "the metric"
    rows = tuple(
        (each.arm, each.qid, each.baseline, each.value, f"{each.difference:+.4f}")
        for each in outcome.differing
    )
    return Table(
        "Questions that differ most",
        (word, "qid", f"{metric} of {base}", f"{metric} of the {word}", "difference"),
        rows,
        f"Where a {word} is farthest from {base}, either way.",
    )
