"""How does a string from the data stand in Markdown and stay text: no markup, link or mention?"""

from __future__ import annotations

import re

from ragstone.report.text import shown

# Numeric references cannot start markup, end a table cell or be undone by a backslash. The second
# line holds what means something at the start of a line only, the third what does so in pairs.
_MARKUP = re.compile(
    r"[\\`*\[\]<>&|~$]"
    r"|^[-+=#]|^\d{1,9}[.)](?=\s|$)"
    r"|(?<![^\W_])_|_(?![^\W_])|:(?=[\w+-]+:)"
)
# What GitHub links after rendering: mentions, issues, addresses, commit hashes.
_LINKED = re.compile(
    r"@|#(?=\d)|\bgh-(?=\d)|:(?=//)|\bwww(?=\.)|\bmailto(?=:)|\bxmpp(?=:)"
    r"|\b[0-9a-f]{6}(?=[0-9a-f]{1,34}\b)",
    re.IGNORECASE,
)
# A space of no width behind the match: the text reads the same, and no link is made of it.
_BREAK = "\u200b"

# Nothing in here means anything inside a code span, to the table around it, or to HTML.
_SAFE = re.compile(r"[\w@#./:+=(\[{,;%!?*~^$'\"-]([\w@#./:+=()\[\]{},;%!?*~^$'\" -]*[\w\])}.%!?])?")


def prose(text: str, limit: int) -> str:
    """A sentence from the data, as Markdown that shows that sentence on one line.

    >>> prose("<b> a|b", 80)
    '&#60;b&#62; a&#124;b'
    >>> prose("@octocat", 80) == "@\\u200boctocat"
    True
    """
    broken = _LINKED.sub(rf"\g<0>{_BREAK}", shown(text, limit).strip())
    return _MARKUP.sub(lambda match: _references(match.group()), broken)


def code(text: str, limit: int) -> str:
    """An id or a name as code, in which GitHub neither links nor mentions.

    >>> code("p1#2", 80)
    '`p1#2`'
    >>> code("a`b|c", 80)
    '<code>a&#96;b&#124;c</code>'
    """
    plain = shown(text, limit)
    return f"`{plain}`" if _SAFE.fullmatch(plain) else tagged(text, limit)


def tagged(text: str, limit: int) -> str:
    """`code` for places where Markdown is not read, such as the summary of a fold.

    >>> tagged("a`b", 80)
    '<code>a&#96;b</code>'
    """
    return f"<code>{prose(text, limit)}</code>"


def _references(characters: str) -> str:
    return "".join(each if each.isalnum() else f"&#{ord(each)};" for each in characters)
