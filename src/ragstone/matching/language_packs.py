"""The language packs: the words and patterns by which a claim says yes, says no, or refuses."""

from __future__ import annotations

import functools
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from ragstone.matching.characters import fold

LANGUAGES = ("en", "de", "es", "fr", "zh", "ja", "ar")
# Languages that are known by their letters; kana first, for Japanese has Chinese ones too.
_SCRIPTS = {
    "ja": re.compile("[\u3041-\u30ff]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ar": re.compile("[\u0620-\u06ff]"),
}
_WORD = re.compile(r"[^\W\d_]+")
# RE2 walks a text in one pass only while what it knows of a pattern fits into its memory.
_LONGEST_GROUP = 5_000


@dataclass(frozen=True, slots=True)
class Pack:
    """One language: words that say yes and no, and RE2 patterns of refusals, over folded text.

    `neutral` are turns of phrase that hold such a word and say neither (`not only`, `don't know`);
    `denials` stand before what a claim says is not so (`not 2023`), `denials_after` behind it.
    `asks_yes_or_no` and `asks_number` are what questions say that ask for one, `asks_otherwise`
    what those say that ask for no yes or no; `common` are words by which the language is known. A
    text without any of the `refusal_words` holds none of the `refusals`, and they are quicker to
    look for. In a pattern `{name}` stands for one of the `parts`, a space for any white space, and
    a straight apostrophe for a curly one too. `words` are the lists by which phrases and names are
    compared, each one text of words apart. `version` goes up with every change of what a pack
    decides, and is part of a report's digest.
    """

    language: str
    version: int
    yes: tuple[str, ...]
    no: tuple[str, ...]
    neutral: tuple[str, ...]
    denials: tuple[str, ...]
    denials_after: tuple[str, ...]
    refusals: tuple[str, ...]
    refusal_words: tuple[str, ...]
    asks_yes_or_no: tuple[str, ...]
    asks_number: tuple[str, ...]
    parts: Mapping[str, str]
    words: Mapping[str, str]
    asks_otherwise: tuple[str, ...] = ()
    common: tuple[str, ...] = ()

    @property
    def patterns(self) -> tuple[str, ...]:
        """The refusals as RE2 reads them."""
        return tuple(map(self.spelled_out, self.refusals))

    @property
    def any_refusal_word(self) -> str:
        """The words as one pattern."""
        return "|".join(map(self.spelled_out, self.refusal_words))

    def grouped(self) -> tuple[str, ...]:
        """The refusals as few patterns: RE2 is 80 times slower with a single one of them all."""
        groups: list[str] = []
        for pattern in self.patterns:
            if groups and len(groups[-1]) + len(pattern) < _LONGEST_GROUP:
                groups[-1] += f"|(?:{pattern})"
            else:
                groups.append(f"(?:{pattern})")
        return tuple(groups)

    def spelled_out(self, pattern: str) -> str:
        """A pattern of the file as RE2 reads it."""
        # A part may hold parts that stand above it in the file.
        for name, part in reversed(list(self.parts.items())):
            pattern = pattern.replace(f"{{{name}}}", f"(?:{part})")
        return pattern.replace(" ", r"\s+").replace("'", "['’]")


@functools.cache
def pack(language: str) -> Pack:
    """The pack of a language.

    >>> pack("en").yes[0]
    'yes'
    """
    file = resources.files(__package__).joinpath("languages", f"{language}.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    version, parts, words = table.pop("version"), table.pop("parts", {}), table.pop("words")
    lists = {name: tuple(words) for name, words in table.items()}
    return Pack(language, version, parts=parts, words=words, **lists)


def languages_of(texts: Sequence[str]) -> list[str]:
    """The languages that a tenth of the texts and more are written in, of those that have a pack.

    >>> languages_of(["Wie lange ist die Frist?", "Was kostet der Versand?", "How long is it?"])
    ['en', 'de']
    """
    counts = Counter(map(language_of, texts))
    return [each for each in LANGUAGES if counts[each] * 10 >= max(1, len(texts))]


def language_of(text: str) -> str:
    """The language of a text by its script, or by its most usual words; "" if nothing tells."""
    for language, script in _SCRIPTS.items():
        if script.search(text):
            return language
    words = Counter(_WORD.findall(fold(text)))
    hits = {
        each: sum(words[word] for word in pack(each).common)
        for each in LANGUAGES
        if each not in _SCRIPTS
    }
    best = max(hits, key=lambda each: hits[each])
    return best if hits[best] and list(hits.values()).count(hits[best]) == 1 else ""
