#!/usr/bin/env python3
"""How long are the sentences of the documentation? Lists the longest, and the words to avoid.

doc_sentences.py [WORDS [FILE...]]     sentences of more than WORDS words (default: 35, all pages)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

import doc_links
from markdown_it import MarkdownIt
from markdown_it.token import Token

# More than this is not one sentence: nobody says it in one breath.
MOST_WORDS = 35
END = re.compile(r"(?<=[.!?])[\"”)*_]*\s+(?=\S)")
# An end that is none.
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|vs|etc|approx|no|Rs|resp)\.$", flags=re.IGNORECASE)
# What reads like a riddle, or like a translation, and what to write instead.
AVOID = {
    r"from which on": "write: at least",
    r"\bwherefrom\b": "write: where ... from",
    r"\bwhom\b": "write: who, or which",
    r"\bhereof\b|\bthereof\b|\btherein\b|\bthereto\b": "write: of it, in it",
    r"\blest\b": "write: so that ... not",
    r"\bin order to\b": "write: to",
    r"\butili[sz]e": "write: use",
    r"\bleverag": "write: use",
    r"\bseamless": "say what it does",
    r"\bsimply\b|\bobviously\b|\bof course\b": "leave it out",
    r"are counted and said|is counted and said": "write: are counted and reported",
    r"no reader takes": "write: that cannot be read",
    r"somebody at the door": "say what happens",
    r"hears words": "say what is compared",
    r"\bthe price of a decision\b": "say what it costs",
    r"\bis no canary\b": "say what is wrong",
    r"\bstands? and falls?\b": "say what depends on it",
}


def inline_text(token: Token) -> str:
    """The text of a paragraph, a heading or a cell; code is one word."""
    pieces = []
    for child in token.children or []:
        if child.type == "code_inline":
            pieces.append("`code`")
        elif child.type in ("softbreak", "hardbreak"):
            pieces.append(" ")
        elif child.type == "text":
            pieces.append(child.content)
    return "".join(pieces)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a Markdown text, each with the line of its paragraph.

    >>> list(sentences("One. Two `a b` three.\\n\\n| x |\\n|---|\\n| Four |"))
    [(1, 'One.'), (1, 'Two `code` three.'), (3, 'x'), (5, 'Four')]
    """
    line = 0
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.map:
            line = token.map[0] + 1
        if token.type == "inline":
            begun = ""
            for piece in END.split(inline_text(token)):
                begun = f"{begun} {piece}".strip()
                if not ABBREVIATION.search(begun):
                    yield line, begun
                    begun = ""
            if begun:
                yield line, begun


def words(sentence: str) -> int:
    """How many words a sentence has.

    >>> words("A gate (of `code`) is proven: 95 % of it, no more — or less.")
    13
    """
    return sum(any(letter.isalnum() for letter in word) for word in sentence.split())


def long_sentences(page: str, most: int = MOST_WORDS) -> list[str]:
    """The sentences of a page with more words than that, longest first."""
    text = (doc_links.PROJECT / page).read_text(encoding="utf-8")
    found = [(words(said), line, said) for line, said in sentences(text) if words(said) > most]
    return [f"{page}:{line}: {count} words: {said}" for count, line, said in sorted(found)[::-1]]


def words_to_avoid(page: str) -> list[str]:
    """The phrases of a page that have a plainer form, with it."""
    text = (doc_links.PROJECT / page).read_text(encoding="utf-8")
    return [
        f"{page}:{line}: {found[0]}: {instead}"
        for line, said in sentences(text)
        for pattern, instead in AVOID.items()
        if (found := re.search(pattern, said, flags=re.IGNORECASE))
    ]


def main(arguments: Sequence[str]) -> int:
    """List what is too long or to be avoided; exits 1 if anything is."""
    most = int(arguments[0]) if arguments else MOST_WORDS
    pages = arguments[1:] or doc_links.pages()
    found = [
        line for page in pages for line in [*long_sentences(page, most), *words_to_avoid(page)]
    ]
    print("\n".join([*found, f"pages: {len(pages)}, to look at: {len(found)}"]))
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
