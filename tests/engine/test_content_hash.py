"""Python and SQL give the same sum for the same rows, in any order and in any number of parts."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

import pytest
from against.content_oracle import content_sum_of
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from long_runs import examples

from ragstone.engine.content_hash import ContentSum, content_sum
from ragstone.engine.duck import Duck

TEXT = st.text(st.characters(exclude_categories=("Cs",)))
INTEGERS = st.integers(-(2**127), 2**127 - 1)
# All bit patterns, most of which are very large or very small.
FLOATS = st.floats() | st.binary(min_size=8, max_size=8).map(lambda raw: struct.unpack("d", raw)[0])
CELLS = {
    "varchar": TEXT,
    "hugeint": INTEGERS,
    "double": FLOATS,
    "boolean": st.booleans(),
    "varchar[]": st.lists(TEXT | st.none(), max_size=3),
    "double[]": st.lists(FLOATS, max_size=3),
}
ROW = st.tuples(*(cell | st.none() for cell in CELLS.values()))


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as opened:
        columns = ", ".join(f"c{n} {kind}" for n, kind in enumerate(CELLS))
        opened.run(f"create temp table cells ({columns})")
        yield opened


def in_sql(duck: Duck, rows: Sequence[tuple[object, ...]]) -> ContentSum:
    duck.run("delete from cells")
    for row in rows:
        names = ", ".join(f"${n}::{kind}" for n, kind in enumerate(CELLS, 1))
        duck.run(
            f"insert into cells values ({names})",
            {str(n): cell for n, cell in enumerate(row, 1)},
        )
    return content_sum(duck, "cells", ("c0", "c1", "c2", "c3", "c4", "c5"))


@settings(
    max_examples=examples(100, long=3000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rows=st.lists(ROW, max_size=4))
@example(rows=[("\x0b\x1f\x7f\u2028", -1, 1e21, True, ["a", None], [1e20, 1e-6, 1e-7, -0.0])])
def test_python_and_sql_agree(duck: Duck, rows: list[tuple[object, ...]]) -> None:
    assert in_sql(duck, rows) == content_sum_of(rows)


@settings(max_examples=examples(500, long=20_000), deadline=None)
@given(value=FLOATS)
def test_every_float_is_spelled_alike(duck: Duck, value: float) -> None:
    assert content_sum(duck, "(select $x::double as x)".replace("$x", f"'{value!r}'"), ("x",)) == (
        content_sum_of([(value,)])
    )


def test_parts_add_up_and_order_changes_nothing(duck: Duck) -> None:
    rows = [("a", 1, *[None] * 4), ("b", 2, *[None] * 4), ("c", *[None] * 5)]
    whole = in_sql(duck, rows)
    assert in_sql(duck, rows[:1]) + in_sql(duck, rows[1:]) == whole
    assert in_sql(duck, rows[::-1]) == whole
    assert whole + ContentSum() == whole
    assert in_sql(duck, [*rows, rows[0]]) != whole


def test_a_rare_column_counts_where_it_has_a_value_and_parts_still_add_up(duck: Duck) -> None:
    def of(*rows: str) -> ContentSum:
        table = f"(values {', '.join(rows)}) as t(a, b, c)"
        return content_sum(duck, table, ("a",), ("b", "c"))

    plain, flagged = "('A1', null::boolean, null::int)", "('A1', true, null::int)"
    assert of(plain) == content_sum_of([("A1",)]) == content_sum(duck, "(select 'A1' as a)", ["a"])
    assert of(plain) + of(flagged) == of(flagged, plain)
    different = {of(plain), of(flagged), of("('A1', false, null::int)"), of("('A1', null, 1)")}
    assert len(different) == 4


def test_the_finished_hash_never_changes() -> None:
    """Digests in reports of earlier versions contain it."""
    with Duck() as duck:
        table = "(values ('A1', true, ['p1#1']), ('A2', false, []::varchar[])) as t(a, b, c)"
        found = content_sum(duck, table, ("a", "b", "c")).finish()
    assert found == "56f371887ecb13063eb4cbf69cab3e6ffc8a02674c820c0013be437690d25e33"
