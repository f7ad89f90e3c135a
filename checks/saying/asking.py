"""Runs the command in this process, and holds what it says against the truth."""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from ragstone import progress
from ragstone.cli.main import main as command_line
from saying.truths import provable

GATE = re.compile(
    r"\((\w+)\) [\d.]+ \(?([\d,]+)/([\d,]+)\)?[^()]*?(>=|<=) ([\d.]+),? "
    "(not proven to fail|proven to fail|not proven|proven)"
)
MORE = re.compile(r"(?:(about|at least) )?([\d,]+)(?: to ([\d,]+))? more question")


@dataclass(frozen=True)
class Said:
    """A sentence of the product, and whether it is true; `truth` is what a reader should know."""

    sentence: str
    is_true: bool
    truth: str


Checks = Iterator[Said]
CASES: dict[int, tuple[str, Callable[[], Checks]]] = {}


def case(number: int, what: str) -> Callable[[Callable[[], Checks]], Callable[[], Checks]]:
    def kept(check: Callable[[], Checks]) -> Callable[[], Checks]:
        CASES[number] = what, check
        return check

    return kept


def ran(*words: str) -> tuple[str, str]:
    """What a command prints, and what it says beside it."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        # A busy machine would print how far it is.
        patch.object(progress, "BETWEEN_LINES", math.inf),
    ):
        try:
            code = command_line([*words])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        out.flush()
        err.flush()
    printed, beside = (each.buffer.getvalue().decode() for each in (out, err))  # type: ignore[attr-defined]
    if "a fault in ragstone" in beside or code not in (0, 1, 3):
        raise SystemExit(f"{' '.join(words)} ended with {code}: {beside}")
    return printed, beside


def ragstone(*words: str) -> str:
    """All of it, a paragraph a line; what a report decides is the last of them."""
    printed, beside = ran(*words)
    parts = re.split(r"\n\s*\n", f"{beside}\n\n{printed}".strip())
    return "\n".join(" ".join(part.split()) for part in parts)


def report(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran(*words, "--json")[0])
    return found


def verdict(text: str) -> str:
    """The sentence with which a report ends."""
    return text.rpartition("\n")[2]


def proofs(text: str, clusters: int | None = None) -> Checks:
    """Every gate that is called proven, or proven to fail, is; by so many independent questions."""
    gates = [*GATE.finditer(text)]
    if not gates:
        yield Said(text, False, "the gates are not found here")
    for name, hits, of, op, limit, word in (each.groups() for each in gates):
        truth = provable(int(hits), int(of), op, float(limit), clusters)
        says = {"proven": True, "proven to fail": False}.get(word)
        known = {True: "proven", False: "proven to fail", None: "open"}[truth]
        yield Said(f"{name} {hits}/{of} {op} {limit}: {word}", says in (truth, None), known)


def more(text: str, truth: int) -> Checks:
    """Every "N to M more questions" holds the truth, and is no wider than a factor of two."""
    found = list(MORE.finditer(text))
    if not found:
        yield Said(text[-120:], False, f"{truth} more questions settle it")
    for each in found:
        low = int(each[2].replace(",", ""))
        high = int(each[3].replace(",", "")) if each[3] else math.inf if each[1] else low
        narrow = each[3] is None or high <= max(2 * low, low + 100)
        yield Said(each[0], low <= truth <= high and narrow, f"{truth} more questions settle it")


def passed(text: str, tested: int, main_question: bool) -> Said:
    """The verdict counts no gate that had nothing to test, and ships only what was tested."""
    last = verdict(text)
    counted = re.search(r"all (\d+) gates|(\d+) of \d+ gates", last)
    number = int(next(filter(None, counted.groups()))) if counted else 0
    ships = last.startswith("SHIP")
    truth = f"{tested} gates were tested, {'' if main_question else 'none '}on the main question"
    return Said(last, number <= tested and (main_question or not ships), truth)
