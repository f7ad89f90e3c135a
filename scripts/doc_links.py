"""Where do the links of the documentation lead? Its pages, their links and their anchors.

The tests use it to follow every link, and the site to turn links between files of the repository
into links between its pages. Standard library only: the site's environment has nothing of ours.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^ *(`{3,}|~{3,})")
# Code may go on in the next line of a paragraph, but not in the next row of a table.
CODE = re.compile(r"(`+)(?!`)(?:(?!\n\s*\n|\n\|).)*?(?<!`)\1(?!`)", flags=re.DOTALL)
LINK = re.compile(r"(?:\]\(|<(?:img|a)\b[^>]*?\b(?:src|href)=\")(?P<target>[^)\s\"]+)")
HEADING = re.compile(r"^#{1,6} +(?P<text>.+?) *#* *$")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page: its target as written, and where in the text the target stands."""

    target: str
    start: int
    end: int


def pages() -> list[str]:
    """The Markdown files of the project, as paths from its folder.

    >>> {"README.md", "CONTRIBUTING.md", "docs/ci.md", "examples/README.md"} <= set(pages())
    True
    """
    found = [*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md"), *PROJECT.glob("examples/*.md")]
    return sorted(path.relative_to(PROJECT).as_posix() for path in found)


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside fenced blocks, each with its number.

    >>> list(prose("a\\n```\\n# no\\n```\\nb"))
    [(1, 'a'), (5, 'b')]
    """
    closing: re.Pattern[str] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        fence = FENCE.match(line)
        if closing is None and fence is None:
            yield number, line
        elif closing is None and fence is not None:
            closing = re.compile(rf" *{fence[1]}{fence[1][0]}* *")
        elif closing is not None and closing.fullmatch(line):
            closing = None


def blank(text: str) -> str:
    """Blanks for every character, with the ends of lines where they were."""
    return re.sub(r"[^\n]", " ", text)


def without_code(text: str) -> str:
    """The text with blanks in place of code, so that all else stands where it stood.

    >>> without_code("a `b` c")
    'a     c'
    """
    kept = dict(prose(text))
    lines = text.split("\n")
    unfenced = [kept.get(number, blank(line)) for number, line in enumerate(lines, start=1)]
    return CODE.sub(lambda code: blank(code[0]), "\n".join(unfenced))


def links(text: str) -> Iterator[Link]:
    """The links and pictures of a page; what stands in code is none.

    >>> [link.target for link in links('[a](b.md#c), `[no](x)`, <img src="d.png">')]
    ['b.md#c', 'd.png']
    """
    for found in LINK.finditer(without_code(text)):
        yield Link(found["target"], *found.span("target"))


def slug(heading: str, separator: str = "-") -> str:
    """The anchor of a heading, as the usual code hosts make it.

    >>> slug("Is it *worse* than `before`?"), slug("`--map`, and [more](x.md)")
    ('is-it-worse-than-before', '--map-and-more')
    """
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    kept = re.sub(r"[^\w\- ]", "", text.replace("*", ""))
    return kept.replace(" ", separator)


def anchors(text: str) -> Counter[str]:
    """The anchors of a page's headings, and how many headings want each of them."""
    headings = (HEADING.match(line) for _, line in prose(text))
    return Counter(slug(heading["text"]) for heading in headings if heading)


def is_elsewhere(target: str) -> bool:
    """Whether a link leaves the repository."""
    return ELSEWHERE.match(target) is not None


def resolved(page: str, target: str) -> tuple[str, str]:
    """What a link of a page means: a path from the project's folder, and an anchor or nothing.

    >>> resolved("docs/ci.md", "../README.md#exit-codes"), resolved("docs/ci.md", "#shell")
    (('README.md', 'exit-codes'), ('docs/ci.md', 'shell'))
    """
    path, _, anchor = target.partition("#")
    if not path:
        return page, anchor
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path)), anchor


def problem(page: str, target: str) -> str:
    """What is wrong with a link of a page; nothing if it lands."""
    if is_elsewhere(target):
        return ""
    path, anchor = resolved(page, target)
    file = PROJECT / path
    if path.startswith("..") or not file.exists():
        return f"no file {path}"
    if not anchor:
        return ""
    wanted = anchors(file.read_text(encoding="utf-8"))[anchor] if file.suffix == ".md" else 0
    return "" if wanted == 1 else f"{wanted} headings of {path} have the anchor #{anchor}"
