"""What other tools call right: each a rule over one answer and the published answers to it."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MARKS = str.maketrans("", "", string.punctuation)

Rule = Callable[[str, Sequence[str]], bool]


def icontains(claim: str, phrases: Sequence[str]) -> bool:
    """As promptfoo and inspect have it: one of them is a part of the answer, ignoring case."""
    return any(phrase.lower() in claim.lower() for phrase in phrases)


def squad_match(claim: str, phrases: Sequence[str]) -> bool:
    """The answer is one of them, after the normalisation of SQuAD."""
    return any(_normalised(claim) == _normalised(phrase) for phrase in phrases)


def token_f1(claim: str, phrases: Sequence[str]) -> bool:
    """The tokens of one of them and of the answer agree by an F1 of at least a half."""
    return max((_f1(claim, phrase) for phrase in phrases), default=0.0) >= 0.5


def _normalised(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_MARKS)).split())


def _f1(claim: str, phrase: str) -> float:
    said, wanted = (Counter(_normalised(text).split()) for text in (claim, phrase))
    both = sum((said & wanted).values())
    return 2 * both / (sum(said.values()) + sum(wanted.values())) if both else 0.0


OTHERS: Mapping[str, Rule] = {
    "icontains": icontains,
    "SQuAD exact match": squad_match,
    "token F1 of at least 0.5": token_f1,
}
