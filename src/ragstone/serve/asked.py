"""What a request asks of a page: words of its address, each with a limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.serve.page_fields import Missing

LONGEST = 500
_MOST_PAGES = 100_000


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of an address: those of its path and those behind the question mark."""

    words: Mapping[str, str]

    def text(self, name: str) -> str:
        """A word, or nothing; one that is too long is refused."""
        found = self.words.get(name, "").strip()
        if len(found) > LONGEST:
            raise Missing(400, f"{name}: expected at most {LONGEST} characters")
        return found

    def one_of(self, name: str, known: Sequence[str]) -> str:
        """A word of a list, or nothing."""
        found = self.text(name)
        if found and found not in known:
            raise Missing(400, f"{name}: expected one of {', '.join(known)}")
        return found

    def page(self) -> int:
        """The number of a page, from 1."""
        found = self.text("page") or "1"
        if not (found.isascii() and found.isdigit()) or not 1 <= int(found) <= _MOST_PAGES:
            raise Missing(400, f"page: expected a number from 1 to {_MOST_PAGES:,}")
        return int(found)


def pages_for(total: int, each: int) -> int:
    """How many pages a list takes; an empty one takes one, too.

    >>> pages_for(0, 50), pages_for(50, 50), pages_for(51, 50)
    (1, 1, 2)
    """
    return max(1, -(-total // each))
