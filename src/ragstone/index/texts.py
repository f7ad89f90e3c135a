"""The canonical text of a document, its sentences, and the words that it is searched by.

Offsets are counted in the canonical text, whatever the source format was. It is Unicode NFC with
line feeds, the blocks in order with an empty line between them. It holds no marks of the source
(asterisks, tags), so a phrase is found as a person reads it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ragstone.contracts.ids import slug_of
from ragstone.contracts.toml_file import packaged
from ragstone.matching.combining_marks import normal

Type = Literal["prose", "code", "table", "figure"]
NORMALIZER = "nfc-lf/1"
ANALYZER = "words/1"
_LISTS = packaged("ragstone.index", "words.toml")
WORDS = {name: frozenset(words.split()) for name, words in _LISTS.items()}
_SPACE = re.compile(r"[^\S\n]+")
# Invisible characters would break a match: controls, soft hyphens, zero-width spaces.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\xad\u200b\u200c\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph, listing, table or figure; only a heading has a level."""

    text: str
    type: Type = "prose"
    level: int | None = None


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block with the titles above it, their slugs, and its bytes in the canonical text."""

    block: Block
    slugs: tuple[str, ...]
    titles: tuple[str, ...]
    begin: int
    end: int


def unified(text: str) -> str:
    """In NFC, with line feeds for every kind of line end and without invisible characters.

    >>> unified("cafe\\u0301\\r\\nopen\\ufeff")
    'café\\nopen'
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = lines.replace("\x0c", "\n").replace("\x85", "\n").replace("\u2028", "\n")
    return _INVISIBLE.sub("", normal(lines))


def flowing(text: str) -> str:
    """Prose on one line, with single spaces."""
    return " ".join(text.split())


def rows(text: str) -> str:
    """Text that keeps its line breaks, with single spaces and no empty lines."""
    kept = (_SPACE.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in kept if line)


def indented(text: str) -> str:
    """Code with its indentation, without trailing spaces and outer empty lines."""
    return "\n".join(line.rstrip() for line in text.expandtabs(4).split("\n")).strip("\n")


def placed(blocks: Iterable[Block]) -> tuple[str, str, tuple[PlacedBlock, ...]]:
    """The title, the canonical text, and the blocks that are not headings, with their sections.

    A heading of level 1 at the very beginning is the document's title and opens no section.
    """
    text, title, offset = "", "", 0
    places: list[PlacedBlock] = []
    above: list[tuple[int, str, str]] = []
    used: Counter[tuple[str, ...]] = Counter()
    for block in blocks:
        body = block.text
        if not body.strip():
            continue
        begin = offset + (2 if text else 0)
        text += ("\n\n" if text else "") + body
        offset = begin + len(body.encode())
        if block.level is None:
            slugs = tuple(slug for _, slug, _ in above)
            titles = (title, *(heading for *_, heading in above))
            places.append(PlacedBlock(block, slugs, titles, begin, offset))
        elif begin == 0 and block.level == 1:
            title = body
        else:
            above = [each for each in above if each[0] < block.level]
            slug = slug_of(body)
            path = (*(each for _, each, _ in above), slug)
            used[path] += 1
            if used[path] > 1:
                slug += f"-{used[path]}"
            above.append((block.level, slug, body))
    return title, text, tuple(places)


def section_id(doc: str, slugs: Sequence[str]) -> str:
    """The path in the title tree, with dots between its steps as in the retrieval suite.

    >>> section_id("guide/billing.md", ["plans", "refunds"])
    'guide/billing_md.plans.refunds'
    """
    return ".".join((doc.replace(".", "_"), *slugs))


def any_of(name: str) -> str:
    """A pattern for each word of a list."""
    return "|".join(re.escape(word) for word in sorted(WORDS[name]))


_WORD = re.compile(r"\d+(?:[.,]\d+)+|\w+")
STOP = WORDS["stop"]
_END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]*+(?=\s++[\"'“‘(\[]?[^\Wa-z])|\n+")
_SHORT = re.compile(rf"(?:\b(?:{any_of('abbreviations')})|(?:^|[\s(.])[^\W\d_])\.$", re.IGNORECASE)


def terms(text: str) -> list[str]:
    """The stems of a text's words, in order and with repeats.

    >>> terms("How many retries were tried?")
    ['many', 'retry', 'try']
    """
    folded = normal(text, "NFKC").casefold()
    return [stem(word) for word in _WORD.findall(folded) if word not in STOP]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A word without English endings, by a few rough rules.

    >>> [stem(word) for word in ("deliveries", "delivered", "queue", "stopped", "class")]
    ['delivery', 'deliver', 'queu', 'stop', 'class']
    """
    if len(word) < 4 or not word.isalpha():
        return word
    for ending in ("ies", "ied"):
        if word.endswith(ending) and len(word) > 4:
            return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and re.search("[aeiouy]", root):
            word = root
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word.removesuffix("e") if len(word) > 3 else word


def sentences(text: str, type: Type = "prose") -> Iterator[tuple[int, int]]:
    """The spans of the sentences of prose, or of the lines of everything else.

    >>> text = "It waits 2.5 s, e.g. For long. Then it stops."
    >>> [text[b:e] for b, e in sentences(text)]
    ['It waits 2.5 s, e.g. For long.', 'Then it stops.']
    """
    begin = 0
    for found in re.finditer(r"\n", text) if type != "prose" else _END.finditer(text):
        if type == "prose" and _SHORT.search(
            text[max(begin, found.end() - 12) : found.end()].rstrip("\n")
        ):
            continue
        yield from _trimmed(text, begin, found.end())
        begin = found.end()
    yield from _trimmed(text, begin, len(text))


def _trimmed(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[begin:end]
    body = piece.strip()
    if body:
        start = begin + len(piece) - len(piece.lstrip())
        yield start, start + len(body)
