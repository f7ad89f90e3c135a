"""A quick answer, in SQL, for most claims where gold expects a name or a text: yes, no, not sure.

`ragstone.matching` says what a name is. A claim in ASCII that holds the very words, and no word by
which they could be denied or one of two, holds them by any rule; one without the letters of their
last word holds them by none. Every other claim is left to `ragstone.matching`.
"""

from __future__ import annotations

import re

from ragstone.engine.duck import quoted
from ragstone.matching.language_packs import LANGUAGES, pack
from ragstone.matching.names import PARTICLES
from ragstone.matching.vocabularies import alternatives, vocabulary
from ragstone.suites.statements import sql_of

# A text ends in a word of which some letters are left in every number: `lakes`, `lake`.
_PART = "[A-Z][a-z]+"
_NAME = (
    rf'\{{ ?"name" ?: ?"{_PART}(?: {_PART}){{1,2}}[a-z]"(?: ?, ?"surname" ?: ?(?:true|false))? ?\}}'
)
_TEXT = r'"(?:[A-Za-z][a-z]+ )*[A-Za-z][a-z]{3,}"'
GOLD = rf'{_NAME}|\{{ ?"text" ?: ?{_TEXT} ?\}}|{_TEXT}'
# The surname behind a word in small letters, and before one or the end of the claim.
ALONE = r"(?:^| )[a-z]{2,} \|(?:[.,;)]*$|[.,;)]* [a-z])"


def _any_of(words: set[str]) -> str:
    return "|".join(sorted(re.escape(word) for word in words if word.isascii()))


def _other_words() -> str:
    """A pattern for words of gold that folding changes: articles, titles, numbers and the like."""
    english = vocabulary("en")
    words = {*english.function, *english.titles, *english.suffixes, *english.ands, *PARTICLES}
    words |= {*english.numbers, *english.multiples, *english.ordinals}
    return rf"\b(?i:{_any_of(words)})\b"


def _unclear() -> str:
    """A pattern for what may deny something or offer two of it."""
    denials = {word for language in LANGUAGES for word in pack(language).denials}
    english = vocabulary("en")
    denials |= {" ".join(turn) for turn in english.denials} | english.wrong
    words = {*denials, *(word for some in alternatives() for word in some)}
    return rf"(?i:n't)|[?!\x00-\x1f]|\b(?i:{_any_of(words)})\b"


def quick_words(asked: str) -> str:
    """A query for `trace_row`, `answered` and `accepted_by`, over rows as `quick_numbers` has them.

    Rows about which it is not sure are left out.
    """
    return sql_of(
        "ragstone.suites.answers",
        "quick_words.sql",
        asked=asked,
        gold=quoted(GOLD),
        other_words=quoted(_other_words()),
        unclear=quoted(_unclear()),
        alone=quoted(ALONE),
        not_alone=quoted(rf"\b(?:{_any_of({*PARTICLES} - vocabulary('en').function)}) \|"),
    )
