"""Regular expressions that users write: RE2's, which read a text of any length in linear time.

With Python's own a pattern such as `(a+)+b` would take years on a short claim, and no run could
tell a slow pattern from a large input.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ragstone.errors import ConfigError

# An escape or a class is one token, so that `\\(?=` and `[(?=]` are not taken for an operator.
_TOKEN = re.compile(
    r"(?P<back>\\[1-9]|\(\?P=)|(?P<around>\(\?<?[=!])|\\.|\[\^?\]?(?:\\.|[^\\\]])*+(?:\]|\Z)",
    re.DOTALL,
)


@lru_cache(maxsize=1024)
def compiled(pattern: str, *, any_case: bool = False) -> Any:
    """The pattern, ready to search; raises `re2.error` where RE2 cannot read it."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not any_case
    return re2.compile(pattern, options)


def checked(pattern: str, at: str, written: str = "", *, any_case: bool = False) -> Any:
    """The pattern, ready to search; ConfigError says where it stands and what RE2 does not take.

    `written` is what the user wrote, where the pattern was made of it.

    >>> checked("a(?=b)", "id_pattern")
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: id_pattern: 'a(?=b)' looks around with (?=: patterns are RE2's, \
which has no look-ahead and no look-behind
    """
    import re2

    written = written or pattern
    try:
        return compiled(pattern, any_case=any_case)
    except re2.error as error:
        raise ConfigError(f"{at}: {written!r} {_reason(written, error.args[0])}") from None
    except UnicodeEncodeError:
        raise ConfigError(f"{at}: {written!r} holds half of a surrogate pair") from None


def _reason(written: str, said: bytes) -> str:
    for token in _TOKEN.finditer(written):
        if token["around"]:
            return (
                f"looks around with {token[0]}: patterns are RE2's, "
                "which has no look-ahead and no look-behind"
            )
        if token["back"]:
            return f"refers back with {token[0]}: patterns are RE2's, which has no back-references"
    return f"is not a regular expression of RE2: {said.decode('utf-8', 'replace')}"
