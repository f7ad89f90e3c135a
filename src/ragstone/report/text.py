"""Makes strings from the data safe to show: what would act on the page is written out.

A claim can hold terminal escapes that repaint a screen, an override that writes the rest of a line
from right to left, or a space of no width that hides why a substring was not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_CONTROLS = "\x00-\x1f\x7f-\x9f"
# Marks, embeddings, overrides and isolates of the bidirectional algorithm.
_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# Nothing to see, yet they break a match. The two joiners stay: emoji and Persian need them.
_INVISIBLE = (
    "\u00ad\u180e\u200b\u2028\u2029\u2060-\u2064\ufeff\ufff9-\ufffb\U000e0001\U000e0020-\U000e007f"
)
_NOT_TEXT = "\ud800-\udfff\ufffe\uffff"

HIDDEN = re.compile(f"[{_CONTROLS}{_DIRECTION}{_INVISIBLE}{_NOT_TEXT}]")

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str, *, lines: bool = False) -> str:
    """Every character that acts instead of being seen, written out; `lines` keeps line and tab.

    >>> visible("red \\x1b[31m")
    'red \\\\x1b[31m'
    >>> visible("a\\u202eb\\nc")
    'a\\\\u202eb\\\\nc'
    >>> visible("a\\nb", lines=True)
    'a\\nb'
    """

    def written(match: re.Match[str]) -> str:
        character = match.group()
        if lines and character in "\n\t":
            return character
        return _SHORT.get(character) or _written(ord(character))

    return HIDDEN.sub(written, text)


def _written(code: int) -> str:
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def clip(text: str, limit: int) -> tuple[str, str]:
    """The first `limit` characters, and a note of the length where that is not all of it.

    >>> clip("abcdef", 3)
    ('abc', '… (6 characters in all)')
    >>> clip("abc", 3)
    ('abc', '')
    """
    if len(text) <= limit:
        return text, ""
    return text[:limit], f"… ({len(text):,} characters in all)"


def short(text: str, limit: int) -> str:
    """A name for a narrow place: one line of at most `limit` characters.

    >>> short("reachable@5", 6), short("cited", 6)
    ('reach…', 'cited')
    """
    plain = visible(text[: limit + 1])
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"


def shown(text: str, limit: int, *, lines: bool = False) -> str:
    """`text` as a reader may see it: cut to `limit` first, so that a huge claim costs nothing."""
    head, note = clip(text, limit)
    return visible(head, lines=lines) + note


def few(items: Iterable[str], limit: int) -> tuple[tuple[str, ...], str]:
    """The first `limit` items, and a note of how many more there are.

    >>> few(["a", "b", "c"], 2)
    (('a', 'b'), 'and 1 more')
    """
    every = tuple(items)
    rest = len(every) - limit
    return every[:limit], f"and {rest:,} more" if rest > 0 else ""


def listed(items: Iterable[str], *, limit: int, length: int, between: str = ", ") -> str:
    """A short list on one line, each item cut to `length`.

    >>> listed(["p1#1", "p1#2", "p1#3"], limit=2, length=80)
    'p1#1, p1#2 and 1 more'
    """
    head, note = few(items, limit)
    return " ".join(filter(None, (between.join(shown(item, length) for item in head), note)))


def counted(count: int, word: str) -> str:
    """
    >>> counted(1, "item"), counted(1200, "item")
    ('1 item', '1,200 items')
    """
    return f"{count:,} {word}{'' if count == 1 else 's'}"


# What stands in a warning before a line that is to be copied, and so is never cut.
WITH_LINE = "\n"


def said_and_line(warning: str) -> tuple[str, str]:
    """What a warning says, and the line that it ends with; "" where there is none.

    >>> said_and_line("write:\\nk = 5")
    ('write:', 'k = 5')
    """
    said, _, line = warning.partition(WITH_LINE)
    return said, visible(line)


def clipped_words(text: str, limit: int) -> str:
    """A text of the data in one line, of so many characters at most."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[:limit]}…"


def quoted(text: str) -> str:
    """A text of the data inside a sentence of ours, such as a warning.

    >>> quoted('so ”it” is')
    '“so "it" is”'
    """
    return f"“{text.replace('”', chr(34)).replace('“', chr(34))}”"
