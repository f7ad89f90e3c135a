"""Where a word stands in a text, in time that is linear in both."""

from __future__ import annotations

from collections.abc import Iterator


def occurrences(text: str, word: str) -> Iterator[int]:
    """Where a word begins in a text, also where it overlaps itself.

    >>> list(occurrences("nanana", "nana"))
    [0, 2]
    """
    at, period = text.find(word), 0
    while at >= 0:
        yield at
        end = at + len(word)
        # `find` looks at the whole word each time it is called. A word that overlaps itself by half
        # does so at one distance, and what is new there is no longer than that.
        if period and text.startswith(word[-period:], end):
            at += period
            continue
        before, at = at, text.find(word, at + 1)
        if 0 < at - before <= len(word) // 2:
            period = at - before
