"""The engine takes the memory it needs, and never more than there is."""

from __future__ import annotations

import pytest

from ragstone.engine.duck import Duck


def limit(duck: Duck) -> str:
    return str(duck.one("select current_setting('memory_limit')")[0])


@pytest.mark.parametrize(("size", "bound"), [(0, "488.2 MiB"), (500 * 10**6, "953.6 MiB")])
def test_the_memory_is_bounded_by_the_size_of_the_input(size: int, bound: str) -> None:
    with Duck() as duck:
        duck.expect(size)
        assert limit(duck) == bound


def test_a_huge_input_does_not_raise_the_bound_above_what_the_machine_has() -> None:
    with Duck() as duck:
        most = limit(duck)
        duck.expect(10**15)
        assert limit(duck) == most


def test_a_statement_that_needs_more_is_run_again_without_the_bound() -> None:
    with Duck(threads=1) as duck:
        most = limit(duck)
        duck.expect(0)
        assert duck.one("select len(list(n)) from range(40_000_000) as t(n)") == (40_000_000,)
        assert limit(duck) == most
