#!/usr/bin/env python3
"""How often is a watched canary wrong, and how soon does it decide? By simulation.

    checks/sequential.py [--runs 1000] [--questions 5000] [--seed 1] [--write]

Every simulated canary is looked at after every question, and ends with its first decision. Beside
it: a score test of one look (Tango's interval for a change, Wilson's for a share), at the size that
decides as often, and looked at after every question. Exits 1 where false promotions, or false
roll-backs, are more than the level allows. `--write` puts the tables into docs/watched-canary.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ragstone.measure.betting import BETS
from ragstone.measure.interval import wilson
from ragstone.serve.canary_conditions import Condition, chosen
from ragstone.serve.canary_evidence import Plan

PAGE = Path(__file__).parent.parent / "docs" / "watched-canary.md"
BEGIN, END = "<!-- sequential begins -->", "<!-- sequential ends -->"

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
# The questions that come out differently in the two arms, of a canary without a drop.
CHURN = 0.10
NEVER = np.iinfo(np.int64).max
_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Truth:
    """What is true of a shadow: the change of each difference, and each share.

    That of coverage may be another one at every question. `elsewhere` is the churn of recall and
    of flips, where it is not that of coverage.
    """

    says: str
    coverage: float | Floats = 0.0
    citation_accuracy: float = 0.99
    delta_s_median: float = 0.80
    recall: float = 0.0
    flips: float = 0.0
    churn: float = CHURN
    elsewhere: float | None = None


@dataclass(frozen=True)
class Ended:
    """After how many questions each canary was promoted, and rolled back; NEVER where not."""

    promoted: Whole
    rolled_back: Whole

    @property
    def promotes(self) -> NDArray[np.bool_]:
        return self.promoted < self.rolled_back

    @property
    def rolls_back(self) -> NDArray[np.bool_]:
        return (self.rolled_back <= self.promoted) & (self.rolled_back < NEVER)


def drawn(condition: Condition, truth: Truth, uniform: Floats) -> Floats:
    """The number of each question, in the condition's own terms, from numbers between 0 and 1."""
    mean = getattr(truth, condition.name)
    if condition.metric.bounds != (-1.0, 1.0):
        return (uniform < mean).astype(np.float64)
    apart = condition.name != "coverage" and truth.elsewhere is not None
    churn = truth.elsewhere if apart else truth.churn
    down = (churn - mean) / 2
    return np.where(uniform < down, -1.0, np.where(uniform < churn, 1.0, 0.0))


def log_wealth(numbers: Floats, line: float) -> Floats:
    """The logarithm of the wealth after every number of each row: what `Wealth` computes."""
    found: Floats | None = None
    for bet in BETS:
        with np.errstate(divide="ignore"):
            steps = np.log((1 - bet) + bet * numbers / line)
        sums = np.cumsum(steps, axis=1)
        found = sums if found is None else np.logaddexp(found, sums)
    assert found is not None
    made: Floats = found - np.log(len(BETS))
    return made


def first(reached: NDArray[np.bool_]) -> Whole:
    """After how many questions each row was first true."""
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, NEVER)


@dataclass(frozen=True)
class Repeats:
    """Questions that are asked again: at every place which of them it is, and whether it counts."""

    asked: Whole
    counts: NDArray[np.bool_]


def watched(
    truth: Truth,
    runs: int,
    questions: int,
    seed: int,
    repeats: Repeats | None = None,
    at_least: int = 0,
) -> Ended:
    """Canaries of this truth, each looked at after every question.

    None is promoted before it has `at_least` so many questions.
    """
    plan = Plan(chosen())
    draw = np.random.default_rng(seed)
    every, rolled_back = np.ones((runs, questions), np.bool_), np.full(runs, NEVER)
    for condition in plan.conditions:
        values = drawn(condition, truth, draw.random((runs, questions)))
        low, high = condition.metric.bounds or (0.0, 1.0)
        numbers = (values - low) / (high - low)
        numbers = 1 - numbers if condition.line.op == "<=" else numbers
        line = condition.scaled_line
        if repeats is not None:
            numbers = np.take_along_axis(numbers, repeats.asked, axis=1)
            # What lies on the line leaves all evidence as it is: the question counts no more.
            numbers = np.where(repeats.counts, numbers, line)
        refuted = first(log_wealth(1 - numbers, 1 - line) >= np.log(plan.to_refute))
        every &= log_wealth(numbers, line) >= np.log(plan.to_prove)
        rolled_back = np.minimum(rolled_back, refuted)
    every[:, : max(at_least - 1, 0)] = False
    return Ended(first(every), rolled_back)


def variance_at(gained: Floats, lost: Floats, difference: float) -> Floats:
    """Tango's variance at a drop: what `measure.paired` computes for one pair of shares."""
    gained, lost, difference = lost, gained, -difference
    b = (2 - gained + lost) * difference - gained - lost
    c = lost * difference * (1 - difference)
    root = np.sqrt(b * b + 8 * c)
    with np.errstate(invalid="ignore", divide="ignore"):
        smaller = np.where(b <= 0, (root - b) / 4, np.where(root + b > 0, 2 * c / (root + b), 0.0))
    made: Floats = 2 * smaller + difference * (1 - difference)
    return made


def one_look(condition: Condition, values: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether the fixed-size test says proven, and refuted, after every question."""
    n = np.arange(1, values.shape[1] + 1)
    edge = condition.line.value
    if condition.metric.bounds != (-1.0, 1.0):
        share = np.cumsum(values, axis=1) / n
        error = _Z * np.sqrt(edge * (1 - edge) / n)
        return share - edge >= error, share - edge < -error
    gained = np.cumsum(values > 0, axis=1) / n
    lost = np.cumsum(values < 0, axis=1) / n
    error = _Z * np.sqrt(variance_at(gained, lost, edge) / n)
    return gained - lost - edge >= error, gained - lost - edge < -error


def by_name(name: str) -> Condition:
    return next(each for each in chosen() if each.name == name)


# --- the tables ---


def share_of(hits: int, runs: int) -> str:
    low, high = wilson(hits, runs)
    return f"{hits / runs:.3f} ({low:.3f} to {high:.3f})"


def middle(ended: Whole, share: float = 0.5) -> str:
    """After how many questions so many canaries have ended; a dash where fewer ever did."""
    place = int(np.ceil(share * len(ended))) - 1
    found = int(np.sort(ended)[place])
    return "–" if found == NEVER else f"{found:,}"


def at_the_margin() -> list[Truth]:
    """On the line in one condition and well in all others, then on the line in all of them."""
    lines = {each.name: each.line.value for each in chosen()}
    alone = [Truth(f"{name} on its line", **{name: value}) for name, value in lines.items()]
    return [*alone, Truth("all five on their lines", **lines)]


def level_table(runs: int, questions: int, seed: int) -> tuple[list[str], int]:
    """False promotions on the line; how many rows are beyond the level."""
    lines = [
        "| what is true | false promotions | rolled back |",
        "|---|--:|--:|",
    ]
    wrong = 0
    for truth in at_the_margin():
        ended = watched(truth, runs, questions, seed)
        promoted, back = int(ended.promotes.sum()), int(ended.rolls_back.sum())
        # More than the level by more than chance: the lower end of the share is above it.
        wrong += (wilson(promoted, runs)[0] > 0.05) + (wilson(back, runs)[0] > 0.05)
        lines.append(f"| {truth.says} | {share_of(promoted, runs)} | {share_of(back, runs)} |")
    return lines, wrong


def peeking_table(runs: int, questions: int, seed: int) -> list[str]:
    """What looking after every question does to a test that is made for one look."""
    lines = [
        f"| on its line | the test by betting, every look | one look, at {questions:,} | "
        "the same test, every look |",
        "|---|--:|--:|--:|",
    ]
    plan = Plan(chosen())
    for name in ("coverage", "citation_accuracy"):
        condition = by_name(name)
        truth = Truth("", **{name: condition.line.value})
        values = drawn(condition, truth, np.random.default_rng(seed).random((runs, questions)))
        low, high = condition.metric.bounds or (0.0, 1.0)
        wealth = log_wealth((values - low) / (high - low), condition.scaled_line)
        rich = int((wealth >= np.log(plan.to_prove)).any(axis=1).sum())
        proven, _ = one_look(condition, values)
        # Below 30 questions nobody would look.
        ever = int(proven[:, 29:].any(axis=1).sum())
        row = (share_of(rich, runs), share_of(int(proven[:, -1].sum()), runs))
        lines.append(f"| {name} | {row[0]} | {row[1]} | {share_of(ever, runs)} |")
    return lines


DROPS: Mapping[str, tuple[str, Truth]] = {
    "coverage falls by 0.05": ("coverage", Truth("", coverage=-0.05)),
    "coverage falls by 0.10": ("coverage", Truth("", coverage=-0.10, churn=0.15)),
    "coverage falls by 0.20": ("coverage", Truth("", coverage=-0.20, churn=0.25)),
    "citation accuracy is 0.90": ("citation_accuracy", Truth("", citation_accuracy=0.90)),
    "citation accuracy is 0.80": ("citation_accuracy", Truth("", citation_accuracy=0.80)),
    "R@5 falls by 0.10": ("recall", Truth("", recall=-0.10, churn=0.15)),
}


def size_for(power: float, decided: NDArray[np.bool_]) -> str:
    """The number of questions from which on one look decides so often."""
    too_few = np.nonzero(decided.mean(axis=0) < power)[0]
    size = int(too_few[-1]) + 2 if len(too_few) else 1
    return f"{size:,}" if size <= decided.shape[1] else "–"


def drops_table(runs: int, questions: int, seed: int) -> list[str]:
    lines = [
        "| what is true | ROLL BACK: half of them by | 80 % by | one look: power 50 % at | "
        "power 80 % at | rolled back | promoted |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for says, (name, truth) in DROPS.items():
        ended = watched(truth, runs, questions, seed)
        condition = by_name(name)
        values = drawn(condition, truth, np.random.default_rng(seed).random((runs, questions)))
        _, refuted = one_look(condition, values)
        back = np.where(ended.rolls_back, ended.rolled_back, NEVER)
        fixed = [size_for(power, refuted) for power in (0.5, 0.8)]
        cells = (middle(back), middle(back, 0.8), *fixed)
        shares = (f"{ended.rolls_back.mean():.3f}", f"{ended.promotes.mean():.3f}")
        lines.append(f"| {says} | {' | '.join((*cells, *shares))} |")
    return lines


def promotes_table(runs: int, questions: int, seed: int) -> list[str]:
    lines = [
        "| questions that differ between the arms, without a drop | PROMOTE: half of them by | "
        "80 % by | promoted | rolled back |",
        "|---|--:|--:|--:|--:|",
    ]
    for churn in (0.0, 0.02, 0.05, 0.10):
        ended = watched(Truth("", churn=churn), runs, questions, seed)
        done = np.where(ended.promotes, ended.promoted, NEVER)
        shares = (f"{ended.promotes.mean():.3f}", f"{ended.rolls_back.mean():.3f}")
        cells = (f"{churn:.0%}".replace("%", " %"), middle(done), middle(done, 0.8), *shares)
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def with_tables(page: str, tables: str, begin: str = BEGIN, end: str = END) -> str:
    """The page with the tables between its marks."""
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n\n{tables}\n\n{end}{after}"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1_000, help="simulated canaries of each row")
    parser.add_argument("--questions", type=int, default=5_000, help="questions of each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    asked = parser.parse_args(words)
    given = (asked.runs, asked.questions, asked.seed)
    level, wrong = level_table(*given)
    peeking = peeking_table(*given)
    parts = [
        ["**On the line.** How many of the canaries end so, with its 95 % interval:", "", *level],
        ["**Looking often.** How many call it proven, which is false here:", "", *peeking],
        ["**A real drop.** Questions until it is found:", "", *drops_table(*given)],
        ["**No drop.** Questions until it is promoted:", "", *promotes_table(*given)],
    ]
    said = f"{asked.runs:,} canaries in each row, {asked.questions:,} questions each"
    command = f"`python checks/sequential.py --runs {asked.runs} --questions {asked.questions}`"
    text = "\n\n".join(["\n".join(part) for part in parts] + [f"{said} ({command})."])
    print(text)
    if asked.write:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), text), encoding="utf-8")
    if wrong:
        print(f"{wrong} shares are beyond the level", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
