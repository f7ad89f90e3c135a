"""The language packs tell a claim that cannot answer from one that answers with a no."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from re._constants import (  # type: ignore[import-not-found]
    AT,
    AT_BOUNDARY,
    BRANCH,
    CATEGORY,
    CATEGORY_SPACE,
    IN,
    LITERAL,
    MAX_REPEAT,
    MIN_REPEAT,
    SUBPATTERN,
)
from typing import Any

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.engine.duck import Duck, quoted
from ragstone.engine.fold import install
from ragstone.matching.language_packs import LANGUAGES, pack
from ragstone.suites.answers.refusal_rules import (
    BEGINNING,
    install_refusal_rule,
    install_refusals,
)

EDGE = r"\b"
CLAIMS = tomllib.loads(Path(__file__).with_name("refusal_claims.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck() as engine:
        install(engine)
        yield engine


def fired(duck: Duck, claims: Sequence[str], *refusal: str) -> list[object]:
    """The rule that fires on each of the claims; null where none does."""
    install_refusals(duck, refusal)
    install_refusal_rule(duck, refusal)
    found = duck.query(
        """
        select
            refusal_rule(fold(claim), null) as rule,
            is_refusal(fold(claim), null) = (rule is not null) as agreed,
        from (select unnest($claims::varchar[]) as claim)
        """,
        {"claims": list(claims)},
    )
    # Rows are judged by groups of patterns, and the rule is named by single ones.
    assert all(agreed for _, agreed in found)
    return [rule for rule, _ in found]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pack_knows_refusals_and_leaves_answers_alone(duck: Duck, language: str) -> None:
    refusals, answers = CLAIMS[language]["refuses"], CLAIMS[language]["answers"]
    assert (len(refusals) >= 12, len(answers) >= 8) == (True, True)
    rules = fired(duck, [*refusals, *answers], f"@{language}")
    known, alarms = rules[: len(refusals)], rules[len(refusals) :]
    assert [claim for claim, rule in zip(refusals, known, strict=True) if rule is None] == []
    assert [pair for pair in zip(answers, alarms, strict=True) if pair[1] is not None] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pattern_is_folded_and_spelled_out(language: str) -> None:
    for written, pattern in zip(pack(language).refusals, pack(language).patterns, strict=True):
        re2.compile(pattern)
        assert re.search(r"\{[a-z]+\}", pattern) is None, written
        plain = re.sub(r"\\[A-Z]", "", pattern)
        assert plain == plain.casefold(), written


def test_only_the_beginning_of_a_claim_is_read(duck: Duck) -> None:
    near = "The limit is 5 GB. I don't know."
    far = "The limit is 5 GB. " * 20 + "I don't know."
    assert len(far) > BEGINNING
    assert fired(duck, [near, far], "@en") == [f"@en: {pack('en').refusals[0]}", None]


def test_the_first_rule_that_fires_is_named_as_it_was_written(duck: Duck) -> None:
    claims = [" Not in Context ", "Well, WHO KNOWS?", "I do not know.", "Five."]
    rules = fired(duck, claims, "Not in context", "re:Who knows", "@de", "@en")
    assert rules == ["Not in context", "re:Who knows", f"@en: {pack('en').refusals[0]}", None]


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_a_pattern_finds_holds_a_refusal_word(duck: Duck, language: str) -> None:
    words = re.compile(pack(language).any_refusal_word, re.ASCII)
    patterns = map(for_python, pack(language).patterns)
    assert [each for each in patterns if not always_holds(_parser.parse(each), words)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pack_says_what_its_patterns_say_one_by_one(duck: Duck, language: str) -> None:
    install_refusals(duck, [f"@{language}"])
    single = " or ".join(
        f"regexp_matches(left(claim, {BEGINNING}), {quoted(each)})"
        for each in pack(language).patterns
    )

    @given(st.lists(claims_of(language), min_size=1, max_size=60))
    @settings(max_examples=25, deadline=None)
    def agrees(claims: list[str]) -> None:
        found = duck.query(
            f"select claim, pack_refuses(claim), {single} "
            "from (select fold(unnest($claims::varchar[])) as claim)",
            {"claims": claims},
        )
        assert [row for row in found if row[1] != row[2]] == []

    agrees()


def for_python(pattern: str) -> str:
    """A pattern of RE2 as Python reads it, where the start and the end of a text are edges."""
    coded = re.sub(r"\\x\{([0-9a-fA-F]+)\}", lambda code: f"\\u{int(code[1], 16):04x}", pattern)
    coded = coded.replace("[:punct:]", r"!-/:-@\[-`{-~")
    return coded.replace(r"^\W*", rf"^{EDGE}").replace(r"\W*$", rf"{EDGE}$")


def claims_of(language: str) -> st.SearchStrategy[str]:
    """What a pattern finds, whole, cut short or further on in a claim, and what holds a word."""
    finds = st.sampled_from(pack(language).patterns).flatmap(
        lambda each: st.from_regex(re.compile(for_python(each), re.ASCII))
    )
    cut = st.tuples(finds, st.integers(0, 60)).map(lambda pair: pair[0][pair[1] :])
    later = st.tuples(st.integers(150, BEGINNING), finds).map(
        lambda pair: "a " * (pair[0] // 2) + pair[1]
    )
    word = st.sampled_from(pack(language).refusal_words).flatmap(
        lambda each: st.from_regex(re.compile(pack(language).spelled_out(each), re.ASCII))
    )
    return st.one_of(finds, cut, later, word)


def always_holds(parts: Sequence[tuple[Any, Any]], words: re.Pattern[str]) -> bool:
    """Whether every text that a pattern matches holds one of the words, by the pattern alone."""
    for start in range(len(parts)):
        texts = {""}
        for part in parts[start:]:
            texts = joined(texts, spellings(*part))
            if not texts:
                break
            if all(
                words.search(f"x{each}x") or words.search(f"x{each.replace('|', '')}x")
                for each in texts
            ):
                return True
    return any(has_to_hold(kind, value, words) for kind, value in parts)


def has_to_hold(kind: Any, value: Any, words: re.Pattern[str]) -> bool:
    """The same of one part of a pattern."""
    if kind is SUBPATTERN:
        return always_holds(value[3], words)
    if kind is BRANCH:
        return all(always_holds(each, words) for each in value[1])
    return kind in (MAX_REPEAT, MIN_REPEAT) and value[0] >= 1 and always_holds(value[2], words)


def spellings(kind: Any, value: Any) -> set[str]:
    """The texts that a part of a pattern can be; none where they are too many.

    White space is one blank, and `|` an edge of a word.
    """
    if kind is LITERAL:
        return {chr(value)}
    if kind is AT:
        return {"|" if value is AT_BOUNDARY else ""}
    if kind is SUBPATTERN:
        return of_all(value[3])
    if kind is BRANCH:
        each = [of_all(some) for some in value[1]]
        return set().union(*each) if all(each) else set()
    if kind is IN:
        some = [spellings(*one) for one in value]
        return set().union(*some) if all(some) else set()
    if kind is CATEGORY:
        return {" "} if value is CATEGORY_SPACE else set()
    if kind in (MAX_REPEAT, MIN_REPEAT):
        least, most, parts = value
        once = of_all(parts)
        if once == {" "} and least:
            return once
        return once | {""} if once and (least, most) == (0, 1) else set()
    return set()


def of_all(parts: Sequence[tuple[Any, Any]]) -> set[str]:
    texts = {""}
    for part in parts:
        texts = joined(texts, spellings(*part))
    return texts


def joined(some: set[str], others: set[str]) -> set[str]:
    return {a + b for a in some for b in others} if len(some) * len(others) < 3_000 else set()
