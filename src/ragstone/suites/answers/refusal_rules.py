"""What counts as a refusal: tokens, `re:` patterns and language packs, as macros of the engine.

The words of `refusal` are the same for every suite that judges answers, and so are these macros:

    refuses(claim, holding)    a token equals the claim, or a `re:` pattern is found in it
    pack_refuses(claim)        a pattern of a pack is found in the beginning of the claim
    is_refusal(claim, flag)    what the trace says of itself, else either of the two

All of them take the folded claim; `flag` is the trace's own word (true, false or null). Few runs
ask which rule it was, and to make that ready takes long, so it is a macro for itself:

    refusal_rule(claim, flag)  the rule as a person reads it; null where none fired
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragstone.engine.duck import Duck, quoted
from ragstone.engine.fold import folded
from ragstone.errors import ConfigError
from ragstone.gates.judge import suggestion

if TYPE_CHECKING:
    from ragstone.matching.language_packs import Pack

REFUSAL = "not in context"
# A token is looked for in every claim, and nobody refuses with a book.
LONGEST_REFUSAL = 10_000
# A claim that refuses says so at once; further on, the same words speak of something else.
BEGINNING = 200

_PATTERN, _PACK = "re:", "@"


@dataclass(frozen=True, slots=True)
class RefusalRules:
    """The words of `refusal` by their kind: tokens as written, patterns without `re:`, packs."""

    tokens: tuple[str, ...]
    patterns: tuple[str, ...]
    packs: tuple[Pack, ...]

    @property
    def versions(self) -> dict[str, int]:
        """The packs in force by their name, each with the version that a report depends on."""
        return {f"{_PACK}{each.language}": each.version for each in self.packs}


def refusal_rules(words: Sequence[str]) -> RefusalRules:
    """The rules that these words are; ConfigError says which of them is none.

    >>> refusal_rules(["not in context", "re:don.?t know", "@en"]).versions
    {'@en': 2}
    >>> refusal_rules(["@dk"])
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: refusal: there is no language pack '@dk' \
(known: @en, @de, @es, @fr, @zh, @ja, @ar); did you mean '@de'?
    """
    if not words:
        raise ConfigError("refusal: expected at least one token, none of them empty")
    longest = max(map(len, words))
    if longest > LONGEST_REFUSAL:
        raise ConfigError(
            f"refusal: a token has {longest:,} characters; {LONGEST_REFUSAL:,} are allowed"
        )
    patterns = tuple(word.removeprefix(_PATTERN) for word in words if word.startswith(_PATTERN))
    for pattern in patterns:
        _must_be_a_pattern(pattern)
    packs = tuple(_pack(word) for word in words if word.startswith(_PACK))
    tokens = tuple(word for word in words if not word.startswith((_PATTERN, _PACK)))
    return RefusalRules(tokens, patterns, packs)


def _must_be_a_pattern(pattern: str) -> None:
    from ragstone.matching.user_patterns import checked

    if not pattern:
        raise ConfigError(f"refusal: expected a pattern after {_PATTERN!r}")
    checked(pattern, "refusal", f"{_PATTERN}{pattern}", any_case=True)


def _pack(word: str) -> Pack:
    from ragstone.matching.language_packs import LANGUAGES, pack

    language = word.removeprefix(_PACK)
    if language not in LANGUAGES:
        names = [f"{_PACK}{each}" for each in LANGUAGES]
        raise ConfigError(
            f"refusal: there is no language pack {word!r} (known: {', '.join(names)})"
            f"{suggestion(word, names)}"
        )
    return pack(language)


def install_refusals(duck: Duck, words: Sequence[str]) -> None:
    """Defines the macros, and `holds_token(claim)`: a token is somewhere in the claim."""
    rules = refusal_rules(words)
    tokens = [quoted(folded(token)) for token in rules.tokens]
    holds = " or ".join(f"contains(claim, {token})" for token in tokens) or "false"
    equal = f"claim in ({', '.join(tokens)})" if tokens else "false"
    found = " or ".join(["false", *map(_found, rules.patterns)])
    for macro in (
        f"holds_token(claim) as {holds}",
        f"is_token(claim) as {equal}",
        # Stripping is costly, so only what holds the token is stripped: `holding` says whether.
        f"""refuses(claim, holding) as case
            when not holding then {found}
            when is_token(claim) then true
            when is_token(strip(claim)) then true
            else {found}
        end""",
        f"pack_refuses(claim) as {found_in_packs(rules.packs)}",
        # Beside `or`, what costs most would be looked for in every claim.
        """is_refusal(claim, flag) as coalesce(
            flag,
            case when refuses(claim, holds_token(claim)) then true else pack_refuses(claim) end
        )""",
    ):
        duck.define(f"create or replace temp macro {macro}")


def _found(pattern: str) -> str:
    return f"regexp_matches(claim, {quoted(pattern)}, 'i')"


def _packed(pattern: str) -> str:
    """That a pattern of a pack is found, as SQL; packs are written in lower case."""
    return f"regexp_matches(left(claim, {BEGINNING}), {quoted(pattern)})"


def holds_refusal_word(packs: Sequence[Pack]) -> str:
    """That the beginning of the column `claim` may be a refusal to one of the packs, as SQL."""
    return _packed("|".join(each.any_refusal_word for each in packs))


def found_in_packs(packs: Sequence[Pack]) -> str:
    """That one of the packs fires on the column `claim`, as SQL; it need not be in force.

    Most claims hold no word of a refusal, and are not compared with its patterns.
    """
    if not packs:
        return "false"
    if len(packs) == 1:
        fires = " or ".join(map(_packed, packs[0].grouped()))
    else:
        fires = " or ".join(map(found_in_packs, ([each] for each in packs)))
    return f"case when {holds_refusal_word(packs)} then {fires} else false end"


def packs_not_in_force(words: Sequence[str]) -> tuple[Pack, ...]:
    """The packs that the words of `refusal` do not name."""
    from ragstone.matching.language_packs import LANGUAGES, pack

    return tuple(pack(each) for each in LANGUAGES if f"{_PACK}{each}" not in words)


def install_refusal_rule(duck: Duck, words: Sequence[str]) -> None:
    """Defines the macro that names the first rule that fires, a pattern as the pack writes it."""
    rules = refusal_rules(words)
    cases = [("flag", "refused = true"), ("not flag", "")]
    cases += [(f"strip(claim) = {quoted(folded(token))}", token) for token in rules.tokens]
    cases += [(_found(pattern), f"{_PATTERN}{pattern}") for pattern in rules.patterns]
    cases += [
        (_packed(pattern), f"{_PACK}{each.language}: {written}")
        for each in rules.packs
        for written, pattern in zip(each.refusals, each.patterns, strict=True)
    ]
    whens = " ".join(f"when {where} then {quoted(rule)}" for where, rule in cases)
    rule = f"nullif(case {whens} end, '')"
    duck.define(f"create or replace temp macro refusal_rule(claim, flag) as {rule}")
