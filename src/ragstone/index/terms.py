"""The words that the index searches by: lower case, without the commonest, cut to their stems."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

ANALYZER = "words/1"

_WORD = re.compile(r"\d+(?:[.,]\d+)+|\w+")
STOP = frozenset(
    """
    a about all also am an and any are as at be been being but by can could did do does doing each
    for from get had has have he her his how i if in into is it its itself may me might most much
    must my no nor not of on one only or other our out over own she should so some such than that
    the their them then there these they this those to too under up us very was we were what when
    where which while who whom whose why will with would you your
    """.split()  # noqa: SIM905
)


def terms(text: str) -> list[str]:
    """The stems of a text's words, in order and with repeats.

    >>> terms("How many retries were tried?")
    ['many', 'retry', 'try']
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [stem(word) for word in _WORD.findall(folded) if word not in STOP]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A word without English endings, by a few rough rules.

    >>> [stem(word) for word in ("deliveries", "delivered", "queue", "stopped", "class")]
    ['delivery', 'deliver', 'queu', 'stop', 'class']
    """
    if len(word) < 4 or not word.isalpha():
        return word
    for ending in ("ies", "ied"):
        if word.endswith(ending) and len(word) > 4:
            return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and re.search("[aeiouy]", root):
            word = root
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word.removesuffix("e") if len(word) > 3 else word
