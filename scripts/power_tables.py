#!/usr/bin/env python3
"""How many questions does one need? Writes the tables of docs/power.md.

power_tables.py            (writes the tables)
power_tables.py --check    (exits 1 if the page has others)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ragstone.measure.found_regressions import ALPHA, smallest_found
from ragstone.measure.provable import Sample, fewest_questions, to_prove

PAGE = Path(__file__).resolve().parent.parent / "docs" / "power.md"
LIMITS = (0.25, 0.20, 0.10, 0.05, 0.02, 0.01)
SIZES = (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
CHURNS = (0.0, 0.05, 0.10)
VALUE = 0.90


@cache
def prove() -> str:
    """The samples that prove each limit."""
    head = ("at most", "none fails", "one fails", "¼ of the limit fails", "½ of it", "¾ of it")
    rows = [
        (
            f"{limit:.2f}",
            f"{fewest_questions(limit):,}",
            f"{fewest_questions(limit, 1):,}",
            *(_sample(to_prove(limit, part * limit)) for part in (0.25, 0.5, 0.75)),
        )
        for limit in LIMITS
    ]
    return _table(head, rows)


def _sample(found: Sample | None) -> str:
    return "–" if found is None else f"{found.questions:,} (may fail: {found.failures:,})"


@cache
def find() -> str:
    """The smallest regressions that samples of each size find."""
    head = ("questions", *(f"{churn:.0%} change anyway".replace("%", " %") for churn in CHURNS))
    rows = [(f"{size:,}", *(_found(size, churn) for churn in CHURNS)) for size in SIZES]
    return _table(head, rows)


def _found(size: int, churn: float) -> str:
    alone, of_five = (
        smallest_found(size, churn, VALUE, 1 - VALUE, ALPHA / family) for family in (1, 5)
    )
    return f"{_share(alone)}, {_share(of_five)}"


def _share(found: float | None) -> str:
    return "–" if found is None else f"{found:.4f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def page() -> str:
    """The page with its tables as they should be."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in (("prove", prove()), ("find", find())):
        between = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
        text = re.sub(between, rf"\g<1>{table}\n\g<2>", text, flags=re.DOTALL)
    return text


def main(arguments: Sequence[str]) -> int:
    if "--check" not in arguments:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        return 0
    print(f"{PAGE} has other tables; run scripts/power_tables.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
