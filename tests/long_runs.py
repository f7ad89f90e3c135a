"""What every run tries, and what only the long runs add (`pytest --long`, in `make ci-long`).

A test that goes over many inputs of few kinds takes one of each kind in every run. All of them, and
many more made-up inputs, are for the long runs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import pytest
from hypothesis import settings

# The profile of Hypothesis for the long runs, and how many inputs a test makes up there by itself.
LONG, LONG_EXAMPLES = "long", 5000


def one_of_each(values: Iterable[Any], kind: Callable[[Any], Hashable], turn: int = 0) -> list[Any]:
    """Parameters: one of each kind for every run, the others for the long runs.

    `turn` says which of a kind it is: tests that share a list take different ones.
    """
    kinds: dict[Hashable, list[Any]] = {}
    every = list(values)
    for value in every:
        kinds.setdefault(kind(value), []).append(value)
    chosen = [found[turn % len(found)] for found in kinds.values()]
    return [_parameter(value, long=value not in chosen) for value in every]


def one_in_three(values: Iterable[Any], turn: int = 0) -> list[Any]:
    """Parameters: every third value for every run, from the one of this number on."""
    every = list(values)
    return [_parameter(value, long=n % 3 != turn % 3) for n, value in enumerate(every)]


def each_once(one: Iterable[Any], other: Iterable[Any]) -> list[Any]:
    """Parameters: pairs in which each value of both stands once; the other pairs are long."""
    first, second = list(one), list(other)
    chosen = {(n % len(first), n % len(second)) for n in range(max(len(first), len(second)))}
    return [
        _parameter((first[n], second[m]), long=(n, m) not in chosen)
        for n in range(len(first))
        for m in range(len(second))
    ]


def _parameter(value: Any, *, long: bool) -> Any:
    given = value if isinstance(value, tuple) else (value,)
    return pytest.param(*given, marks=[pytest.mark.long] if long else [])


def examples(usual: int, long: int) -> int:
    """How many made-up inputs a test takes, in a usual run and in a long one."""
    return long if settings().max_examples == LONG_EXAMPLES else usual
