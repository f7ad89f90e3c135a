"""The blocks that every suite can show: readings, offenders, slices, several arms side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragstone.measure.metric import Measured
from ragstone.report.document.blocks import Block, Cell, Offenders, Picture, Reading, Table
from ragstone.report.document.figures import (
    ABSENT,
    interval,
    number,
    places_of,
    quantity,
    titled,
    unit_of,
)
from ragstone.suites.declaration import Outcome
from ragstone.suites.slices import MOST_VALUES

WORST = "Those that count against most failed gates come first."
NONE: Mapping[str, Mapping[str, Cell]] = {}
# More arms than this are one line of dots, not a row for each; more warnings are one line.
MOST_ROWS, MOST_LINES = 8, 3
NOTHING = "A dash stands where the slice has nothing to compute the number over."


def findings_block(outcome: Outcome[Any], title: str = "What this points to") -> list[Block]:
    return [Reading(title, outcome.findings)] if outcome.findings else []


def offenders_block(outcome: Outcome[Any], of: str = "", says: str = WORST) -> list[Block]:
    """The rows that failed; `of` says whose, where there are several arms."""
    found = outcome.offenders
    if not found.rows:
        return []
    title = f"{outcome.suite.row_word.capitalize()} that failed{of}"
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
    order = _best_first(outcome, names[0])
    few = len(order) <= MOST_ROWS
    return [
        _arms_picture(outcome, names, order) if few else _ranked_picture(outcome, names[0], order),
        _arms_table(outcome, names, order, more),
        _tests(outcome),
        *([_apart(outcome)] if outcome.differing else []),
    ]


def _best_first(outcome: Outcome[Any], name: str) -> list[str]:
    """The arms by a metric, the best first; those without a number last, all else as given."""
    sign = 1 if outcome.first[name].metric.better == "lower" else -1

    def place(arm: str) -> tuple[bool, float]:
        found = outcome.measured[arm][name]
        value = None if found.vacuous else found.value
        return value is None, sign * (value or 0.0)

    return sorted(outcome.measured, key=place)


def _arms_table(
    outcome: Outcome[Any],
    names: Sequence[str],
    order: Sequence[str],
    more: Mapping[str, Mapping[str, Cell]],
) -> Table:
    word = outcome.suite.arm_word
    rows: list[tuple[Cell, ...]] = []
    for arm in order:
        name = arm + (" (baseline)" if arm == outcome.baseline else "")
        cells = (number_with_interval(outcome.measured[arm][each]) for each in names)
        rows.append((name, *cells, *(column[arm] for column in more.values())))
    best = plain_name(outcome, names[0])
    says = f"The best in “{best}” first; in brackets is where each number could truly lie."
    return Table(f"{word.capitalize()}s", (word, *names, *more), tuple(rows), says)


def _arms_picture(outcome: Outcome[Any], names: Sequence[str], order: Sequence[str]) -> Picture:
    """Every arm under every metric, on one axis: what does not overlap is seen at once."""
    # Most reports have one arm and no such picture.
    from ragstone.report.charts.dots import Dot, Row, dots

    rows, said = [], []
    for name in names:
        plain = plain_name(outcome, name)
        rows.append(Row(plain, note=name if plain != name else ""))
        values = []
        for arm in order:
            found = outcome.measured[arm][name]
            value = None if found.vacuous else found.value
            values.append(f"{arm} {number(value)}")
            dot = Dot(value, found.interval, hollow=arm == outcome.baseline)
            rows.append(Row(arm, (dot,), number_with_interval(found)))
        called = titled(name, outcome.first[name].metric)
        said.append(f"{called}: {', '.join(values)}")
    word, around = outcome.suite.arm_word, _around(outcome)
    return Picture(
        f"{word.capitalize()}s side by side",
        dots(rows, f"a {word}, with its {around}", f"{outcome.baseline}, the baseline"),
        "; ".join(said),
    )


def _ranked_picture(outcome: Outcome[Any], name: str, order: Sequence[str]) -> Picture:
    """Many arms by one metric; the table has the others."""
    from ragstone.report.charts.ranked import Ranked, ranked

    known = [arm for arm in order if not outcome.measured[arm][name].vacuous]
    items, said = [], []
    for arm in known:
        found = outcome.measured[arm][name]
        said.append(f"{arm} {number_with_interval(found)}")
        marked = arm == outcome.baseline
        items.append(Ranked(found.value or 0.0, found.interval, said[-1], marked))
    word, base = outcome.suite.arm_word, outcome.baseline
    full, hollow = f"a {word}, with its {_around(outcome)}", f"{base}, the baseline"
    says = f"Best: {said[0]}. Last: {said[-1]}." if said else ""
    if base in known:
        says += f" The baseline, {base}, is number {known.index(base) + 1:,} of {len(known):,}."
    called = titled(name, outcome.first[name].metric)
    return Picture(
        f"{word.capitalize()}s: {called}",
        ranked(items, words=f"{word}s", full=full, hollow=hollow),
        f"{len(items):,} {word}s by {called}, best first: {few_words(said)}.",
        says,
    )


def plain_name(outcome: Outcome[Any], name: str) -> str:
    """What a sentence calls a metric."""
    return outcome.first[name].metric.title or name


def few_words(items: Sequence[str], most: int = 3) -> str:
    """The first and the last of a list in words.

    >>> few_words(["a", "b", "c", "d", "e", "f", "g", "h"])
    'a, b, c, and so on to f, g, h'
    """
    if len(items) <= 2 * most:
        return ", ".join(items)
    return f"{', '.join(items[:most])}, and so on to {', '.join(items[-most:])}"


def _around(outcome: Outcome[Any]) -> str:
    return f"{100 * outcome.options.level:g} % interval"


def grouped(found: Sequence[tuple[str, str, str]], several: int) -> list[str]:
    """What is warned of arm by arm, in one line where it is the same of many of them.

    Each is the arm, what is said of this arm alone, and what is said of all of them together.

    >>> said = [(name, "1 question has no result", "questions without a result") for name in "abcd"]
    >>> grouped(said, 5)
    ['questions without a result: 4 of 5 (a, b, c and 1 more)']
    >>> grouped(said[:1], 5), grouped(said[:1], 1)
    (['a: 1 question has no result'], ['1 question has no result'])
    """
    arms: dict[str, list[str]] = {}
    for arm, _, together in found:
        arms.setdefault(together, []).append(arm)
    # A line that stands for many stands where the first of them would.
    made: dict[str, None] = {}
    for arm, alone, together in found:
        said = f"{arm}: {alone}" if several > 1 else alone
        of = arms[together]
        if len(of) > MOST_LINES:
            names = f"{', '.join(of[:MOST_LINES])} and {len(of) - MOST_LINES:,} more"
            said = f"{together}: {len(of):,} of {several:,} ({names})"
        made[said] = None
    return list(made)


def number_with_interval(found: Measured) -> str:
    if found.vacuous or found.value is None:
        return ABSENT
    if found.interval is None:
        return quantity(found.value, unit_of(found.metric))
    ends = found.interval
    if None in ends:
        around = interval(ends, found.needs_samples, unit=unit_of(found.metric))
    else:
        around = "–".join(number(end, places_of(end or 0.0, unit_of(found.metric))) for end in ends)
    return f"{quantity(found.value, unit_of(found.metric))} ({around})"


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
    metric = plain_name(outcome, outcome.differing[0].metric)
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
