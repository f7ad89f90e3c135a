"""Does a claim contradict a locked constraint? The table of pairs, and how it is read.

A pair says: where a constraint matches `locked`, a claim must not match `contradicts`. Words that
take a match back ("does not support ...") are looked for here and not in the patterns, so that the
user's own pairs are negation-aware too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from ragstone.errors import ConfigError


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


# The default table. Patterns see folded text whose white space is single spaces, and a line feed
# only where a list item or a paragraph begins. Every repetition is bounded or possessive, so that
# a claim of any length is read in linear time.
_ADVERBS = r"(?: (?:also|always|currently|ever|explicitly|fully|now|optionally|still|then)){0,2}"
_ARTICLES = r"(?: (?:a|all|an|any|both|each|every|its|only|some|such|the|these|those|your)){0,2}"
_BE = r"(?:is|are|was|were|(?:can|could|may|might|must|should|will|would)(?: also| now)? be)"
_ALLOWS = r"\b(?:(?:accept|allow|permit|support)(?:s|ed|ing)?|permitt(?:ed|ing))"
_REQUIRED = r"(?:compulsory|mandatory|necessary|needed|obligatory|required)\b"
# What a verb governs: the rest of the clause. A full stop inside "TLS 1.2" does not end it.
_OBJECT = (
    r"(?: (?:a|all|an|any|every|some|the|your)\b)?+"
    r" (?P<object>(?:[^\n.,;:!?(]|[.,:](?=\w)){1,200}?)"
    r"(?=[.,;:!?](?!\w)|\n|$| ?\(| (?:because|but|by default|whereas|while)\b"
    r"| and (?:it |then |thus )?(?:fails|logs|raises|returns|throws|warns)\b)"
)
# What a passive sentence is about: the words from the start of the clause.
_SUBJECT = (
    r"(?:^|(?<=[,;:] ))(?:(?:a|all|an|any|every|some|the|your) )?+"
    r"(?P<object>(?!(?:neither|no|none|not)\b)[^\s,;:]++(?: [^\s,;:]++){0,7}?) "
)
_ACTION = r" (?P<action>[^\n.,;:!?(]{1,200})"
# Enough of a verb to know it in another form: stor(e, es, ed, ing), log(ged).
_VERB = r" (?!(?:be|been|both|never|not|only)\b)(?P<verb>\w{2,}?)(?:ies|es|s|e|y|(?<=\w{3})ed)?"
_PARTICIPLE = r" (?P<verb>\w+?(?P<last>\w))(?P=last)?(?:e?d|en)(?=[.,;:!?]|$)"
_DONE = r" {verb}\w{0,4}" + _ARTICLES + r" {object}"

_REJECTS = (
    r"\b(?:(?:disallow|forbid|prohibit|reject)(?:s|ed|ing)?|refus(?:e|es|ed|ing)"
    r"|(?:(?:can|could|did|do|does|must|should|will)(?:n't| not)|cannot|never|no longer)"
    r" (?:accept|allow|permit|support)s?|(?:must not|never) uses?)"
    r"(?! (?:as|at|by|for|from|if|in|on|to|unless|when|with)\b)" + _OBJECT
)
_REJECTED = _SUBJECT + (
    r"(?:is|are|(?:must|shall|should|will) be)(?: always| also)?"
    r" (?:disallowed|forbidden|prohibited|refused|rejected"
    r"|(?:never|no longer|not) (?:accepted|allowed|permitted|supported))\b"
)
_ACCEPTING = (
    _ALLOWS + r"(?: for)?" + _ARTICLES + r" {object}",
    _ALLOWS + r"(?: (?!(?:neither|no|not)\b)[\w-]++){1,2} (?:and|or) {object}(?=[.,;!?)]|\n|$)",
    r"{object}(?:, \w+,)? " + _BE + _ADVERBS + r" (?:accepted|allowed|permitted|supported)\b",
)

# A group named `mention` is a thing and not a statement, and is easier to take back.
_LABELS = r"(?:[^\W_][\w-]*+\.(?=[^\W_]))++"
_DOMAIN = r"(?:https?://|\*\.|@)?(?:www\.)?(?P<domain>" + _LABELS + r"(?P<top>[^\W\d_]{2,}+)\b)"
_ONLY_DOMAIN = r"\bonly(?: (?!not\b)[\w'-]++){0,4}? " + _DOMAIN
_DOMAIN_ONLY = r"(?<![\w.-])" + _DOMAIN + r"(?: domain)? only\b"
_ANY_DOMAIN = (
    r"\b(?P<mention>(?:all|another|any|arbitrary|every|other)(?: other)? domains?\b)"
    r"(?! (?:of|under|within)\b)"
)
# Last labels are listed, or code ("map.put") and file names would be domains.
_OTHER_DOMAIN = (
    r"(?:(?<![\w@./-])|(?<=//)|(?<=@))(?!(?:[\w-]++\.)*{domain}(?![\w-]|\.\w))(?P<mention>"
    + _LABELS + r"(?:{top}|(?!cs|db|go|gz|js|kt|md|pl|py|rb|rs|sh|so|ts)[^\W\d_]{2}|app|biz|cloud"
    r"|com|dev|edu|example|gov|info|int|internal|invalid|local|mil|net|online|org|shop|site|store"
    r"|tech|test|xyz)(?![\w@-]))"
)  # fmt: skip

_MUST = r"(?:must|shall|(?:is|are) required to|(?:has|have|needs?) to)(?: also| always)?"
_MUST_DO = r"\b" + _MUST + _VERB + _OBJECT
_MUST_BE = _SUBJECT + _MUST + " be" + _ACTION
_MUST_BE_THERE = _SUBJECT + _MUST + r" be (?:added|cited|given|included|present|provided)\b"
_NEED_NOT = (
    r"\b(?:may(?: or may not)?|might|need not|needn't|no need to|optional to"
    r"|(?:(?:are|did|do|does|is|was|were)(?:n't| not| never| no longer)|never|no longer|not)"
    r"(?: strictly)? (?:have|need|obliged|" + _REQUIRED + r") to)"
)
_OPTIONAL = (
    r"{object}(?: (?:is|are|was|were|becomes?|remains?)" + _ADVERBS + r")? \(?optional\b",
    r"{object} (?:is|are|was|were)(?:n't| not| never| no longer)" + _ADVERBS + " " + _REQUIRED,
)

_NEVER = r"(?:can't|cannot|may not|must not|mustn't|never|shall not)"
_NEVER_DO = r"\b" + _NEVER + r"(?: again| directly| ever)?" + _VERB + _OBJECT
_NEVER_BE = _SUBJECT + r"(?:(?:is|are) never|(?:(?:can|must|shall|should|will) )?" + _NEVER + " be)"
_MAY = (
    r"\b(?:can|could|may|might|(?:(?:is|are|was|were) )?(?:able|allowed|free|permitted) to"
    r"|(?:allow|permit)(?:s|ted|ed|ting|ing)?(?: [\w-]++){0,3}? to)" + _ADVERBS
)
_DONE_ALLOWED = r"\b" + _DONE[1:] + " " + _BE + _ADVERBS + r" (?:allowed|fine|permitted|possible)\b"

_REJECT_WORDS = ("reject", "refus", "disallow", "forbid", "prohibit", "not", "n't", "never", "no ")
_MUST_WORDS = ("must", "shall", "required", "has", "have", "need")
_NEVER_WORDS = ("never", "not", "n't")
# A locked pattern; words of which a constraint must hold one, far cheaper to look for; and what
# contradicts it.
_TABLE: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    # rejects / allows, accepts, supports the same object
    (_REJECTS, _REJECT_WORDS, _ACCEPTING),
    (_REJECTED, _REJECT_WORDS, _ACCEPTING),
    # only domain D / any domain, another domain
    (_ONLY_DOMAIN, ("only",), (_ANY_DOMAIN, _OTHER_DOMAIN)),
    (_DOMAIN_ONLY, ("only",), (_ANY_DOMAIN, _OTHER_DOMAIN)),
    # must / may, optional, not required the same action
    (_MUST_DO, _MUST_WORDS, (_NEED_NOT + _ADVERBS + _DONE, *_OPTIONAL)),
    (_MUST_DO, _MUST_WORDS, (r"{object} " + _NEED_NOT + r" be {verb}\w{0,4}",)),
    (_MUST_BE, _MUST_WORDS, (r"{object} " + _NEED_NOT + r" be {action}",)),
    (_MUST_BE_THERE, _MUST_WORDS, _OPTIONAL),
    # never / allowed, can, may do the same
    (_NEVER_DO, _NEVER_WORDS, (_MAY + _DONE, _ALLOWS + r"(?: [\w-]++){0,2}?" + _DONE)),
    (_NEVER_DO, _NEVER_WORDS, (_DONE_ALLOWED, r"{object} " + _MAY + r" be {verb}\w{0,4}")),
    (_NEVER_BE + _ACTION, _NEVER_WORDS, (r"{object} " + _MAY + r" be {action}",)),
    (_NEVER_BE + _PARTICIPLE, _NEVER_WORDS, (_MAY + _DONE,)),
)
DEFAULT_RULES = tuple(Rule(locked, pattern) for locked, _, many in _TABLE for pattern in many)

# What takes a statement back, wherever it stands before it in the clause ...
_NEGATOR = (
    r"\b(?:not(?! (?:just|merely|only)\b)|never|cannot|neither|nor|none|nobody|nothing|\w+n't"
    r"|(?:ca|did|do|does|is|wo)nt|(?<!with )no(?! (?:doubt|matter|problem|wonder)\b))\b"
)
# ... right before it ...
_RIGHT_BEFORE = (
    r"\b(?:(?:declin|fail|refus)(?:e|es|ed|s|ing)? to|unable to|without|instead of|rather than"
    r"|other than|except(?: for)?|excluding|besides|unlike|non|against|far from"
    r"|(?:avoid|block|disallow|drop|forbid|lack|prohibit|reject|stop)(?:s|p?ed|d?ing|p?ing)?"
    r"|remov(?:e|es|ed|ing)|(?:keep|prevent|stop)(?:s|p?ed|p?ing)?(?: [\w-]+){1,3} from)"
    r"(?: (?:all|any|even|ever|the|\w{1,20}ly))?\W*$"
)
# ... and right after it ("accepting null keys is not possible").
_REFUSED = (
    r"(?:n't\b| ?not\b| never\b| no longer\b| (?:bann|block|deni|disallow|dropp|exclud|fail"
    r"|forbidden|ignor|invalid|missing|off\b|prohibit|refus|reject|remov|unsupported)\w*)"
)
_AUXILIARY = r"(?: (?:also|are|be|been|can|could|do|does|has|have|is|must|was|were|will|would))"
_RIGHT_AFTER = _AUXILIARY + r"{1,4}" + _REFUSED
# A mere mention, such as a domain, is also taken back by a refusal further off.
_REFUSES = (
    r"\b(?:avoid|ban|block|den[iy]|disallow|drop|except|exclud|filter|forbid|ignor|instead of"
    r"|other than|prevent|prohibit|rather than|refus|reject|unlike|without)|" + _NEGATOR
)
_REFUSED_LATER = (
    r"(?:,?(?: (?:all|and|any|every|or|other)){0,3} (?:[\w-]++\.(?=\w))++[\w-]++|,? (?:which|that)"
    r"| (?:addresses|domains?|except|hosts?|links?|other|requests?|than|urls?)){0,8}"
    + _AUXILIARY + r"{0,4}" + _REFUSED
)  # fmt: skip
_CLAUSE = r"[.!?;:](?=\s|$)|\n| [-–] |—|\b(?:although|because|but|though|whereas|while)\b"
_PHRASE = r",| and\b| then\b"
# "does not allow a, support b, or accept c": commas part nothing, a new verb phrase does.
_LISTED_PHRASE = r"(?:,| and)(?= [^,]*\b(?:are|can|has|have|is|may|must|will)\b(?!n't| not))"
_JOINED = r"(?:,| and|\b(or))(?: also| even| then)?\s$"
_FINITE = r"[\w-]+(?:s|ed)\b|.*\b(?:are|can|could|is|may|might|must|was|were|will|would)\b"
_WINDOW = 120


@lru_cache(maxsize=1024)
def _pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compiled when first needed: most runs have no constraints, and start-up is a feature."""
    return re.compile(pattern, flags)


def _read(text: str) -> str:
    """NFC, white space single, a line feed only before a list item or a paragraph."""
    text = unicodedata.normalize("NFC", text).replace("’", "'")
    lines = "\n".join(" ".join(line.split()) for line in text.splitlines())
    return _pattern(r"(?<!\n)\n(?!\n|[*•-] |\d{1,3}[.)] )").sub(" ", lines)


def _taken_back(text: str, found: re.Match[str]) -> bool:
    """Whether the clause around the match denies it."""
    mention = "mention" in found.re.groupindex
    if _pattern(_REFUSED_LATER if mention else _RIGHT_AFTER).match(text, found.end()):
        return True
    before = text[max(0, found.start() - _WINDOW) : found.start()]
    before = _pattern(_CLAUSE).split(_pattern(r"\([^()]*\) ?").sub("", before))[-1]
    if _pattern(_RIGHT_BEFORE).search(before):
        return True
    denial = _pattern(_REFUSES if mention else _NEGATOR)
    return bool(denial.search(before) and denial.search(_phrase(before, found[0], mention)))


def _phrase(before: str, said: str, mention: bool) -> str:
    """The part of a clause, before what is said, whose denial holds for what is said."""
    # "does not, however, support": what the two commas hold is an aside.
    before = _pattern(rf"({_NEGATOR}), [^,]{{1,60}},").sub(r"\1", before)
    joined = _pattern(_JOINED).search(before)
    finite = not mention and _pattern(_FINITE).match(said)
    # "does not allow a and accept b" denies both, "does not allow a and accepts b" only the first.
    listed = joined and (joined[1] or not finite)
    return _pattern(_LISTED_PHRASE if listed else _PHRASE).split(before)[-1]


# An escape, a class, or what matters here: a hole, a group's ends, an alternative.
_TOKEN = r"\\.|\[\^?\]?(?:\\.|[^\\\]])*+\]|\{(?P<hole>[^\W\d]\w*)\}|[()|]"
_MARKS = r"[\"'`*“”«»]{0,3}+"


class _Template(NamedTuple):
    """A contradicting pattern, split at its holes such as `{object}`."""

    texts: tuple[str, ...]
    holes: tuple[str, ...]
    flags: int
    # The texts stand side by side, so a claim that lacks one of them cannot match the whole.
    apart: bool

    def possible(self, claim: str, locked: tuple[str, ...]) -> bool:
        """Whether the exact pattern is worth building, which costs far more than a look."""
        return not self.apart or (
            all(words in claim for words in locked)
            and all(_pattern(text, self.flags).search(claim) for text in self.texts if text)
        )

    def filled(self, locked: tuple[str, ...]) -> str:
        """The pattern with the locked words in its holes, as words and not as patterns."""
        built = self.texts[0]
        for place, words in enumerate(locked):
            following = self.texts[place + 1]
            built += r"(?<![\w-])" if not built else ""
            built += _MARKS + r"\s+".join(re.escape(word) for word in words.split())
            built += r"(?![.-]?\w)" + _MARKS if following[:1] in ("", " ", "|") else ""
            built += following
        return built


def _template(pattern: str, flags: int) -> _Template:
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
    return _Template((*texts, pattern[start:]), tuple(holes), flags, apart)


class _Lock(NamedTuple):
    """What one constraint locks under one rule: the template and the words for its holes."""

    template: _Template
    words: tuple[str, ...]

    def broken(self, claim: str) -> Iterator[re.Match[str]]:
        """Every place where the claim says the contrary, and means it."""
        if self.template.possible(claim, self.words):
            exact = _pattern(self.template.filled(self.words), self.template.flags)
            for found in exact.finditer(claim):
                if found[0].strip() and not _taken_back(claim, found):
                    yield found


@dataclass(frozen=True)
class _Family:
    """The rules that share a locked pattern, each read when a constraint first needs it."""

    locked: str
    signs: tuple[str, ...]
    contradicts: tuple[str, ...]
    flags: int = 0

    @cached_property
    def templates(self) -> tuple[_Template, ...]:
        return tuple(_template(pattern, self.flags) for pattern in self.contradicts)

    def locks(self, sentence: str) -> Iterator[_Lock]:
        """What the sentence locks, if it is not taken back."""
        if not any(sign in sentence for sign in self.signs):
            return
        for found in _pattern(self.locked, self.flags).finditer(sentence):
            if not found[0] or _taken_back(sentence, found):
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
                    said = source[found.start() : found.end()].strip()
                    return f'"{said}" contradicts "{" ".join(constraint.split())}"'
        return None

    def _read_locks(self, constraint: str) -> tuple[_Lock, ...]:
        # By sentence, so that the `.+` of a user's pattern ends where the sentence does.
        sentences = re.split(r"(?<=[.!?;]) |\n", _read(constraint).casefold())
        read = (family.locks(text) for family in self._families for text in sentences if text)
        return tuple(dict.fromkeys(chain.from_iterable(read)))


def _beyond(lock: _Lock, constraints: Sequence[str], claim: str) -> Iterator[re.Match[str]]:
    """What breaks the lock, but for what a constraint says itself ("only a.com and b.com")."""
    own: set[str] | None = None
    for found in lock.broken(claim):
        if own is None:
            own = {said[0] for text in constraints for said in lock.broken(_read(text).casefold())}
        if found[0] not in own:
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
    family = _Family(_folded(rule.locked), ("",), (_folded(rule.contradicts),), re.IGNORECASE)
    groups = _compiled(family.locked, f"{at}.locked", rule.locked).groupindex
    template = family.templates[0]
    for hole in template.holes:
        if hole not in groups:
            has = ", ".join(f"{{{name}}}" for name in groups) or "no named group"
            raise ConfigError(
                f"{at}.contradicts: {{{hole}}} names no group of locked, which has {has}"
            )
    words = tuple("x" for _ in template.holes)
    _compiled(template.filled(words), f"{at}.contradicts", rule.contradicts)
    return family


def _compiled(pattern: str, at: str, written: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigError(f"{at}: {written!r} is not a regular expression: {error}") from None


def _folded(pattern: str) -> str:
    """A pattern for folded text; ASCII is left to IGNORECASE, for folding `\\S` changes it."""
    pattern = unicodedata.normalize("NFC", pattern).replace("’", "'")
    return "".join(c if c.isascii() else c.casefold() for c in pattern)
