"""Whether a claim contradicts a locked constraint, by the pairs of scu_rules.txt and the user's.

A pair says: where a constraint matches `locked`, a claim must not match `contradicts`. Words that
take a match back ("does not support ...") are looked for here and not in the patterns, so that the
user's own pairs are negation-aware too. Our patterns are Python's, each repetition bounded or
possessive; the user's are RE2's, so that no claim of any length can make one slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from itertools import chain
from typing import Any, NamedTuple

from ragstone.errors import ConfigError
from ragstone.matching.combining_marks import normal
from ragstone.matching.user_patterns import checked, compiled


@dataclass(frozen=True, slots=True)
class Rule:
    """A pair of regular expressions; `{name}` is the text that `(?P<name>...)` found in `locked`.

    >>> rule = Rule("rejects (?P<object>.+)", "(allows|accepts|supports) {object}")
    >>> rules = compile_rules([rule])
    >>> rules.contradiction(["X rejects null keys."], "In fact, X accepts null keys.")
    '"accepts null keys" contradicts "X rejects null keys."'
    >>> rules.contradiction(["X rejects null keys."], "X never accepts null keys.")
    """

    locked: str
    contradicts: str


Patterns = dict[str, str]
Table = list[tuple[str, tuple[str, ...], tuple[str, ...]]]


def _default_table() -> tuple[Patterns, Table]:
    """The patterns of scu_rules.txt by name, and its rules.

    It is read as plain text: loading a reader of TOML takes longer than judging a hundred answers.
    """
    lines = resources.files(__package__).joinpath("scu_rules.txt").read_text(encoding="utf-8")
    patterns: Patterns = {}
    table: Table = []
    name = ""
    for line in lines.splitlines():
        if line.startswith(" "):
            part = line.strip()[1:-1]
            patterns[name] += re.sub(r"\{([A-Z_]+)\}", lambda found: patterns[found[1]], part)
        elif ":" in line and not line.startswith("#"):
            locked, words, *contradicts = line.replace(",", "").replace(":", "").split()
            against = tuple(patterns[each] for each in contradicts)
            table.append((patterns[locked], tuple(patterns[words].split("|")), against))
        elif line and not line.startswith("#"):
            name, patterns[line] = line, ""
    return patterns, table


_PATTERNS, _TABLE = _default_table()
DEFAULT_RULES = tuple(Rule(locked, pattern) for locked, _, many in _TABLE for pattern in many)
# How far before a match a word that takes it back is looked for.
_WINDOW = 120


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> re.Pattern[str]:
    """Compiled when first needed: most runs have no constraints, and start-up is a feature."""
    return re.compile(pattern)


def _matcher(pattern: str, own: bool) -> Any:
    """A pattern of ours, or one of the user's own."""
    return compiled(pattern, any_case=True) if own else _pattern(pattern)


def _named(name: str) -> re.Pattern[str]:
    return _pattern(_PATTERNS[name])


def _read(text: str) -> str:
    """NFC, white space single, a line feed only before a list item or a paragraph."""
    text = normal(text).replace("’", "'")
    lines = "\n".join(" ".join(line.split()) for line in text.splitlines())
    return _pattern(r"(?<!\n)\n(?!\n|[*•-] |\d{1,3}[.)] )").sub(" ", lines)


class _Said(NamedTuple):
    """A match: its words, where they are, and whether it is a thing that is merely mentioned."""

    words: str
    start: int
    end: int
    mention: bool


def _said(found: Any) -> _Said:
    """A match without the characters on its two sides that a user's pattern looked at."""
    groups = found.re.groupindex
    start, end = found.span()
    # A group of an alternative that did not match begins and ends at -1.
    if _BEFORE in groups:
        start = max(start, found.end(groups[_BEFORE]))
    if _AFTER in groups and found.start(groups[_AFTER]) >= 0:
        end = found.start(groups[_AFTER])
    return _Said(found.string[start:end], start, end, "mention" in groups)


def _taken_back(text: str, found: _Said) -> bool:
    """Whether the clause around the match denies it."""
    mention = found.mention
    if _named("REFUSED_LATER" if mention else "RIGHT_AFTER").match(text, found.end):
        return True
    before = text[max(0, found.start - _WINDOW) : found.start]
    before = _named("CLAUSE").split(_pattern(r"\([^()]*\) ?").sub("", before))[-1]
    if _named("RIGHT_BEFORE").search(before):
        return True
    denial = _named("REFUSES" if mention else "NEGATOR")
    return bool(denial.search(before) and denial.search(_phrase(before, found.words, mention)))


def _phrase(before: str, said: str, mention: bool) -> str:
    """The part of a clause, before what is said, whose denial holds for what is said."""
    # "does not, however, support": what the two commas hold is an aside.
    before = _named("ASIDE").sub(r"\1", before)
    joined = _named("JOINED").search(before)
    finite = not mention and _named("FINITE").match(said)
    # "does not allow a and accept b" denies both, "does not allow a and accepts b" only the first.
    listed = joined and (joined[1] or not finite)
    return _named("LISTED_PHRASE" if listed else "PHRASE").split(before)[-1]


# An escape, a class, or what matters here: a hole, a group's ends, an alternative.
_TOKEN = r"\\.|\[\^?\]?(?:\\.|[^\\\]])*+(?:\]|\Z)|\{(?P<hole>[^\W\d]\w*)\}|[()|]"
_MARKS = r"[\"'`*“”«»]{0,3}"
# RE2 looks at no neighbour: what stands beside the words is matched in a group, and not counted.
_BEFORE, _AFTER = "ragstone_before", "ragstone_after"
_WORD = r"\pL\pN_"
_ENDS = rf"(?P<{_AFTER}>[^{_WORD}.-]|[.-](?:[^{_WORD}]|$)|$)"


class _Template(NamedTuple):
    """A contradicting pattern, split at its holes such as `{object}`."""

    texts: tuple[str, ...]
    holes: tuple[str, ...]
    own: bool
    # The texts stand side by side, so a claim that lacks one of them cannot match the whole.
    apart: bool

    def possible(self, claim: str, locked: tuple[str, ...]) -> bool:
        """Whether the exact pattern is worth building, which costs far more than a look."""
        return not self.apart or (
            all(words in claim for words in locked)
            and all(_matcher(text, self.own).search(claim) for text in self.texts if text)
        )

    def filled(self, locked: tuple[str, ...]) -> str:
        """The pattern with the locked words in its holes, as words and not as patterns."""
        built, marks = self.texts[0], _MARKS if self.own else f"{_MARKS}+"
        before = rf"(?P<{_BEFORE}>^|[^{_WORD}-])" if self.own else r"(?<![\w-])"
        for place, words in enumerate(locked):
            following = self.texts[place + 1]
            built += before if not built else ""
            built += marks + r"\s+".join(re.escape(word) for word in words.split())
            if following[:1] in ("", " ", "|"):
                built += self._end(words, last=place == len(locked) - 1 and not following) + marks
            built += following
        return f"{built}{_ENDS}" if self.own and not self.texts[-1] and locked else built

    def _end(self, words: str, last: bool) -> str:
        """That the words end here: `null keys` is not said by `null keyset` or `null keys-2`."""
        if not self.own:
            return r"(?![.-]?\w)"
        # At the end of the whole pattern _ENDS says so. RE2's \b knows the letters of ASCII alone.
        return "" if last or not re.search(r"[A-Za-z0-9_]$", words) else r"\b"


def _template(pattern: str, own: bool) -> _Template:
    texts, holes, depth, start = [], [], 0, 0
    # A back reference or an inline flag in one text may speak of another.
    apart = not re.search(r"\\[1-9]|\(\?(?!P<|[:=!<>])", pattern)
    for token in re.finditer(_TOKEN, pattern, re.DOTALL):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        apart = apart and (depth > 0 or token[0] != "|")
        if token["hole"]:
            repeated = pattern.startswith(("?", "*", "+", "{"), token.end())
            apart = apart and depth == 0 and not repeated
            texts.append(pattern[start : token.start()])
            holes.append(token["hole"])
            start = token.end()
    return _Template((*texts, pattern[start:]), tuple(holes), own, apart)


class _Lock(NamedTuple):
    """What one constraint locks under one rule: the template and the words for its holes."""

    template: _Template
    words: tuple[str, ...]

    def broken(self, claim: str) -> Iterator[_Said]:
        """Every place where the claim says the contrary, and means it."""
        if self.template.possible(claim, self.words):
            exact = _matcher(self.template.filled(self.words), self.template.own)
            for found in map(_said, exact.finditer(claim)):
                if found.words.strip() and not _taken_back(claim, found):
                    yield found


@dataclass(frozen=True)
class _Family:
    """The rules that share a locked pattern, each read when a constraint first needs it."""

    locked: str
    signs: tuple[str, ...]
    contradicts: tuple[str, ...]
    own: bool = False

    @cached_property
    def templates(self) -> tuple[_Template, ...]:
        return tuple(_template(pattern, self.own) for pattern in self.contradicts)

    def locks(self, sentence: str) -> Iterator[_Lock]:
        """What the sentence locks, if it is not taken back."""
        if not any(sign in sentence for sign in self.signs):
            return
        for found in _matcher(self.locked, self.own).finditer(sentence):
            if not found[0] or _taken_back(sentence, _said(found)):
                continue
            for template in self.templates:
                words = tuple(_bare(found[name]) for name in template.holes)
                if any(words) or not words:
                    yield _Lock(template, words)


def _bare(words: str | None) -> str:
    """Without quotation marks around it, and without the full stop of its sentence."""
    return " ".join((words or "").split()).rstrip(".,;:!?…\"'`”» ").lstrip("\"'`“« ")


class Contradictions:
    """The table, ready to be asked; it remembers what it read from the latest constraints."""

    def __init__(self, families: Sequence[_Family]) -> None:
        self._families = tuple(families)
        self._locks = lru_cache(maxsize=4096)(self._read_locks)

    def contradiction(self, constraints: Sequence[str], claim: str) -> str | None:
        """What of the claim contradicts which constraint, as a sentence; None if nothing does."""
        shown = _read(claim)
        folded = shown.casefold()
        for constraint in constraints:
            for lock in self._locks(constraint):
                found = next(_beyond(lock, constraints, folded), None)
                if found is not None:
                    # Folding may lengthen a text, and then only the folded one fits the match.
                    source = shown if len(shown) == len(folded) else folded
                    said = source[found.start : found.end].strip()
                    return f'"{said}" contradicts "{" ".join(constraint.split())}"'
        return None

    def _read_locks(self, constraint: str) -> tuple[_Lock, ...]:
        # By sentence, so that the `.+` of a user's pattern ends where the sentence does.
        sentences = re.split(r"(?<=[.!?;]) |\n", _read(constraint).casefold())
        read = (family.locks(text) for family in self._families for text in sentences if text)
        return tuple(dict.fromkeys(chain.from_iterable(read)))


def _beyond(lock: _Lock, constraints: Sequence[str], claim: str) -> Iterator[_Said]:
    """What breaks the lock, but for what a constraint says itself ("only a.com and b.com")."""
    own: set[str] | None = None
    for found in lock.broken(claim):
        if own is None:
            texts = (_read(text).casefold() for text in constraints)
            own = {said.words for text in texts for said in lock.broken(text)}
        if found.words not in own:
            yield found


def compile_rules(rules: Sequence[Rule]) -> Contradictions:
    """The table of these rules; ConfigError names a rule that cannot be read, and why.

    >>> compile_rules([Rule("rejects (?P<object>.+)", "accepts {thing}")])
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: scu.rules[0].contradicts: {thing} names no group of locked, \
which has {object}
    """
    # The default rules are known to be good; compiling them would take longer than a small run.
    asked = frozenset(rules)
    families = []
    for locked, signs, many in _TABLE:
        kept = tuple(contradicts for contradicts in many if Rule(locked, contradicts) in asked)
        families += [_Family(locked, signs, kept)] if kept else []
    own = [rule for rule in rules if rule not in DEFAULT_RULES]
    families += [_checked(rule, f"scu.rules[{place}]") for place, rule in enumerate(own)]
    return Contradictions(families)


def _checked(rule: Rule, at: str) -> _Family:
    family = _Family(_folded(rule.locked), ("",), (_folded(rule.contradicts),), own=True)
    groups = checked(family.locked, f"{at}.locked", rule.locked, any_case=True).groupindex
    template = family.templates[0]
    for hole in template.holes:
        if hole not in groups:
            has = ", ".join(f"{{{name}}}" for name in groups) or "no named group"
            raise ConfigError(
                f"{at}.contradicts: {{{hole}}} names no group of locked, which has {has}"
            )
    words = tuple("x" for _ in template.holes)
    checked(template.filled(words), f"{at}.contradicts", rule.contradicts, any_case=True)
    return family


def _folded(pattern: str) -> str:
    """A pattern for folded text; ASCII is matched in any case, for folding `\\S` changes it."""
    pattern = normal(pattern).replace("’", "'")
    return "".join(c if c.isascii() else c.casefold() for c in pattern)
