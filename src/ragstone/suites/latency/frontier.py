"""Which configurations are worth having: the frontier of speed and precision, and the picks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.gates.gate import Threshold

# What "within the relaxed latency gate" means where that gate is turned off.
RELAXED = Threshold("<=", 2500.0)


@dataclass(frozen=True, slots=True)
class Choice:
    """One configuration under one load, as the choice between them sees it.

    `unfit` says why it is no choice at all, where it does not work.
    """

    config: str
    p95: float
    precision: float
    accuracy: Mapping[str, float]
    unfit: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of the configurations under one load.

    `dominated` leads to what beats each, `unfit` to why one that does not work was left out.
    """

    frontier: tuple[str, ...]
    dominated: Mapping[str, str]
    unfit: Mapping[str, str]
    interactive: str | None
    batch: str | None


def dominates(one: Choice, two: Choice) -> bool:
    """At least as good on both, and better on one.

    >>> fast, slow = Choice("a", 100, 0.9, {}), Choice("b", 200, 0.9, {})
    >>> dominates(fast, slow), dominates(slow, fast), dominates(fast, fast)
    (True, False, False)
    """
    as_good = one.p95 <= two.p95 and one.precision >= two.precision
    return as_good and (one.p95 < two.p95 or one.precision > two.precision)


def stand(
    choices: Sequence[Choice], accuracy: Mapping[str, Threshold], relaxed: Threshold
) -> Standing:
    """The frontier, fastest first, and the two picks.

    `interactive` is the fastest on the frontier that meets the accuracy gates; `batch` is the most
    precise within the relaxed latency gate. What does not work beats nothing: an error may come
    fast, and where no answer was shipped none was wrong.
    """
    fit = [c for c in choices if not c.unfit]
    ordered = sorted(fit, key=lambda c: (c.p95, -c.precision, c.config))
    frontier = [c for c in ordered if not any(dominates(other, c) for other in ordered)]
    # The frontier is what beats everything else; the fastest of it that does is named.
    dominated = {
        c.config: next(other.config for other in frontier if dominates(other, c))
        for c in ordered
        if c not in frontier
    }
    good = [c for c in frontier if all(accuracy[n].holds(c.accuracy[n]) for n in accuracy)]
    within = [c for c in frontier if relaxed.holds(c.p95)]
    return Standing(
        frontier=tuple(c.config for c in frontier),
        dominated=dominated,
        unfit={c.config: c.unfit for c in choices if c.unfit},
        interactive=good[0].config if good else None,
        batch=max(within, key=lambda c: c.precision).config if within else None,
    )
