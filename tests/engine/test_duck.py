"""The engine takes the memory it needs, and never more than there is."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from ragstone.engine.duck import Duck, real
from ragstone.engine.native import duckdb

pytestmark = pytest.mark.python


def limit(duck: Duck) -> str:
    return str(duck.one("select current_setting('memory_limit')")[0])


@pytest.mark.parametrize(("size", "bound"), [(20 * 10**6, "488.2 MiB"), (500 * 10**6, "953.6 MiB")])
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


def test_cells_come_with_their_types() -> None:
    with Duck() as duck:
        assert duck.count("select count(*) from range($n)", {"n": 3}) == 3
        assert duck.counts("select 1, sum(n) from range(4) as t(n)") == (1, 6)
        assert duck.number("select 1.5") == 1.5
        assert duck.number("select null") is None
        assert duck.texts("select * from (values ('a', 1), ('b', 2))") == ("a", "b")
        assert duck.texts("select 'a' where false") == ()


@pytest.mark.parametrize("value", ["'1'", "true", "null"])
def test_a_cell_of_another_type_is_refused(value: str) -> None:
    with Duck() as duck:
        with pytest.raises(TypeError, match="whole number"):
            duck.count(f"select {value}")
        if value != "null":
            with pytest.raises(TypeError, match="number"):
                duck.number(f"select {value}")
        if value != "'1'":
            with pytest.raises(TypeError, match="text"):
                duck.texts(f"select {value}")


def test_a_decimal_is_a_number() -> None:
    with Duck() as duck:
        assert real(duck.one("select 1.25::decimal(10, 2)")[0]) == 1.25


@pytest.mark.parametrize(
    "error", [RuntimeError("Query interrupted"), duckdb.InterruptException("Interrupted!")]
)
def test_a_signal_in_the_middle_of_a_statement_is_an_interruption(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Duck() as duck:
        connection = duck._connection
        monkeypatch.setattr(duck, "_connection", Mock(execute=Mock(side_effect=error)))
        with pytest.raises(KeyboardInterrupt):
            duck.run("select 1")
        monkeypatch.setattr(duck, "_connection", connection)


def test_rows_come_as_arrow_batches_with_what_was_defined() -> None:
    """Without a Spark, which is all that asks for them."""
    pytest.importorskip("pyarrow")
    with Duck() as duck:
        duck.define("create or replace temp macro twice(number) as 2 * number")
        (batch,) = duck.batches("select twice(21) as number")
        assert batch.to_pydict() == {"number": [42]}
        assert duck.query("select 1") == [(1,)]
