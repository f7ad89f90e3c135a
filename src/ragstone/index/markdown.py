"""Markdown, read for its words: headings, paragraphs, lists, code, tables and figures."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from ragstone.index.canonical import flowing, indented, rows
from ragstone.index.model import Block

_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_RULE = re.compile(r"^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_UNDER = re.compile(r"^ {0,3}(=+|-+)\s*$")
_DELIMITER = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_FIGURE = re.compile(r"^\s*!\[([^\]]*)\]\([^)]*?(?:\"([^\"]*)\")?\)\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+")
_REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*\S+")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FRONT = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)\n", re.DOTALL)


def read_markdown(text: str) -> Sequence[Block]:
    """The blocks of a page, its marks taken off.

    >>> for b in read_markdown("# Relay\\n\\nSends *events*.\\n\\n- `a` one\\n- two\\n"):
    ...     print(b.level, b.type, repr(b.text))
    1 prose 'Relay'
    None prose 'Sends events.'
    None prose 'a one\\ntwo'
    """
    return _Page(_FRONT.sub("", text)).read()


def plain(text: str) -> str:
    """Inline Markdown as a person reads it; what stands in backquotes is left as it is.

    >>> plain("See [the **guide**](g.md) and `a_*b*`, <b>now</b> &amp; \\\\*then\\\\*.")
    'See the guide and a_*b*, now & *then*.'
    """
    parts = re.split(r"(`+)(.+?)\1(?!`)", text)
    made = []
    for position in range(0, len(parts), 3):
        made.append(_unmarked(parts[position]))
        if position + 2 < len(parts):
            made.append(parts[position + 2].strip())
    return "".join(made)


def _unmarked(text: str) -> str:
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"<(https?://[^>\s]+)>", r"\1", text)
    text = re.sub(r"</?[A-Za-z][^>]*>", "", text)
    text = re.sub(r"(?<!\\)(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", text)
    text = re.sub(r"(?<![\\*])\*(?=\S)([^*]+?)(?<=\S)\*", r"\1", text)
    text = re.sub(r"(?<![\\\w])_(?=\S)([^_]+?)(?<=\S)_(?!\w)", r"\1", text)
    return html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text))


class _Page:
    """One pass over the lines; `held` are those of the paragraph or list being read."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._at = 0
        self._blocks: list[Block] = []
        self._held: list[str] = []

    def read(self) -> Sequence[Block]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not (self._code(line) or self._table(line) or self._single(line)):
                self._held.append(re.sub(r"^\s{0,3}>\s?", "", line))
                self._at += 1
        self._flush()
        return self._blocks

    def _single(self, line: str) -> bool:
        """Headings, rules, figures and empty lines: what takes one line or ends a paragraph."""
        heading, figure, under = _HEADING.match(line), _FIGURE.match(line), _UNDER.match(line)
        if under and self._held and not _ITEM.match(self._held[-1]):
            title, self._held = " ".join(self._held), []
            self._blocks.append(_heading(title, 1 if under[1][0] == "=" else 2))
        elif heading:
            self._flush()
            self._blocks.append(_heading(heading[2] or "", len(heading[1])))
        elif figure:
            self._flush()
            words = ". ".join(part for part in (figure[1], figure[2]) if part)
            self._blocks.append(Block(flowing(plain(words)), "figure"))
        elif not line.strip() or _RULE.match(line) or _REFERENCE.match(line):
            self._flush()
        else:
            return False
        self._at += 1
        return True

    def _code(self, line: str) -> bool:
        fence = _FENCE.match(line)
        if fence:
            return self._fenced(fence[1])
        if self._held or not re.match(r" {4}|\t", line) or self._in_list():
            return False
        begin = self._at
        while self._at < len(self._lines) and re.match(r" {4}|\t|\s*$", self._lines[self._at]):
            self._at += 1
        body = [re.sub(r"^(?: {4}|\t)", "", each) for each in self._lines[begin : self._at]]
        self._blocks.append(Block(indented("\n".join(body)), "code"))
        return True

    def _in_list(self) -> bool:
        """An indented line after a list belongs to its last item, and is not code."""
        above = self._at - 1
        while above >= 0 and not self._lines[above].strip():
            above -= 1
        return above >= 0 and bool(_ITEM.match(self._lines[above]))

    def _fenced(self, fence: str) -> bool:
        self._flush()
        begin = self._at + 1
        close = re.compile(rf"^\s*{re.escape(fence[0])}{{{len(fence)},}}\s*$")
        self._at = begin
        while self._at < len(self._lines) and not close.match(self._lines[self._at]):
            self._at += 1
        body = indented("\n".join(self._lines[begin : self._at]))
        self._blocks.append(Block(body, "code"))
        self._at += 1
        return True

    def _table(self, line: str) -> bool:
        below = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""
        if "|" not in line or "-" not in below or not _DELIMITER.match(below) or self._held:
            return False
        begin = self._at
        self._at += 2
        while self._at < len(self._lines) and "|" in self._lines[self._at]:
            self._at += 1
        kept = [line, *self._lines[begin + 2 : self._at]]
        self._blocks.append(Block(rows("\n".join(_row(each) for each in kept)), "table"))
        return True

    def _flush(self) -> None:
        """A list keeps a line for each item; any other paragraph flows."""
        lines, self._held = self._held, []
        text = _COMMENT.sub("", "\n".join(lines))
        items: list[str] = []
        for line in text.split("\n"):
            if _ITEM.match(line) or not items:
                items.append(_ITEM.sub("", line))
            else:
                items[-1] += " " + line
        body = "\n".join(flowing(plain(item)) for item in items)
        if body.strip():
            self._blocks.append(Block(rows(body)))


def _heading(text: str, level: int) -> Block:
    return Block(flowing(plain(text)), level=level)


def _row(line: str) -> str:
    cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return " | ".join(flowing(plain(cell.replace("\\|", "|"))) for cell in cells)
