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
_ADVERBS = (
    r"(?: (?:also|always|currently|even|ever|explicitly|fully|now|officially|optionally|still"
    r"|then)){0,2}"
)
_ARTICLES = (
    r"(?: (?:a|all|an|any|both|each|even|every|its|only|our|some|such|the|their|these|this|those"
    r"|your)){0,2}"
)
_BE = r"(?:is|are|was|were|(?:can|could|may|might|must|should|will|would)(?: also| now)? be)"
_ALLOWS = r"(?:(?:accept|allow|permit|support)(?:s|ed|ing)?|permitt(?:ed|ing))"
_ALLOWED = r"(?:accepted|allowed|permitted|supported)\b"
_REQUIRED = r"(?:compulsory|mandatory|necessary|needed|obligatory|required)\b"

# What a verb governs: the rest of the clause. A full stop inside "TLS 1.2" does not end it.
_OBJECT = (
    r"(?: (?:a|all|an|any|every|some|the|your))?+ (?P<object>(?:[^\n.,;:!?(]|[.,:](?=\w)){1,200}?)"
    r"(?=[.,;:!?](?!\w)|\n|$| ?\(| (?:because|but|by default|whereas|while)\b"
    r"| and (?:it |then |thus )?(?:fails|logs|raises|returns|throws|warns)\b)"
)
# What a passive sentence is about: the words from the start of the clause.
_SUBJECT = (
    r"(?:^|(?<=[,;:] ))(?:(?:a|all|an|any|every|some|the|your) )?+"
    r"(?P<object>(?!(?:neither|no|none|not)\b)[^\s,;:]++(?: [^\s,;:]++){0,7}?) "
)
# Enough of a verb to know it in another form: stor(e, es, ed, ing).
_VERB = (
    r" (?!(?:be|been|both|either|never|not|only)\b)(?P<verb>\w{2,}?)(?:ies|es|s|e|y|(?<=\w{3})ed)?"
)
_PARTICIPLE = r" (?P<verb>\w+?(?P<last>\w))(?P=last)?(?:e?d|en)(?=[.,;:!?]|$)"
_DONE = r" {verb}\w{0,4}" + _ARTICLES + r" {object}"

_REJECTS = (
    r"\b(?:(?:disallow|forbid|prohibit|reject)(?:s|ed|ing)?|refus(?:e|es|ed|ing)"
    r"|(?:(?:can|could|did|do|does|must|should|will)(?:n't| not)|cannot|never|no longer)"
    r" (?:accept|allow|permit|support|use)s?)"
    r"(?! (?:as|at|by|for|from|if|in|on|to|unless|when|with)\b)" + _OBJECT
)
_REJECTED = _SUBJECT + (
    r"(?:is|are|(?:must|shall|should|will) be)(?: always| also)?"
    r" (?:disallowed|forbidden|prohibited|refused|rejected"
    r"|(?:never|no longer|not) (?:accepted|allowed|permitted|supported))\b"
)

_LABELS = r"(?:[^\W_][\w-]*+\.(?=[^\W_]))++"
_DOMAIN = (
    r"(?:https?://|\*\.|@)?(?:www\.)?(?P<domain>" + _LABELS + r"(?P<top>[^\W\d_]{2,}+))(?![\w-])"
)
_ONLY_DOMAIN = r"\bonly(?: (?!not\b)[\w'-]++){0,4}? " + _DOMAIN
_DOMAIN_ONLY = r"(?<![\w.-])" + _DOMAIN + r"(?: domain)? only\b"
_ANY_DOMAIN = (
    r"\b(?P<mention>(?:all|another|any|arbitrary|every|other)(?: other)? domains?\b)"
    r"(?! (?:of|under|within)\b)"
)
# Last labels are listed, or file names and code ("map.put") would be domains; so are the
# two-letter ones that are mostly file names.
_OTHER_DOMAIN = (
    r"(?:(?<![\w@./-])|(?<=//)|(?<=@))(?!(?:[\w-]++\.)*{domain}(?![\w-]|\.\w))(?P<mention>"
    + _LABELS
    + r"(?:app|biz|cloud|com|dev|edu|example|gov|info|int|internal|invalid|local|mil|net|online|org"
    r"|shop|site|store|tech|test|xyz|{top}|(?!cs|db|go|gz|js|kt|md|pl|py|rb|rs|sh|so|ts)[^\W\d_]{2})"
    r"(?![\w@-]))"
)

_MUST = r"(?:must|shall|(?:is|are) required to|(?:has|have|needs?) to)"
_MUST_DO = r"\b" + _MUST + r"(?: also| always)?" + _VERB + _OBJECT
_MUST_BE = _SUBJECT + _MUST + r"(?: also| always)? be (?P<action>[^\n.,;:!?(]{1,200})"
_MUST_BE_THERE = (
    _SUBJECT
    + _MUST
    + (
        r"(?: also| always)? be (?:added|cited|given|included|present|provided|returned|set|supplied)\b"
    )
)
_NEED_NOT = (
    r"\b(?:may|might|need not|needn't|no need to|optional to"
    r"|(?:(?:are|did|do|does|is|was|were)(?:n't| not| never| no longer)|never|no longer|not)"
    r"(?: strictly)? (?:have|need|obliged|" + _REQUIRED + r") to)"
)
_OPTIONAL = r"{object}(?: (?:is|are|was|were|becomes?|remains?)" + _ADVERBS + r")? \(?optional\b"
_NOT_REQUIRED = (
    r"{object} (?:is|are|was|were)(?:n't| not| never| no longer)" + _ADVERBS + " " + _REQUIRED
)

_NEVER = r"(?:can't|cannot|may not|must not|mustn't|never|shall not)"
_NEVER_DO = r"\b" + _NEVER + r"(?: again| directly| ever)?" + _VERB + _OBJECT
_NEVER_DONE = (
    _SUBJECT + r"(?:(?:is|are) never|(?:(?:can|must|shall|should|will) )?" + _NEVER + " be)"
)
_MAY = (
    r"\b(?:can|could|may|might|(?:(?:is|are|was|were) )?(?:able|allowed|free|permitted) to"
    r"|(?:allow|permit)(?:s|ted|ed|ting|ing)?(?: [\w-]++){0,3}? to)" + _ADVERBS
)
_DOING_ALLOWED = (
    r"\b{verb}\w{0,4}" + _ARTICLES + r" {object} " + _BE + _ADVERBS
    + r" (?:acceptable|allowed|fine|ok|okay|permitted|possible)\b"
)  # fmt: skip

DEFAULT_RULES: tuple[Rule, ...] = (
    # rejects / allows, accepts, supports the same object
    *(
        Rule(locked, contradicts)
        for locked in (_REJECTS, _REJECTED)
        for contradicts in (
            r"\b" + _ALLOWS + r"(?: for)?" + _ARTICLES + r" {object}",
            r"\b" + _ALLOWS + r"(?: (?!(?:neither|no|not|nothing|only)\b)[\w-]++){1,2} (?:and|or)"
            r" {object}(?=[.,;!?)]|\n|$)",
            r"{object} " + _BE + _ADVERBS + " " + _ALLOWED,
        )
    ),
    # only domain D / any domain, another domain
    *(
        Rule(locked, contradicts)
        for locked in (_ONLY_DOMAIN, _DOMAIN_ONLY)
        for contradicts in (_ANY_DOMAIN, _OTHER_DOMAIN)
    ),
    # must / may, optional, not required
    Rule(_MUST_DO, _NEED_NOT + _ADVERBS + _DONE),
    Rule(_MUST_DO, r"{object} " + _NEED_NOT + r" be {verb}\w{0,4}"),
    Rule(_MUST_DO, _OPTIONAL),
    Rule(_MUST_DO, _NOT_REQUIRED),
    Rule(_MUST_BE, r"{object} " + _NEED_NOT + r" be {action}"),
    Rule(_MUST_BE_THERE, _OPTIONAL),
    Rule(_MUST_BE_THERE, _NOT_REQUIRED),
    # never / allowed, can, may
    Rule(_NEVER_DO, _MAY + _DONE),
    Rule(_NEVER_DO, r"\b" + _ALLOWS + r"(?: [\w-]++){0,2}?" + _DONE),
    Rule(_NEVER_DO, _DOING_ALLOWED),
    Rule(_NEVER_DO, r"{object} " + _MAY + r" be {verb}\w{0,4}"),
    Rule(_NEVER_DONE + r" (?P<action>[^\n.,;:!?(]{1,200})", r"{object} " + _MAY + r" be {action}"),
    Rule(_NEVER_DONE + _PARTICIPLE, _MAY + _DONE),
)


# What takes a statement back, wherever it stands before it in the clause ...
_NEGATOR = (
    r"\b(?:not(?! (?:just|merely|only)\b)|never|cannot|neither|nor|none|nobody|nothing|\w+n't"
    r"|(?:ca|did|do|does|is|wo)nt|(?<!with )no(?! (?:doubt|matter|problem|wonder)\b))\b"
)
# ... right before it ...
_RIGHT_BEFORE = (
    r"\b(?:(?:declin|fail|refus)(?:e|es|ed|s|ing)? to|unable to|without|instead of|rather than"
    r"|other than|except(?: for)?|excluding|besides|unlike|non|against|far from"
    r"|(?:avoid|block|disallow|drop|end|forbid|lack|prohibit|reject|remov|stop)\w*"
    r"|(?:bar|block|keep|prevent|stop)\w*(?: [\w-]+){1,3} from)"
    r"(?: (?:all|any|even|ever|the|\w{1,20}ly))?\W*$"
)
# ... and right after it ("accepting null keys is not possible").
_REFUSED = (
    r"(?:n't\b| ?not\b| never\b| no longer\b| (?:bann|block|deni|disallow|dropp|exclud|forbidden"
    r"|ignor|invalid|missing|off\b|prohibit|refus|reject|remov|unsupported)\w*)"
)
_AUXILIARY = (
    r"(?: (?:also|always|are|be|been|being|can|could|did|do|does|get|gets|has|have|is|must|now"
    r"|should|still|then|was|were|will|would))"
)
_RIGHT_AFTER = _AUXILIARY + r"{1,4}" + _REFUSED
# A mere mention, such as a domain, is also taken back by a refusal further off.
_REFUSES = (
    r"\b(?:avoid|ban|block|den[iy]|disallow|drop|except|exclud|filter|forbid|ignor|instead of"
    r"|other than|prevent|prohibit|rather than|refus|reject|unlike|without)"
)
_REFUSED_LATER = (
    r"(?:,?(?: (?:all|and|any|every|or|other))* (?:[\w-]+\.)+[\w-]+"
    r"|,? (?:which|that)| (?:addresses|domains?|except|hosts?|links?|other|requests?|than|urls?)){0,8}"
    + _AUXILIARY + r"{0,4}" + _REFUSED
)  # fmt: skip
_CLAUSE = r"[.!?;:](?=\s|$)|\n| [-–] |—|\b(?:although|because|but|though|whereas|while)\b"
_SOFT = r",| and\b| then\b"
# "does not allow a, support b, or accept c": commas part nothing, a new verb phrase does.
_NEW_PHRASE = (
    r"(?:,| and)(?= [^,]*\b(?:are|can|does|has|have|is|may|must|should|will)\b(?!n't| not))"
)
_JOINED = r"(?:,| and|\b(or))(?: also| even| then)?\s$"
_FINITE = r"[\w-]+(?:s|ed)\b|.*\b(?:are|can|could|is|may|might|must|was|were|will|would)\b"
_WINDOW = 160


@lru_cache(maxsize=1024)
def _pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compiled when first needed: most runs have no constraints, and start-up is a feature."""
    return re.compile(pattern, flags)


def _read(text: str) -> str:
    """NFC, white space single, a line feed only before a list item or a paragraph."""
    text = unicodedata.normalize("NFC", text).replace("’", "'")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    if len(lines) < 2:
        return "".join(lines)
    return _pattern(r"(?<!\n)\n(?!\n|[*•-] |\d{1,3}[.)] )").sub(" ", "\n".join(lines))


def _taken_back(text: str, found: re.Match[str]) -> bool:
    """Whether the clause around the match denies it."""
    mention = bool(found.groupdict().get("mention"))
    after = _REFUSED_LATER if mention else _RIGHT_AFTER
    if _pattern(after).match(text, found.end()):
        return True
    before = text[max(0, found.start() - _WINDOW) : found.start()]
    if ")" in before:
        before = _pattern(r"\([^()]*\) ?").sub("", before)
    before = _after_last(_CLAUSE, before)
    if _pattern(_RIGHT_BEFORE).search(before):
        return True
    denial = _REFUSES + "|" + _NEGATOR if mention else _NEGATOR
    return bool(_pattern(denial).search(before)) and bool(
        _pattern(denial).search(_same_phrase(before, found.group(), mention))
    )


def _same_phrase(before: str, said: str, mention: bool) -> str:
    """The part of a clause, before what is said, whose denial holds for what is said."""
    # "does not, however, support": what the two commas hold is an aside.
    before = _pattern(rf"({_NEGATOR}), [^,]{{1,60}},").sub(r"\1", before)
    joined = _pattern(_JOINED).search(before)
    finite = not mention and _pattern(_FINITE).match(said)
    # "does not allow a and accept b" denies both, "does not allow a and accepts b" only the first.
    listed = joined and (joined[1] or not finite)
    return _after_last(_NEW_PHRASE if listed else _SOFT, before)


def _after_last(pattern: str, text: str) -> str:
    end = 0
    for found in _pattern(pattern).finditer(text):
        end = found.end()
    return text[end:]


# An escape, a class, or what matters here: a hole, a group's ends, an alternative.
_TOKEN = r"\\.|\[\^?\]?(?:\\.|[^\\\]])*+\]|\{(?P<hole>[^\W\d]\w*)\}|[()|]"
_MARKS = r"[\"'`*“”«»]*+"


@dataclass(frozen=True, slots=True)
class _Template:
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
        if token[0] == "|" and depth == 0:
            apart = False
        if token["hole"]:
            apart = apart and depth == 0 and pattern[token.end() : token.end() + 1] not in "?*+{"
            texts.append(pattern[start : token.start()])
            holes.append(token["hole"])
            start = token.end()
    return _Template((*texts, pattern[start:]), tuple(holes), flags, apart)


class _Pair:
    """One rule, its patterns read when a constraint first asks for them."""

    def __init__(self, rule: Rule, flags: int) -> None:
        self.rule = rule
        self.flags = flags

    @cached_property
    def template(self) -> _Template:
        return _template(self.rule.contradicts, self.flags)

    def locks(self, sentence: str) -> Iterator[tuple[str, ...]]:
        """What each statement of the sentence locks: the words for the template's holes."""
        for found in _pattern(self.rule.locked, self.flags).finditer(sentence):
            words = tuple(_bare(found[name]) for name in self.template.holes)
            if (any(words) or not words) and found[0] and not _taken_back(sentence, found):
                yield words


def _bare(words: str | None) -> str:
    return (words or "").strip().rstrip(".,;:!?…\"'`*”»").lstrip("\"'`*“«").strip()


@dataclass(frozen=True, slots=True)
class _Lock:
    """What one constraint locks under one rule."""

    template: _Template
    words: tuple[str, ...]

    def broken(self, claim: str) -> Iterator[re.Match[str]]:
        """Every place where the claim says the contrary, and means it."""
        if not self.template.possible(claim, self.words):
            return
        exact = _pattern(self.template.filled(self.words), self.template.flags)
        for found in exact.finditer(claim):
            if found[0].strip() and not _taken_back(claim, found):
                yield found


class Contradictions:
    """The table, ready to be asked; it remembers what it read from the latest constraints."""

    def __init__(self, pairs: Sequence[_Pair]) -> None:
        self._pairs = tuple(pairs)
        self._locks = lru_cache(maxsize=4096)(self._locked)

    def contradiction(self, constraints: Sequence[str], claim: str) -> str | None:
        """What of the claim contradicts which constraint, as a sentence; None if nothing does."""
        shown = _read(claim)
        folded = shown.casefold()
        if len(shown) != len(folded):
            shown = folded
        for constraint in constraints:
            for lock in self._locks(constraint):
                own: set[str] | None = None
                for found in lock.broken(folded):
                    # What a constraint says itself ("only a.com and b.com") contradicts none.
                    if own is None:
                        own = {
                            own_words[0]
                            for text in constraints
                            for own_words in lock.broken(_read(text).casefold())
                        }
                    if found[0] not in own:
                        said = shown[found.start() : found.end()].strip()
                        return f'"{said}" contradicts "{" ".join(constraint.split())}"'
        return None

    def _locked(self, constraint: str) -> tuple[_Lock, ...]:
        sentences = re.split(r"(?<=[.!?;]) |\n", _read(constraint).casefold())
        return tuple(
            _Lock(pair.template, words)
            for pair in self._pairs
            for sentence in sentences
            for words in pair.locks(sentence)
        )


def compile_rules(rules: Sequence[Rule]) -> Contradictions:
    """The table of these rules; ConfigError names a rule that cannot be read, and why.

    >>> compile_rules([Rule("rejects (?P<object>.+)", "accepts {thing}")])
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: scu.rules[0].contradicts: {thing} names no group of locked, \
which has {object}
    """
    pairs = []
    own = 0
    for rule in rules:
        # The default rules are known to be good, and compiling them takes longer than a small run.
        if rule in DEFAULT_RULES:
            pairs.append(_Pair(rule, 0))
            continue
        pairs.append(_checked(rule, f"scu.rules[{own}]"))
        own += 1
    return Contradictions(pairs)


def _checked(rule: Rule, at: str) -> _Pair:
    pair = _Pair(Rule(_folded(rule.locked), _folded(rule.contradicts)), re.IGNORECASE)
    locked = _compiled(pair.rule.locked, f"{at}.locked", rule.locked)
    groups = tuple(locked.groupindex)
    for hole in pair.template.holes:
        if hole not in groups:
            known = ", ".join(f"{{{name}}}" for name in groups) or "no named group"
            raise ConfigError(
                f"{at}.contradicts: {{{hole}}} names no group of locked, which has {known}"
            )
    words = tuple("x" for _ in pair.template.holes)
    _compiled(pair.template.filled(words), f"{at}.contradicts", rule.contradicts)
    return pair


def _compiled(pattern: str, at: str, written: str) -> re.Pattern[str]:
    if not pattern.strip():
        raise ConfigError(f"{at}: expected a regular expression, found {written!r}")
    try:
        return _pattern(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigError(f"{at}: {written!r} is not a regular expression: {error}") from None


def _folded(pattern: str) -> str:
    """A pattern for folded text; ASCII is left to IGNORECASE, for folding `\\S` changes it."""
    pattern = unicodedata.normalize("NFC", pattern).replace("’", "'")
    return "".join(c if c.isascii() else c.casefold() for c in pattern)
