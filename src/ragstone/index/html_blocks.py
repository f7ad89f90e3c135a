"""HTML as blocks: the text that a browser would show, without navigation."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser

from ragstone.index.canonical import flowing, indented, rows
from ragstone.index.chunk_model import Block, Type

_HIDDEN = frozenset("script style template noscript svg title nav".split())  # noqa: SIM905
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BREAKS = frozenset(
    """
    address article aside blockquote body dd details div dl dt fieldset figure footer form header
    hr main ol p section summary ul
    """.split()  # noqa: SIM905
)


def read_html(text: str) -> Sequence[Block]:
    """The blocks of a page.

    >>> for b in read_html("<h1>Relay</h1><p>Sends <b>events</b>.<pre>go\\n  run</pre>"):
    ...     print(b.level, b.type, repr(b.text))
    1 prose 'Relay'
    None prose 'Sends events.'
    None code 'go\\n  run'
    """
    page = _HtmlPage(convert_charrefs=True)
    page.feed(text)
    page.close()
    page.flush()
    return page.blocks


class _HtmlPage(HTMLParser):
    def __init__(self, *, convert_charrefs: bool = True) -> None:
        super().__init__(convert_charrefs=convert_charrefs)
        self.blocks: list[Block] = []
        self._held: list[str] = []
        self._hidden = 0
        self._type: Type = "prose"
        self._level: int | None = None
        self._tables = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        elif self._hidden:
            return
        elif tag in _HEADINGS:
            self._begin("prose", _HEADINGS[tag])
        elif tag == "pre":
            self._begin("code")
        elif tag == "figcaption":
            self._begin("figure")
        elif tag == "table":
            self._tables += 1
            self._begin("table")
        elif tag == "img":
            self._image(dict(attrs).get("alt") or "")
        else:
            self._inside(tag)

    def _inside(self, tag: str) -> None:
        """Tags that only separate text: rows, cells, items, lines, and blocks outside tables."""
        if tag in ("tr", "li", "br"):
            self._held.append("\n")
        elif tag in ("td", "th"):
            self._held.append("\t")
        elif tag in _BREAKS and not self._tables and self._type == "prose":
            self._begin("prose")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "table":
            self._tables = max(0, self._tables - 1)
            self._begin("prose")
        elif tag in _HEADINGS or tag in ("pre", "figcaption"):
            self._begin("table" if self._tables else "prose")
        elif tag in _BREAKS and not self._tables and self._type == "prose":
            self._begin("prose")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            # Outside code a line break in the source is only a space.
            self._held.append(data if self._type == "code" else data.replace("\n", " "))

    def _image(self, alt: str) -> None:
        if alt.strip() and not self._tables:
            self.flush()
            self.blocks.append(Block(flowing(alt), "figure"))

    def _begin(self, type: Type, level: int | None = None) -> None:
        self.flush()
        self._type, self._level = type, level

    def flush(self) -> None:
        text, self._held = "".join(self._held), []
        if self._type == "code":
            body = indented(text)
        elif self._type == "table":
            body = rows("\n".join(_cells(row) for row in text.split("\n")))
        else:
            body = rows(text.replace("\t", " "))
        if self._level is not None:
            body = flowing(body)
        if body.strip():
            self.blocks.append(Block(body, self._type, self._level))


def _cells(row: str) -> str:
    return " | ".join(flowing(cell) for cell in row.split("\t") if cell.strip())
