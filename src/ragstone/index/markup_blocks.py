"""HTML and Markdown as blocks: the text that a reader sees, without marks and navigation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html.parser import HTMLParser
from itertools import groupby

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ragstone.index.texts import WORDS, Block, Type, flowing, indented, rows

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN, _BREAKS = WORDS["hidden_tags"], WORDS["block_tags"]
_FRONT_MATTER = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)\n", re.DOTALL)
_LINE_BREAK = re.compile(r"<br\b", re.IGNORECASE)
# The parser drops what is nested deeper; its own limit of 20 is reached by ten lists in each other.
_PARSER = MarkdownIt("commonmark", {"maxNesting": 100}).enable(["table", "strikethrough"])
# What the parser of HTML looks for the end of, from each of its beginnings to the end of the page.
_ENDS = {"<!--": "-->", "<![": "]>", "<": ">"}


def read_html(text: str) -> Sequence[Block]:
    """The blocks of a page.

    >>> for b in read_html("<h1>Relay</h1><p>Sends <b>events</b>.<pre>go\\n  run</pre>"):
    ...     print(b.level, b.type, repr(b.text))
    1 prose 'Relay'
    None prose 'Sends events.'
    None code 'go\\n  run'
    """
    page = _HtmlPage()
    page.feed(_ended(text))
    page.close()
    page.flush()
    return page.blocks


def _ended(text: str) -> str:
    """The page with each beginning that has no end as the text that it is.

    >>> _ended("<p>a <!-- b --> c <!-- d</p> 1 < 2")
    '<p>a <!-- b --> c &lt;!-- d</p> 1 &lt; 2'
    """
    for beginning, end in _ENDS.items():
        at = text.rfind(end) + 1
        text = text[:at] + text[at:].replace(beginning, f"&lt;{beginning[1:]}")
    return text


class _HtmlPage(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
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


def read_markdown(text: str) -> Sequence[Block]:
    """The blocks of a page without their Markdown marks.

    >>> for b in read_markdown("# Relay\\n\\nSends *events*.\\n\\n- `a` one\\n- two\\n"):
    ...     print(b.level, b.type, repr(b.text))
    1 prose 'Relay'
    None prose 'Sends events.'
    None prose 'a one\\ntwo'
    """
    page = _MarkdownPage()
    page.read(_PARSER.parse(_FRONT_MATTER.sub("", text)))
    return page.blocks


class _MarkdownPage:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        # The source line after the prose that was added last; -1 once another block follows it.
        self._prose_end = -1

    def read(self, tokens: Sequence[Token]) -> None:
        table: list[list[str]] = []
        for position, token in enumerate(tokens):
            if token.type in ("fence", "code_block"):
                self._add(Block(indented(token.content), "code"))
            elif token.type == "html_block":
                self._add(*read_html(token.content))
            elif token.type == "tr_open":
                table.append([])
            elif token.type == "table_close":
                self._add(Block(rows("\n".join(" | ".join(cells) for cells in table)), "table"))
                table = []
            elif token.type == "inline" and table:
                table[-1].append(_shown(token.children or ()))
            elif token.type == "inline":
                self._inline(tokens[position - 1], token)

    def _inline(self, opening: Token, inline: Token) -> None:
        """A heading or a paragraph. A heading inside a list or a quote opens no section."""
        children = inline.children or []
        if opening.type == "heading_open" and opening.level == 0:
            self._add(Block(_shown(children), level=int(opening.tag[1:])))
            return
        begin, end = inline.map or (0, 0)
        for figures, lines in groupby(_lines(children), key=_is_figure):
            if figures:
                self._add(*(Block(_caption(image), "figure") for (image,) in lines))
            else:
                self._prose(" ".join(_shown(line) for line in lines), begin, end)

    def _prose(self, text: str, begin: int, end: int) -> None:
        """Prose without an empty line before it, such as a list's next item, continues a block."""
        if text and begin == self._prose_end:
            self.blocks[-1] = Block(f"{self.blocks[-1].text}\n{text}")
        elif text:
            self._add(Block(text))
        self._prose_end = end

    def _add(self, *blocks: Block) -> None:
        self.blocks.extend(blocks)
        self._prose_end = -1


def _lines(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """The tokens of each source line."""
    line: list[Token] = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            yield line
            line = []
        else:
            line.append(token)
    yield line


def _is_figure(line: Sequence[Token]) -> bool:
    """An image alone on its line; among words it is read as its description."""
    return len(line) == 1 and line[0].type == "image"


def _caption(image: Token) -> str:
    words = (_shown(image.children or ()), flowing(str(image.attrs.get("title", ""))))
    return ". ".join(part for part in words if part)


def _shown(tokens: Iterable[Token]) -> str:
    """The words of inline tokens on one line; the marks of emphasis and links hold none."""
    return flowing("".join(_word(token) for token in tokens))


def _word(token: Token) -> str:
    if token.type == "image":
        return _shown(token.children or ())
    if token.type == "html_inline":
        return " " if _LINE_BREAK.match(token.content) else ""
    return " " if token.type in ("softbreak", "hardbreak") else token.content
