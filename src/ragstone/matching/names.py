"""Names: parts in their order, with middle parts or initials left out, or the surname alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ragstone.matching.claim_reading import Claim, Match
from ragstone.matching.folded_words import FoldedWords, Token
from ragstone.matching.vocabularies import Vocabulary
from ragstone.matching.word_forms import PARENTHESES, Place, TextAnswer, judged, readings

# Parts that a claim may have more than gold between the first and the last.
_MOST_MORE = 2
# A surname of fewer letters alone is too often another word.
_SHORTEST_SURNAME = 3
# Small words inside of names.
PARTICLES = frozenset(
    """
    al af and ap ben bin da de del della den der di do dos du el ibn la le les lo of san st ten ter
    the und van vom von y zu zum zur
    """.split()  # noqa: SIM905
)
_GLUED = re.compile(r"[a-z]([A-Z][^\W\d_]+)\Z")
_BETWEEN_PARTS = frozenset(".\"“”()'’«»")


@dataclass(frozen=True)
class NameAnswer:
    """A name; `surname` says whether its last part alone is enough."""

    name: str
    surname: bool = True
    language: str = "en"

    @property
    def expected(self) -> str:
        return f"“{self.name}”"

    def match(self, claim: Claim) -> Match:
        as_it_is = TextAnswer(PARENTHESES.sub(" ", self.name).strip() or self.name, self.language)
        exact = as_it_is.match(claim)
        if exact.ok or not self._parts:
            return Match(
                exact.ok, exact.spans, self.expected, exact.found, "name" * exact.ok, exact.hedged
            )
        # Where the name itself is denied or one of two, its surname alone proves nothing.
        in_full = [*self._in_full(claim)]
        places = in_full if in_full or not self.surname else self._alone(claim)
        match = judged(claim, self.language, self.expected, places)
        return replace(match, hedged=match.hedged | exact.hedged)

    @cached_property
    def _parts(self) -> tuple[tuple[str, ...], ...]:
        """The parts of the name as it is read, the last part last; none if it is one word."""
        found = []
        for words in readings(PARENTHESES.sub(" ", self.name), self.language):
            parts = _parts_of(words.tokens, words.vocabulary)
            if len(parts) > 1 and len(parts[-1]) > 1:
                found.append(parts)
        return tuple(dict.fromkeys(found))

    def _in_full(self, claim: Claim) -> Iterator[tuple[FoldedWords, Place]]:
        for words in claim.words(self.language):
            for parts in self._parts:
                for last in words.by_letters.get(parts[-1], ()):
                    first = _first_part(words, parts, last)
                    if first is not None:
                        yield words, Place(first, last, "name")
                    elif (end := _turned_round(words, parts, last)) is not None:
                        yield words, Place(last, end, "name")

    def _alone(self, claim: Claim) -> Iterator[tuple[FoldedWords, Place]]:
        """The surname alone; nowhere if the claim has another person of that name."""
        for words in claim.words(self.language):
            for parts in self._parts:
                places = words.by_letters.get(parts[-1], ())
                if len(parts[-1]) < _SHORTEST_SURNAME:
                    continue
                if all(_stands_alone(words, parts, place) for place in places):
                    for place in places:
                        yield words, Place(place, place, "surname")


def _parts_of(tokens: Sequence[Token], words: Vocabulary) -> tuple[str, ...]:
    """`Röntgen, Dr. Wilhelm C.` as wilhelm, c, rontgen: without titles and what follows a name."""
    commas = [place for place, token in enumerate(tokens) if token.letters == ","]
    if len(commas) == 1:
        behind = [token for token in tokens[commas[0] :] if not token.is_mark]
        if any(token.letters not in words.suffixes for token in behind):
            tokens = [*behind, *tokens[: commas[0]]]
    parts: list[str] = []
    for token in tokens:
        if token.is_mark or (token.letters in words.articles and not parts):
            continue
        if token.letters in words.suffixes and len(parts) > 1:
            continue
        if token.letters in words.titles and not parts:
            continue
        # `J.G.` and `JG` are two initials
        initials = token.cased.isupper() and len(token.cased) in (2, 3) and "." in token.cased
        parts += list(token.letters) if initials else [token.letters]
    return tuple(parts)


def _first_part(words: FoldedWords, parts: Sequence[str], last: int) -> int | None:
    """Where the name begins that ends here, if it is this name."""
    before = _name_before(words, last)
    for count in range(len(before), 0, -1):
        inside = before[len(before) - count :]
        if _same(parts[0], inside[0][0]) and _fits(parts[1:-1], [part for part, _ in inside[1:]]):
            return inside[0][1]
    return None


def _name_before(words: FoldedWords, last: int) -> list[tuple[str, int]]:
    """The words of a name before a token, each with its place; joined initials are taken apart."""
    found: list[tuple[str, int]] = []
    place = last - 1
    while place >= 0 and len(found) < 8:
        token = words.tokens[place]
        if token.is_mark:
            if token.letters not in _BETWEEN_PARTS:
                break
        else:
            if not (token.is_capitalised or token.letters in PARTICLES or not words.has_case):
                # A blank is lost before a name: `isAnna Berg`.
                if glued := _GLUED.search(token.cased):
                    found.insert(0, (glued[1].casefold(), place))
                break
            letters = token.letters
            joined = len(letters) in (2, 3) and token.cased.isupper()
            pieces = list(letters) if joined and words.has_case else [letters]
            found = [(piece, place) for piece in pieces] + found
        place -= 1
    return found


def _same(part: str, other: str) -> bool:
    """Whether two parts are the same, or one is the initial of the other."""
    return part == other or (1 in (len(part), len(other)) and part[0] == other[0])


def _fits(middle: Sequence[str], here: Sequence[str]) -> bool:
    """Whether the parts between are those of gold, some left out, or at most two more."""
    fewer, more = _in_order(here, middle), _in_order(middle, here)
    return fewer or (more and len(here) - len(middle) <= _MOST_MORE)


def _in_order(some: Sequence[str], every: Sequence[str]) -> bool:
    rest = iter(every)
    return all(any(_same(one, other) for other in rest) for one in some)


def _turned_round(words: FoldedWords, parts: Sequence[str], last: int) -> int | None:
    """Where `Röntgen, Wilhelm` ends, if it is this name."""
    tokens = words.tokens
    if last + 2 >= len(tokens) or tokens[last + 1].letters != ",":
        return None
    return last + 2 if tokens[last + 2].letters == parts[0] else None


def _stands_alone(words: FoldedWords, parts: Sequence[str], place: int) -> bool:
    """Whether a surname stands without another name or initial beside it."""
    tokens, own = words.tokens, words.vocabulary
    token = tokens[place]
    if words.has_case and not token.is_capitalised:
        return False
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    belongs = own.suffixes | own.function
    if after and after.is_capitalised and after.letters not in belongs:
        return False
    if token.end < len(words.text) and words.text[token.end] in "-‐‑":
        return False
    if token.begin and words.text[token.begin - 1] in "-‐‑":
        return False
    at = place - 1
    while (
        at >= 0
        and tokens[at].is_mark
        and tokens[at].letters == "."
        and len(tokens[at - 1].letters) <= 3
    ):
        at -= 1
    if at < 0 or tokens[at].is_mark:
        return True
    before = tokens[at]
    if len(before.letters) == 1 and words.text[before.end : before.end + 1] == ".":
        return False
    if before.letters in parts or before.letters in own.function or before.letters in own.titles:
        return True
    if before.letters in PARTICLES or len(before.letters) == 1:
        return False
    return words.has_case and not any(letter.isupper() for letter in before.cased)
