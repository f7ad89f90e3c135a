"""The words of a language by which phrases and names are compared, folded as claims are."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ragstone.matching.language_packs import LANGUAGES, pack
from ragstone.matching.letters import letters_of

Words = frozenset[str]
Endings = tuple[tuple[str, str], ...]
# No word is cut to less.
_SHORTEST_STEM = 3


@dataclass(frozen=True)
class Vocabulary:
    """One language; `endings` and `stems` are pairs of an ending and what stands in its place."""

    articles: Words
    function: Words
    ands: Words
    denied_through: Words
    denials: tuple[tuple[str, ...], ...]
    helps: Words
    wrong: Words
    titles: Words
    suffixes: Words
    endings: Endings
    stems: Endings
    numbers: Mapping[str, int]
    multiples: Mapping[str, int]
    ordinals: Mapping[str, int]
    # German writes a number as one word, and English says `and` behind hundreds alone.
    joins_numbers: bool
    ands_after_hundreds: bool

    @cached_property
    def number_parts(self) -> tuple[str, ...]:
        """What a number of one word is made of, the longest first."""
        every = {*self.numbers, *self.multiples, *self.ands}
        return tuple(sorted(every, key=lambda word: (-len(word), word)))

    def begins_number(self, word: str) -> bool:
        """Whether a word may be the first of a number in words."""
        if word in self.numbers or word in self.multiples or word in self.ordinals:
            return True
        return self.joins_numbers and word.startswith(self.number_parts)

    def stem(self, word: str) -> str:
        """The word without its longest ending.

        >>> [vocabulary("en").stem(word) for word in ("dances", "danced", "dancing", "bus")]
        ['danc', 'danc', 'danc', 'bus']
        """
        for ending, other in self.stems:
            left = len(word) - len(ending)
            if left >= _SHORTEST_STEM and word.endswith(ending) and word[left - 1 : left] != ending:
                return word[:left] + other
        return word

    def numberings(self, word: str) -> tuple[str, ...]:
        """The word, and what it may be in the other number: `mirror`, `mirrors`.

        >>> vocabulary("en").numberings("city")
        ('city', 'cities', 'cityes', 'citys')
        """
        if len(word) < _SHORTEST_STEM or not word[-1].isalpha():
            return (word,)
        forms = [word]
        for ending, other in self.endings:
            if not other or word.endswith(other):
                forms.append(word.removesuffix(other) + ending)
            left = len(word) - len(ending)
            if left >= _SHORTEST_STEM and word.endswith(ending) and word[left - 1] != ending:
                forms.append(word[:left] + other)
        return tuple(dict.fromkeys(forms))


@functools.cache
def vocabulary(language: str) -> Vocabulary:
    """The lists of a pack, ready to be looked up."""
    lists = pack(language).words

    def words(name: str) -> Words:
        return frozenset(map(letters_of, lists.get(name, "").split()))

    def endings(name: str) -> Endings:
        pairs = (each.partition(":") for each in lists.get(name, "").split())
        return tuple(sorted(((old, new) for old, _, new in pairs), key=lambda one: -len(one[0])))

    def values(name: str) -> dict[str, int]:
        pairs = (each.partition(":") for each in lists.get(name, "").split())
        return {letters_of(word): int(value) for word, _, value in pairs}

    return Vocabulary(
        articles=words("articles"),
        function=words("function"),
        ands=words("and"),
        denied_through=words("denied_through"),
        denials=tuple(
            tuple(map(letters_of, turn.split())) for turn in lists.get("denials", "").split("|")
        ),
        helps=words("helps"),
        wrong=words("wrong"),
        titles=words("titles"),
        suffixes=words("suffixes"),
        endings=endings("endings"),
        stems=endings("stems"),
        numbers=values("numbers"),
        multiples=values("multiples"),
        ordinals=values("ordinals"),
        joins_numbers=language == "de",
        ands_after_hundreds=language == "en",
    )


@functools.cache
def alternatives() -> tuple[Words, Words]:
    """The words of all languages that stand between two alternatives, and before the first."""
    return tuple(  # type: ignore[return-value]
        frozenset(
            letters_of(word)
            for language in LANGUAGES
            for word in pack(language).words.get(name, "").split()
        )
        for name in ("or", "either")
    )
