"""Characters as matching sees them: other digits and marks, and scripts written without spaces."""

from __future__ import annotations

import unicodedata

from ragstone.matching.combining_marks import normal

# Classes are the inside of [...], for Python's regular expressions and for RE2 alike. They are
# written out, because what a script or a digit is differs between versions of Unicode.
# In these scripts no space says where a word ends.
SPACELESS = (
    "\u0e01-\u0e5b"  # Thai
    "\u0e81-\u0edf"  # Lao
    "\u1000-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17f9"  # Khmer
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"  # Hangul
    "\u3041-\u30ff\u31f0-\u31ff"  # Hiragana and Katakana
    "\uff66-\uffdc"  # Katakana and Hangul of half width
    "\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"  # Han
)
_ZEROS = (
    "0٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰０"
    "\U000104a0\U00010d30\U00011066\U000110f0\U00011136\U000111d0\U000112f0\U00011450\U000114d0"
    "\U00011650\U000116c0\U00011730\U000118e0\U00011950\U00011c50\U00011d50\U00011da0\U00016a60"
    "\U00016ac0\U00016b50\U0001d7ce\U0001d7d8\U0001d7e2\U0001d7ec\U0001d7f6\U0001e140\U0001e2f0"
    "\U0001e950\U0001fbf0"
)
# The decimal digits of every script that Unicode had by 2021.
DIGITS = "".join(f"{zero}-{chr(ord(zero) + 9)}" for zero in _ZEROS)
# A letter that continues a word: nothing continues the digits of `1,577百万円`. It has no case
# here, as Python would look for the other case of every character of Han when it compiles.
LETTER = f"(?-i:(?![{SPACELESS}])[^\\W\\d_])"


class _OneForOne(dict[int, int]):
    """Other digits and marks become those of ASCII, filled as characters are met."""

    def __missing__(self, code: int) -> int:
        digit = unicodedata.decimal(chr(code), None)
        self[code] = code if digit is None else ord("0") + digit
        return self[code]


_ONE_FOR_ONE = _OneForOne(
    {
        **dict(
            zip(map(ord, "．，％（）＋＄￥￡＃／：［］"), map(ord, ".,%()+$¥£#/:[]"), strict=True)
        ),
        **dict.fromkeys(map(ord, "－−‐‑‒–﹣"), ord("-")),
        **dict.fromkeys(map(ord, "\u2007\u2009\u202f"), 0xA0),
        **dict.fromkeys(map(ord, "’ʼ＇"), ord("'")),
    }
)


def plain(text: str) -> str:
    """The text with full-width and other digits and marks as ASCII has them, place for place.

    >>> plain("−１，５７７．５")
    '-1,577.5'
    """
    return text if text.isascii() else text.translate(_ONE_FOR_ONE)


def fold(text: str) -> str:
    """The text as comparisons see it: composed, and without case.

    >>> fold("STRASSE") == fold("Straße")
    True
    """
    return normal(text).casefold()


def folded_text(text: str) -> str:
    """The text folded, with one blank between its words: what the same question is known by.

    >>> folded_text("  What IS\\n x? ") == folded_text("what is x?")
    True
    """
    return " ".join(fold(text).split())
