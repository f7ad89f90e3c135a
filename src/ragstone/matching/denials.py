"""What a claim says it is not: `not 2023 but 2024` names 2024 only."""

from __future__ import annotations

import functools
import re

from ragstone.matching.characters import LETTER, SPACELESS
from ragstone.matching.language_packs import LANGUAGES, pack

_SPACELESS = re.compile(f"[{SPACELESS}]")
_LOOK = 30
# `not in the year 2023`; but `not until 2024` and `not only 2023` deny nothing.
_BETWEEN = r"(?:\s{1,2}(?:in|on|at|for|from|the|a|year|im|am|jahr|en|el|le|la|los|les))"


def denied(text: str, begin: int, end: int) -> bool:
    """Whether the part of a claim from begin to end is what the claim says is not so.

    >>> denied("not 2023 but 2024", 4, 8), denied("not 2023 but 2024", 13, 17)
    (True, False)
    """
    before, behind = _patterns()
    if before.search(text, max(0, begin - _LOOK), begin):
        return True
    return behind.match(text, end) is not None


@functools.cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    packs = [pack(language) for language in LANGUAGES]
    words = [word for one in packs for word in one.denials]
    spaced = "|".join(re.escape(word) for word in words if not _SPACELESS.match(word))
    joined = "|".join(re.escape(word) for word in words if _SPACELESS.match(word))
    behind = "|".join(re.escape(word) for one in packs for word in one.denials_after)
    return (
        re.compile(
            rf"(?:(?<!{LETTER})(?:{spaced}){_BETWEEN}{{0,3}}\s{{1,2}}|(?:{joined})在?)[\"“$€£]?\Z",
            re.IGNORECASE,
        ),
        re.compile(rf"年?(?:{behind})"),
    )
