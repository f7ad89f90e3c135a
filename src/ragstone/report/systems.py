"""Several systems in one report: the tables and the picture that context and trec share."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.measure.metric import Measured
from ragstone.report.model import Block, Cell, Table
from ragstone.report.systems_picture import Dot, Panel, picture
from ragstone.report.words import interval, number
from ragstone.suites.context.systems import Comparison, Differing, System


def blocks(
    systems: Sequence[System],
    baseline: int,
    names: Sequence[str],
    comparisons: Sequence[Comparison],
    questions: Sequence[Differing],
    level: float,
) -> list[Block]:
    """The table with an interval in each cell, the picture, the tests, the questions apart."""
    return [
        _table(systems, baseline, names),
        picture([_panel(name, systems, baseline) for name in names], f"{100 * level:g} % interval"),
        _tests(comparisons, systems[baseline].name),
        _apart(questions, systems[baseline].name),
    ]


def _table(systems: Sequence[System], baseline: int, names: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for place, system in enumerate(systems):
        cells: list[Cell] = [system.name + (" (baseline)" if place == baseline else "")]
        cells += [_cell(system.measured[name]) for name in names]
        rows.append((*cells, system.missing))
    return Table(
        "Systems",
        ("system", *names, "missing"),
        tuple(rows),
        "The mean over questions, and in brackets where it could truly lie.",
    )


def _cell(found: Measured) -> str:
    if found.vacuous or found.value is None:
        return "–"
    if found.interval is None:
        return number(found.value)
    low, high = (number(end, 3) for end in found.interval)
    return f"{number(found.value)} ({low}–{high})"


def _panel(name: str, systems: Sequence[System], baseline: int) -> Panel:
    dots = []
    for place, system in enumerate(systems):
        found = system.measured[name]
        value = None if found.vacuous else found.value
        dots.append(Dot(system.name, value, found.interval, place == baseline))
    return Panel(name, tuple(dots))


def _tests(comparisons: Sequence[Comparison], baseline: str) -> Table:
    rows = tuple(
        (
            c.system,
            c.metric,
            f"{c.difference:+.4f}",
            interval(c.interval),
            c.p,
            c.p_holm,
            c.wins,
            c.ties,
            c.losses,
        )
        for c in comparisons
    )
    return Table(
        f"Against {baseline}",
        ("system", "metric", "difference", "interval", "p", "p (Holm)", "wins", "ties", "losses"),
        rows,
        "Paired randomisation tests, question by question; p (Holm) is corrected for all rows of "
        "this table at once.",
    )


def _apart(questions: Sequence[Differing], baseline: str) -> Table:
    rows = tuple((q.system, q.qid, q.baseline, q.value, f"{q.difference:+.4f}") for q in questions)
    metric = questions[0].metric if questions else "the metric"
    return Table(
        "Questions that differ most",
        ("system", "qid", f"{metric} of {baseline}", f"{metric} of the system", "difference"),
        rows,
        f"Where a system is farthest from {baseline}, either way.",
    )
