"""Which live questions are mirrored: a share of them, by a hash of the words.

The same question is always in or always out, in every process, on every machine and in every
version: who looks at its pairs sees all of them.
"""

from __future__ import annotations

import hashlib

from ragstone.errors import ConfigError
from ragstone.matching.combining_marks import normal

_BITS = 64


def asked_words(question: str) -> str:
    """The question without what typing it again changes: forms of characters, and blanks.

    >>> asked_words(" Is  X \\n free? ") == asked_words("Is X free?")
    True
    """
    return " ".join(normal(question).split())


def is_chosen(question: str, share: float) -> bool:
    """Whether a question is in the share; one that is in a small share is in every larger one.

    >>> [is_chosen("Is X free?", share) for share in (0.0, 0.5, 1.0)]
    [False, True, True]
    """
    words = asked_words(question).encode("utf-8", "surrogatepass")
    place = int.from_bytes(hashlib.sha256(words).digest()[: _BITS // 8], "big")
    return place < int(share * (1 << _BITS))


def checked_share(share: object) -> float:
    """A share from 0 to 1; ConfigError where it is none."""
    good = isinstance(share, int | float) and not isinstance(share, bool) and 0 <= share <= 1
    if not good:
        raise ConfigError(f"share: expected a number from 0 to 1, found {share!r}")
    return float(share)  # type: ignore[arg-type]
