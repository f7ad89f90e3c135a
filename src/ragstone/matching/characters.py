"""Characters as matching sees them: other digits and marks, and scripts written without spaces."""

from __future__ import annotations

import unicodedata

# Thai, Lao, Myanmar, Hangul, Khmer, Hiragana, Katakana and Han: no space says where a word ends.
SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u19e0-\u19ff\u3005-\u3007\u3021-\u3029"
    "\u3038-\u303b\u3041-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\ua9e0-\ua9fe\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff"
)
# A letter that continues a word. In `1,577百万円` nothing continues the digits.
LETTER = f"(?:(?![{SPACELESS}])[^\\W\\d_])"


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
    return text.casefold() if text.isascii() else unicodedata.normalize("NFC", text).casefold()
