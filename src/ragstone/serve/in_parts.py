"""Work on many records of which one may be impossible: the others are worked on without it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from ragstone.errors import ContractError, InputError

T = TypeVar("T")
R = TypeVar("R")


def in_parts(
    take: Callable[[], Iterable[T]],
    work: Callable[[Iterable[T]], R],
    leave_out: Callable[[T], None],
) -> Iterator[R]:
    """What `work` makes of all items; where it cannot, what it makes of parts without the odd ones.

    >>> odd = []
    >>> list(in_parts(lambda: "1234x678", lambda some: [int(each) for each in some], odd.append))
    [[1, 2, 3, 4], [6], [7, 8]]
    >>> odd
    ['x']
    """
    try:
        made = work(take())
    except Exception as error:
        if _concerns_all(error):
            raise
        items = [*take()]
        if not items:
            raise
    else:
        yield made
        return
    yield from _parts(items, work, leave_out)


def _parts(
    items: Sequence[T], work: Callable[[Iterable[T]], R], leave_out: Callable[[T], None]
) -> Iterator[R]:
    """What `work` makes of items that it cannot take together."""
    if len(items) == 1:
        leave_out(items[0])
        return
    half = len(items) // 2
    for some in (items[:half], items[half:]):
        try:
            made = work(some)
        except Exception as error:
            if _concerns_all(error):
                raise
            yield from _parts(some, work, leave_out)
        else:
            yield made


def _concerns_all(error: Exception) -> bool:
    """Whether no item is to blame: the disk is full, or there is too little memory."""
    from ragstone.engine.native import duckdb

    told = isinstance(error, InputError) and not isinstance(error, ContractError)
    return told or isinstance(error, OSError | MemoryError | duckdb.IOException)
