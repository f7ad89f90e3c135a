"""Jitters: small changes to the wording of a question that leave its meaning as it was.

Each jitter is a pure function of the text. `ws`, `punct` and `syn` change nothing the second time;
`order` undoes itself. No word is lost or added but for the four verbs that `syn` swaps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ragstone.contracts.toml_file import packaged
from ragstone.errors import ConfigError

Jitter = Callable[[str], str]

# An address up to the punctuation of the sentence it stands in.
_ADDRESS = r"\b(?:[A-Za-z][A-Za-z0-9+.-]{0,30}://|www\.|mailto:)\S*[^\s,:;.!?…)\]}>\"'”’]"

# A comma or colon between digits is part of a number or a time; two colons join a qualified name.
_MARKS = re.compile(
    rf"(?P<keep>{_ADDRESS}|(?<=\d)[,:](?=\d)|(?<=\w)::(?=\w))"
    r"|(?<!\s)\s*+(?P<marks>[,:](?:\s*[,:])*)\s*"
)
_QUESTION = re.compile(
    rf"(?P<keep>{_ADDRESS})|(?<!\s)\s*+(?P<mark>\?[?!]*)|(?P<dash>[\u2012-\u2015])"
)
_FINAL = re.compile(r"[.?!…。？！؟][\"'”’»)\]}]*\s*$")
_FIRST_ADDRESS = re.compile(_ADDRESS)
_WORDS = packaged("ragstone.targets", "jitters.toml")
_ASKS = re.compile(rf"\s*(?:{'|'.join(_WORDS['asking'].split())})\b", re.IGNORECASE)

_VERBS: Mapping[str, str] = _WORDS["verbs"]
# Not in code, a file name or a compound: `list(x)`, `list.txt`, `to-do-list`.
_VERB = re.compile(
    rf"(?P<keep>{_ADDRESS})|(?<![\w.\-/\\`@#$])(?P<verb>{'|'.join(_VERBS)})"
    r"(?![\w\-/\\`(\[]|\.\w|['’]\w)",
    re.IGNORECASE,
)
# After one of these, at most one word earlier, `list` and `show` are nouns: "a linked list".
_DETERMINERS = frozenset(_WORDS["determiners"].split())
_BEFORE = re.compile(r"(?:([\w'’]+)\s+)?([\w'’]+)\s+$")

# The phrases are plain ASCII, but a letter of any script before or after one makes it another word.
_PHRASE = re.compile(r"\b(?ai:with\s+citations|in\s+one\s+sentence)\b")


def none(text: str) -> str:
    """The question as it is."""
    return text


def ws(text: str) -> str:
    """Spaces around commas and colons.

    >>> ws("List a,b: see http://x.org:80/a,b at 12:30, or 1,000 times")
    'List a , b : see http://x.org:80/a,b at 12:30 , or 1,000 times'
    """

    def spaced(match: re.Match[str]) -> str:
        if match["keep"] is not None:
            return match["keep"]
        marks = "".join(match["marks"].split())
        before = " " if match.start() else ""
        after = " " if match.end() < len(text) else ""
        return f"{before}{marks}{after}"

    return _MARKS.sub(spaced, text)


def punct(text: str) -> str:
    """A space before the question mark, dashes as hyphens, and a mark at the end.

    >>> punct("What is X \u2014 in short?"), punct("Explain X"), punct("Who wrote it")
    ('What is X - in short ?', 'Explain X.', 'Who wrote it ?')
    """

    def marked(match: re.Match[str]) -> str:
        if match["keep"] is not None:
            return match["keep"]
        if match["dash"] is not None:
            return "-"
        return f" {match['mark']}" if match.start() else match["mark"]

    changed = _QUESTION.sub(marked, text)
    if not changed.strip() or _FINAL.search(changed):
        return changed
    body = changed.rstrip()
    if _ASKS.match(body):
        return f"{body} ?"
    last_word = body.split()[-1]
    address = _FIRST_ADDRESS.search(last_word)
    return f"{body} ." if address and address.end() == len(last_word) else f"{body}."


def syn(text: str) -> str:
    """Four verbs as their synonyms, in the case they were in; nouns stay.

    >>> syn("Explain X and LIST the parts; show a linked list")
    'Describe X and ENUMERATE the parts; display a linked list'
    """

    def swapped(match: re.Match[str]) -> str:
        word = match["verb"]
        other = None if word is None else _VERBS.get(word.lower())
        if word is None or other is None or _is_noun(word, text[: match.start()]):
            return match.group()
        if word.isupper():
            return other.upper()
        return other.capitalize() if word[0].isupper() else other

    return _VERB.sub(swapped, text)


def _is_noun(word: str, before: str) -> bool:
    if word.lower() not in ("list", "show"):
        return False
    found = _BEFORE.search(before[-80:])
    return found is not None and any(
        each is not None and each.lower() in _DETERMINERS for each in found.groups()
    )


def order(text: str) -> str:
    """`with citations` and `in one sentence` in each other's place, where both are there.

    >>> order("In one sentence, what is X? Answer with citations.")
    'With citations, what is X? Answer in one sentence.'
    """
    phrases = [match.group() for match in _PHRASE.finditer(text)]
    if len({phrase[0].lower() for phrase in phrases}) < 2:
        return text
    # Put back in reverse, any number of them return to their places the second time.
    given = iter(zip(phrases, reversed(phrases), strict=True))
    plain = all(phrase[1:].islower() for phrase in phrases)

    def placed(_: re.Match[str]) -> str:
        old, new = next(given)
        if not plain:
            return new
        first = new[0].upper() if old[0].isupper() else new[0].lower()
        return first + new[1:]

    return _PHRASE.sub(placed, text)


JITTERS: Mapping[str, Jitter] = {
    jitter.__name__: jitter for jitter in (none, ws, punct, syn, order)
}


def jitters_of(text: str) -> dict[str, Jitter]:
    """The jitters named in a list such as `none,ws,punct`, in that order."""
    found: dict[str, Jitter] = {}
    for name in (part.strip() for part in text.split(",")):
        if name not in JITTERS:
            there = ", ".join(JITTERS)
            raise ConfigError(f"--jitters {text!r}: there is no jitter {name!r}; there are {there}")
        found[name] = JITTERS[name]
    return found
