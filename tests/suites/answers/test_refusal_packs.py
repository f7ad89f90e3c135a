"""The language packs tell a claim that cannot answer from one that answers with a no."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import re2

from ragstone.engine.duck import Duck
from ragstone.engine.fold import install
from ragstone.matching.language_packs import LANGUAGES, pack
from ragstone.suites.answers.refusal_rules import BEGINNING, install_refusals

CLAIMS = tomllib.loads(Path(__file__).with_name("refusal_claims.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck() as engine:
        install(engine)
        yield engine


def fired(duck: Duck, claims: Sequence[str], *refusal: str) -> list[object]:
    """The rule that fires on each of the claims; null where none does."""
    install_refusals(duck, refusal)
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
