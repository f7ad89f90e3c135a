"""The report as Markdown that fits into one comment under a pull request.

Strings from the data are escaped, so that none becomes markup, a link or a mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from ragstone.gates.gate import Status
from ragstone.report import words
from ragstone.report.document.blocks import Cell
from ragstone.report.document.figures import interval, number
from ragstone.report.model import Report
from ragstone.report.text import few, said_and_line, shown

# GitHub refuses a comment of more than 65,536 characters.
LONGEST = 65_000
CELL = 120
ITEMS = 10
LIMITS = {"claim": 1000, "note": 2 * CELL, "ids": ITEMS, "rows": 100, "bar": 20}

ICON = {
    Status.PASS: "✅",
    Status.FAIL: "❌",
    Status.UNMEASURABLE: "⚠️",
    Status.NOT_TESTED: "➖",
    None: "➖",
}

# Ends a part of the comment. Nothing in the data can forge it: control characters are written out.
_CUT = "\f"

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


def render(report: Report) -> str:
    """The comment; what does not fit into one is left out from the end, and said so."""
    template = _environment().get_template("report.md.j2")
    made = template.generate(report=report, interval_name=words.interval_name(report))
    came = f" · {prose(report.provenance)}" if report.provenance else ""
    foot = f"<sub>ragstone {prose(report.version)} · digest {code(report.digest)}{came}</sub>"
    left_out = "_The rest does not fit into a comment: see the JSON or HTML report._"
    room = LONGEST - len(foot) - len(left_out)
    kept: list[str] = []
    # No more of it is made than fits.
    for part in (part.strip("\n") for part in _parts(made)):
        room -= len(part) + 2
        if room < 0:
            kept.append(left_out)
            break
        kept.append(part)
    return "\n\n".join([*kept, foot]) + "\n"


def _parts(made: Iterable[str]) -> Iterator[str]:
    """The text between two cuts, as soon as it is there."""
    begun = ""
    for piece in made:
        *parts, begun = (begun + piece).split(_CUT)
        yield from parts
    yield begun


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ragstone.report.formats"),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(words=words, icons=ICON, limits=LIMITS, cut=_CUT)
    environment.filters.update(
        number=number,
        interval=interval,
        prose=prose,
        code=code,
        tagged=tagged,
        cell=_cell,
        comment=_comment,
        few=lambda items: few(items, ITEMS),
        kind=lambda block: type(block).__name__,
        said_and_line=said_and_line,
    )
    return environment


def _cell(value: Cell) -> str:
    return prose(value) if isinstance(value, str) else number(value)


def _comment(text: str) -> str:
    """A name inside a comment of HTML, without any sign that could end it."""
    return re.sub(r"[^\w.:@ ]", "_", shown(text, CELL))


def prose(text: str, limit: int = CELL) -> str:
    """A sentence from the data, as Markdown that shows that sentence on one line.

    >>> prose("<b> a|b", 80)
    '&#60;b&#62; a&#124;b'
    >>> prose("@octocat", 80) == "@\\u200boctocat"
    True
    """
    broken = _LINKED.sub(rf"\g<0>{_BREAK}", shown(text, limit).strip())
    return _MARKUP.sub(lambda match: _references(match.group()), broken)


def code(text: str, limit: int = CELL) -> str:
    """An id or a name as code, in which GitHub neither links nor mentions.

    >>> code("p1#2", 80)
    '`p1#2`'
    >>> code("a`b|c", 80)
    '<code>a&#96;b&#124;c</code>'
    """
    plain = shown(text, limit)
    return f"`{plain}`" if _SAFE.fullmatch(plain) else tagged(text, limit)


def tagged(text: str, limit: int = CELL) -> str:
    """`code` for places where Markdown is not read, such as the summary of a fold.

    >>> tagged("a`b", 80)
    '<code>a&#96;b</code>'
    """
    return f"<code>{prose(text, limit)}</code>"


def _references(characters: str) -> str:
    return "".join(each if each.isalnum() else f"&#{ord(each)};" for each in characters)
