#!/usr/bin/env python3
"""How often is a watched canary promoted wrongly where its questions change, or repeat?

    checks/drifting.py [--runs 1000] [--questions 3000] [--seed 1] [--write]

The change of coverage is not the same all the time here: it falls at a step, or goes up and down
like a day. And one fact is asked in several wordings. Everything else of the shadow is so well that
coverage alone decides. Exits 1 where a step, or wordings under one qid, give more false promotions
than the level allows. `--write` puts the tables into docs/watched-canary.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np
from sequential import PAGE, Floats, Repeats, Truth, share_of, watched, with_tables

from ragstone.measure.interval import wilson

BEGIN, END = "<!-- drifting begins -->", "<!-- drifting ends -->"
LEVEL = 0.05
LINE = -0.02
# The change of coverage at first and then, and after how many questions.
STEPS = ((0.0, -0.10, 500), (0.0, -0.10, 1_000), (0.03, -0.07, 500))
# How far a wave goes up and down around the line, and its period in questions.
WAVES = ((0.10, 200), (0.10, 1_000), (0.15, 2_000))
WORDINGS = (2, 5, 10)


def step(before: float, after: float, at: int, questions: int) -> Floats:
    """The true change of every question where it falls once."""
    return np.where(np.arange(questions) < at, before, after)


def wave(height: float, period: int, questions: int) -> Floats:
    """The true change of every question where it is on the line on average, and begins well."""
    made: Floats = LINE + height * np.sin(2 * np.pi * np.arange(questions) / period)
    return made


def worded(wordings: int, runs: int, questions: int, seed: int, *, known: bool) -> Repeats:
    """Every fact in so many wordings, in any order; `known` where gold has them under one qid."""
    facts = np.repeat(np.arange(-(-questions // wordings)), wordings)[:questions]
    asked = np.random.default_rng(seed).permuted(np.tile(facts, (runs, 1)), axis=1)
    counts = np.ones_like(asked, np.bool_)
    if known:
        for row in range(runs):
            counts[row] = False
            counts[row, np.unique(asked[row], return_index=True)[1]] = True
    return Repeats(asked, counts)


def steps_table(runs: int, questions: int, seed: int) -> tuple[list[str], int]:
    lines = [
        "| coverage changes by | promoted before it falls | promoted afterwards | rolled back |",
        "|---|--:|--:|--:|",
    ]
    wrong = 0
    for before, after, at in STEPS:
        truth = Truth("", coverage=step(before, after, at, questions), elsewhere=0)
        ended = watched(truth, runs, questions, seed)
        early = int((ended.promotes & (ended.promoted <= at)).sum())
        false = int(ended.promotes.sum()) - early
        wrong += wilson(false, runs)[0] > LEVEL
        says = f"{before:g} in {at:,} questions, then {after:g}"
        cells = (share_of(hits, runs) for hits in (early, false, int(ended.rolls_back.sum())))
        lines.append(f"| {says} | {' | '.join(cells)} |")
    return lines, wrong


def wordings_table(runs: int, questions: int, seed: int) -> tuple[list[str], int]:
    lines = [
        "| on its line, every fact in | false promotions, one qid for all wordings | "
        "rolled back | false promotions, a qid for each | rolled back |",
        "|---|--:|--:|--:|--:|",
    ]
    truth = Truth("", coverage=LINE, elsewhere=0)
    wrong = 0
    for wordings in WORDINGS:
        cells = []
        for known in (True, False):
            repeats = worded(wordings, runs, questions, seed, known=known)
            ended = watched(truth, runs, questions, seed, repeats)
            promoted = int(ended.promotes.sum())
            wrong += known and wilson(promoted, runs)[0] > LEVEL
            cells += [share_of(promoted, runs), share_of(int(ended.rolls_back.sum()), runs)]
        lines.append(f"| {wordings} wordings | {' | '.join(cells)} |")
    return lines, wrong


def waves_table(runs: int, questions: int, seed: int) -> list[str]:
    lines = [
        "| coverage goes up and down by | period | promoted | with `at_least` one period | "
        "with seven periods |",
        "|---|--:|--:|--:|--:|",
    ]
    for height, period in WAVES:
        long = max(questions, 8 * period)
        truth = Truth("", coverage=wave(height, period, long), churn=0.2, elsewhere=0)
        cells = []
        for periods in (0, 1, 7):
            ended = watched(truth, runs, long, seed, at_least=periods * period)
            cells.append(share_of(int(ended.promotes.sum()), runs))
        lines.append(f"| {height:g} around the line | {period:,} | {' | '.join(cells)} |")
    return lines


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1_000, help="simulated canaries of each row")
    parser.add_argument("--questions", type=int, default=3_000, help="questions of each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    asked = parser.parse_args(words)
    size = (asked.runs, asked.questions, asked.seed)
    steps, wrong_steps = steps_table(*size)
    wordings, wrong_wordings = wordings_table(*size)
    parts = [
        ["**A fall on the way.** How many of the canaries end so:", "", *steps],
        ["**Facts in several wordings.** Coverage is on its line:", "", *wordings],
        [
            "**Waves.** Coverage is on its line on average. A fifth of the canaries, and at least "
            "eight periods of questions:",
            "",
            *waves_table(asked.runs // 5, asked.questions, asked.seed),
        ],
    ]
    sizes = f"{asked.runs:,} canaries in each row, {asked.questions:,} questions each"
    command = f"`python checks/drifting.py --runs {asked.runs} --questions {asked.questions}`"
    text = "\n\n".join(["\n".join(part) for part in parts] + [f"{sizes} ({command})."])
    print(text)
    if asked.write:
        page = with_tables(PAGE.read_text(encoding="utf-8"), text, BEGIN, END)
        PAGE.write_text(page, encoding="utf-8")
    wrong = wrong_steps + wrong_wordings
    if wrong:
        print(f"{wrong} shares are beyond the level", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
