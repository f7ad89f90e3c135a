"""Shows a part of the questions of both sets of rows at a time, where memory is short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragstone.engine.duck import Duck

SIDES = ("a", "b")
# Which part a question is in, as SQL; both sets of rows must say the same of it.
_HASH = "hash(qid)"
_DIVIDED = "divided_"
# What pairing takes of memory for each row of either side, measured and rounded up: its numbers
# and its key are in two tables and two joins at a time. What is shown of it is not.
_ROOM = 1_000


def parts_for_rows(duck: Duck, memory: int) -> int:
    """Into how many parts `rows_a` and `rows_b` are divided, so that each fits into this memory."""
    if not memory:
        return 1
    rows = sum(duck.count(f"select count(*) from rows_{side}") for side in SIDES)
    return max(1, -(-_ROOM * rows // memory))


def divide(duck: Duck, parts: int) -> None:
    """Puts the rows in the order of their parts, once; `rows_a` and `rows_b` then read these."""
    for side in SIDES if parts > 1 else ():
        duck.tell(f"putting {side.upper()} in order")
        duck.run(f"""
            create temp table {_DIVIDED}{side} as
            select *, ({_HASH} % {parts})::uinteger as part from rows_{side} order by part
        """)
        duck.run(f"drop table if exists filled_{side}")
        _show(duck, side, "")


def each_part(duck: Duck, parts: int) -> Iterator[None]:
    """Shows one part after the other as `rows_a` and `rows_b`, and then all of them again."""
    for done, number in enumerate(_in_turn(parts), 1):
        if parts > 1:
            duck.tell(f"comparing part {done:,} of {parts:,}")
            for side in SIDES:
                _show(duck, side, f"where part = {number}")
        yield
    for side in SIDES if parts > 1 else ():
        _show(duck, side, "")


def _in_turn(parts: int) -> Sequence[int]:
    return range(parts)


def _show(duck: Duck, side: str, which: str) -> None:
    duck.run(f"""
        create or replace temp view rows_{side} as
        select * exclude (part) from {_DIVIDED}{side} {which}
    """)
