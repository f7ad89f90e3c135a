"""Shows a part of the questions of both sets of rows at a time, where memory is short.

The rows are not put in the order of their parts first: they are Parquet, of which a part reads the
few columns that it needs, and reading them over and over costs less than sorting them once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragstone.engine.duck import Duck
from ragstone.progress import doing

SIDES = ("a", "b")
# Which part a question is in, as SQL; both sets of rows must say the same of it.
_HASH = "hash(qid)"
# What pairing takes of memory for each row of either side, measured and rounded up.
_ROOM = 300


def parts_for_rows(duck: Duck, memory: int) -> int:
    """Into how many parts `rows_a` and `rows_b` are divided, so that each fits into this memory."""
    if not memory:
        return 1
    rows = sum(duck.count(f"select count(*) from rows_{side}") for side in SIDES)
    return max(1, -(-_ROOM * rows // memory))


def each_part(duck: Duck, parts: int) -> Iterator[None]:
    """Shows one part after the other as `rows_a` and `rows_b`, and then all of them again."""
    if parts == 1:
        yield
        return
    with doing("comparing", parts, "parts", duck.share) as task:
        for number in _in_turn(parts):
            with task.piece():
                _show(duck, f"where {_HASH} % {parts} = {number}")
                yield
    _show(duck)


def _in_turn(parts: int) -> Sequence[int]:
    return range(parts)


def _show(duck: Duck, which: str = "") -> None:
    for side in SIDES:
        show_rows(duck, side, which)


def show_rows(duck: Duck, side: str, which: str = "") -> None:
    """Makes `rows_a` or `rows_b` of all saved rows of a side, or of some of them."""
    view = f"create or replace temp view rows_{side}"
    duck.run(f"{view} as select * from saved_{side} {which}")
