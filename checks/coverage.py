#!/usr/bin/env python3
"""How often do the intervals hold the truth? Every kind, by enumeration or by simulation.

    checks/coverage.py [--runs 2000] [--only ratios ...] [--write]

Prints a table for each kind and exits 1 when a cell is below what is allowed. `--write` puts the
tables of the files that ran into docs/intervals.md.

Each `checks/coverage_NAME.py` with a function `cells(runs)` takes part: it returns `Cell`s, and
makes its random numbers from a seed of its own, so that a run can be repeated to the last digit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from coverage_cell import Cell

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "intervals.md"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2_000, help="samples for each simulated cell")
    parser.add_argument("--only", nargs="+", choices=parts(), help="only these files")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    asked = parser.parse_args(words)
    low: list[Cell] = []
    for name in asked.only or parts():
        cells = import_module(f"coverage_{name}").cells(asked.runs)
        text = tables(cells)
        print(f"{text}\n", flush=True)
        if asked.write:
            page = with_tables(PAGE.read_text(encoding="utf-8"), name, text)
            PAGE.write_text(page, encoding="utf-8")
        low += [cell for cell in cells if not cell.holds]
    for cell in low:
        print(f"too low: {cell.kind}, n = {cell.n}, {cell.case}: {cell.found:.4f}", file=sys.stderr)
    return 1 if low else 0


def parts() -> list[str]:
    """The names of the files that take part, in order."""
    names = (path.stem.removeprefix("coverage_") for path in HERE.glob("coverage_*.py"))
    return sorted(name for name in names if name != "cell")


def tables(cells: Iterable[Cell]) -> str:
    """A Markdown table for each set of cases, its kinds below one another."""
    by_kind: dict[str, list[Cell]] = {}
    for cell in cells:
        by_kind.setdefault(cell.kind, []).append(cell)
    made: dict[tuple[str, ...], list[str]] = {}
    for kind, some in by_kind.items():
        columns = tuple(dict.fromkeys(cell.case for cell in some))
        rows = made.setdefault(columns, [])
        for n in dict.fromkeys(cell.n for cell in some):
            found = {cell.case: cell for cell in some if cell.n == n}
            shown = [_shown(found.get(case)) for case in columns]
            rows.append(f"| {kind} | {n} | {' | '.join(shown)} |")
    return "\n\n".join("\n".join((*_head(columns), *rows)) for columns, rows in made.items())


def _head(columns: Sequence[str]) -> tuple[str, str]:
    return f"| interval | n | {' | '.join(columns)} |", f"|---|--:|{'--:|' * len(columns)}"


def _shown(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    return f"{cell.found:.3f}" if cell.holds else f"**{cell.found:.3f}**"


def with_tables(page: str, name: str, text: str) -> str:
    """The page with these tables between the marks of their file."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


if __name__ == "__main__":
    sys.exit(main())
