"""Differences of two arms over the same questions, and how often the canary ships what it must not.

A truth is a table: how likely a question is to have one value before and another after. Pairs of
yes and no are enumerated; of everything else, samples are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product

import numpy as np
from coverage_cell import SIZES, Cell, Ends, held_and_right

from ragstone.measure.interval import TOLERANCE
from ragstone.measure.paired import (
    Difference,
    Moves,
    Pairs,
    difference_of_means,
    difference_of_quantiles,
    leaves_out,
    pairs_interval,
)

Table = Mapping[tuple[float | None, float | None], float]
"""How likely each pair of values is; None is a question that is not in the set of that arm."""

# The share of questions that are lost, and that are gained.
PATTERNS = ((0.02, 0.02), (0.04, 0.02), (0.1, 0.08), (0.02, 0.0), (0.1, 0.0), (0.0, 0.02))
MARGIN = 0.02
# Every number of questions up to this one, at every gain and loss in steps of 0.05.
FEW, STEPS = 30, 20
CHURN = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6)
SPLITS = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0)
GAINED = (0.0, 0.005, 0.02, 0.05, 0.1, 0.2)
# The canary is asked of more sizes: its worst ones lie between the others.
SHIPPED = (30, 100, 150, 189, 200, 300, 500, 1000)
# What is less likely than this, all of it together, is left out of an enumeration.
LEFT_OUT = 1e-9


def cells(runs: int) -> list[Cell]:
    made = []
    for n in SIZES:
        for lost, gained in PATTERNS:
            case = f"lost {lost}, gained {gained}"
            samples = enumerated(n, lost, gained)
            made += held_and_right("difference of yes/no", n, case, gained - lost, samples)
            for kind, table in (("recall in {0, 0.5, 1}", halves), ("yes/no, 3 repeats", repeats)):
                made += of_table(runs, n, f"difference of {kind}", case, table(lost, gained))
        for before, after in ((0.5, 0.5), (0.9, 0.85), (0.98, 0.98), (0.98, 0.96), (1.0, 0.98)):
            for kind, shares in (("0.9 and 0.9", (0.9, 0.9)), ("0.9 and 0.4", (0.9, 0.4))):
                named = f"difference over sets of {kind} of the questions"
                table = sets(before, after, *shares)
                made += of_table(runs, n, named, f"{before} to {after}", table)
        for each in DRAWN:
            made += drawn(runs, n, *each)
    return [*worst_of_few(), *worst_of_churn(), *made, *canary(runs)]


def worst_of_few() -> Iterator[Cell]:
    """What is wrong on one side of a truth is wrong on the other side of its mirror image."""
    truths = [
        (up / STEPS, down / STEPS) for up in range(STEPS + 1) for down in range(STEPS + 1 - up)
    ]
    for n in range(1, FEW + 1):
        worst = max(wrongly_above(n, gained, lost) for gained, lost in truths)
        kind = "right proofs: difference of yes/no, a few questions"
        yield Cell(kind, n, "the worst of all gains and losses", 1 - worst, 0.95)


def worst_of_churn() -> Iterator[Cell]:
    for n, churn in product((20, 60, 100, 250, 600), CHURN):
        worst = max(wrongly_above(n, churn * part, churn * (1 - part)) for part in SPLITS)
        kind = "right proofs: difference of yes/no, the worst split of those that move"
        yield Cell(kind, n, f"{100 * churn:g} % move", 1 - worst, 0.95)


def wrongly_above(n: int, gained: float, lost: float) -> float:
    """How often the whole interval lies above the truth."""
    still = 1 - gained
    return math.fsum(
        chance * more
        for up, chance in likely(n, gained)
        for down, more in likely(n - up, min(1.0, lost / still) if still > 1e-9 else 0.0)
        if leaves_out(Moves(up, down, n), gained - lost, 0.95, up=True)
    )


def canary(runs: int) -> Iterator[Cell]:
    """How often a drop of exactly the margin is not called proven small: at least 0.97."""
    for n in SHIPPED:
        for gained in GAINED:
            case = f"gained {gained}"
            kept = 1 - ships(n, gained + MARGIN, gained)
            yield Cell("right not to ship: yes/no", n, case, kept, 0.97)
            table = halves(gained + MARGIN, gained)
            margin = -truth_of(table)
            found = list(differences(runs, n, table))
            wrong = sum(proven_small(each, margin) for each in found)
            yield Cell("right not to ship: recall", n, case, 1 - wrong / len(found), 0.97)


def proven_small(found: Difference, margin: float) -> bool:
    """As the canary has it, without looking for how many more questions would settle it."""
    low, _ = found.interval or (None, None)
    return low is not None and low >= -margin - TOLERANCE


def enumerated(n: int, lost: float, gained: float) -> list[tuple[float, Ends]]:
    """The interval of all that may be gained and lost, with how likely it is."""
    return [
        (chance * more, pairs_interval(up, down, n))
        for up, chance in likely(n, gained)
        for down, more in likely(n - up, lost / (1 - gained))
    ]


def ships(n: int, lost: float, gained: float) -> float:
    """How often the drop is proven to be within the margin."""
    return math.fsum(
        chance * more
        for up, chance in likely(n, gained)
        for down, more in likely(n - up, lost / (1 - gained))
        if leaves_out(Moves(up, down, n), -MARGIN, 0.95, up=True)
    )


def likely(n: int, p: float) -> Iterator[tuple[int, float]]:
    """Every number of hits in n that is not all too rare, and how likely it is."""
    for hits in range(n + 1):
        if p in (0.0, 1.0):
            chance = float(hits == n * p)
        else:
            ways = math.lgamma(n + 1) - math.lgamma(hits + 1) - math.lgamma(n - hits + 1)
            chance = math.exp(ways + hits * math.log(p) + (n - hits) * math.log1p(-p))
        if chance > LEFT_OUT / (n + 1):
            yield hits, chance


def halves(lost: float, gained: float) -> Table:
    """Recall of two pieces of evidence: what is lost or gained is one of them, or both."""
    found = {(0.5, 0.5): 0.3, (1.0, 1.0): 0.7 - lost - gained}
    for share, step in ((0.5, 0.5), (0.5, 1.0)):
        found[1.0, 1.0 - step] = found.get((1.0, 1.0 - step), 0.0) + lost * share
        found[1.0 - step, 1.0] = found.get((1.0 - step, 1.0), 0.0) + gained * share
    return found


def repeats(lost: float, gained: float) -> Table:
    """Three repeats of each question, of which each goes its own way once in fifty times."""
    found: dict[tuple[float | None, float | None], float] = {}
    rates = {(0.98, 0.98): 0.8 - lost, (0.98, 0.02): lost, (0.02, 0.98): gained}
    rates[0.02, 0.02] = 1 - math.fsum(rates.values())
    for (before, after), share in rates.items():
        for (x, one), (y, other) in product(likely(3, before), likely(3, after)):
            found[x / 3, y / 3] = found.get((x / 3, y / 3), 0.0) + share * one * other
    return found


def sets(before: float, after: float, old: float, new: float) -> Table:
    """Right or wrong, where only some questions have an answer in each arm.

    Two in three questions that were right and could stay right do; half of those answered in the
    smaller set are so by chance.
    """
    both = min(before, after)
    stay = both * (2 / 3 + max(before, after) / 3)
    right = {(1, 1): stay, (1, 0): before - stay, (0, 1): after - stay}
    right[0, 0] = 1 - math.fsum(right.values())
    common = (min(old, new) + old * new) / 2
    answered = {(1, 1): common, (1, 0): old - common, (0, 1): new - common}
    found: dict[tuple[float | None, float | None], float] = {}
    for (x, y), share in right.items():
        for (has_x, has_y), part in answered.items():
            pair = (float(x) if has_x else None, float(y) if has_y else None)
            found[pair] = found.get(pair, 0.0) + max(0.0, share) * part
    found[None, None] = 1 - math.fsum(found.values())
    return found


def truth_of(table: Table) -> float:
    sides = []
    for side in (0, 1):
        known = [(pair[side], share) for pair, share in table.items() if pair[side] is not None]
        sides.append(math.fsum((x or 0.0) * p for x, p in known) / math.fsum(p for _, p in known))
    return sides[1] - sides[0]


def differences(runs: int, n: int, table: Table) -> Iterator[Difference]:
    """The difference in each of many samples; a sample without one arm says nothing."""
    pairs, shares = list(table), np.array([max(0.0, share) for share in table.values()])
    chance = np.random.default_rng([n, len(pairs), round(1e6 * abs(truth_of(table)))])
    for counts in chance.multinomial(n, shares / shares.sum(), size=runs).tolist():
        counted = [(*pair, count) for pair, count in zip(pairs, counts, strict=True) if count]
        found = difference_of_means(counted)
        if found is not None:
            yield found


def of_table(runs: int, n: int, kind: str, case: str, table: Table) -> list[Cell]:
    return of_differences(kind, n, case, truth_of(table), differences(runs, n, table))


def of_differences(
    kind: str, n: int, case: str, truth: float, found: Iterable[Difference]
) -> list[Cell]:
    """Cells of samples that are all equally likely; one without an interval says nothing."""
    ends = [each.interval or (None, None) for each in found]
    return held_and_right(kind, n, case, truth, [(1 / len(ends), each) for each in ends])


Make = Callable[[Pairs], Difference | None]


def drawn(
    runs: int, n: int, kind: str, case: str, spread: float, make: Make, q: float
) -> list[Cell]:
    """Numbers of one question in two arms: from 0 to 1, or times, with a correlation."""
    chance = np.random.default_rng([n, round(1000 * spread), round(100 * q)])
    sample = scores if kind == "difference of numbers from 0 to 1" else times
    x, y = sample(chance, 4_000_000, spread)
    truth = float(np.quantile(y, q) - np.quantile(x, q)) if q else float((y - x).mean())
    found = []
    for _ in range(runs):
        x, y = sample(chance, n, spread)
        made = make(list(zip(x.tolist(), y.tolist(), [1] * n, strict=True)))
        if made is not None:
            found.append(made)
    return of_differences(kind, n, case, truth, found)


Numbers = np.typing.NDArray[np.float64]


def scores(chance: np.random.Generator, n: int, spread: float) -> tuple[Numbers, Numbers]:
    before = chance.beta(4, 2, n)
    return before, np.clip(before + chance.normal(-0.01, spread, n), 0.0, 1.0)


def times(chance: np.random.Generator, n: int, together: float) -> tuple[Numbers, Numbers]:
    before = chance.standard_normal(n)
    after = together * before + math.sqrt(1 - together**2) * chance.standard_normal(n)
    return np.exp(0.8 * before), np.exp(0.8 * after + 0.1)


def at(q: float) -> Make:
    return lambda pairs: difference_of_quantiles(pairs, q)


def unbounded(pairs: Pairs) -> Difference | None:
    return difference_of_means(pairs, bounds=None)


DRAWN: tuple[tuple[str, str, float, Make, float], ...] = (
    *(
        ("difference of numbers from 0 to 1", f"spread {spread}", spread, difference_of_means, 0.0)
        for spread in (0.05, 0.2, 0.4)
    ),
    *(
        ("difference of quantiles of times", f"p{100 * q:.0f}, correlation {rho}", rho, at(q), q)
        for q, rho in product((0.5, 0.9, 0.95), (0.0, 0.5, 0.9))
    ),
    *(
        ("difference of means of times", f"correlation {rho}", rho, unbounded, 0.0)
        for rho in (0.0, 0.5, 0.9)
    ),
)
