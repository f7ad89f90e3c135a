"""The quick answer about a name or a text is never another than that of `ragstone.matching`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.engine.duck import Duck, whole
from ragstone.matching.expectations import Claim, parse
from ragstone.suites.answers.quick_words import quick_words

GOLD = (
    {"name": "Anna Berger"},
    {"name": "Anna Maria Berger", "surname": False},
    {"name": "Carl Wiener"},
    {"text": "Danish kroner"},
    {"text": "deliveries"},
    "rear window",
    "Mountain lakes",
)
WORDS = (
    *("Anna", "Maria", "Berger", "BERGER", "berger", "A.", "A", "Carl", "Wiener", "wiener"),
    *("Danish", "danish", "kroner", "krone", "delivery", "deliveries", "Deliveries", "rear"),
    *("window", "windows", "rearwindow", "mountain", "Mountain", "lake", "lakes", "lakeside"),
    *(
        "not",
        "isn't",
        "or",
        "either",
        "rather than",
        "never",
        "nor",
        "is",
        "wrong",
        "the",
        "a",
        "of",
        "van",
        "de",
        "by",
        "Dr.",
    ),
    *("It", "was", "who", "x", "7", "Ä", "\n", "Street"),
)
MARKS = (" ", " ", " ", ", ", ". ", "-", "'", "'s ", ": ", "(", ") ", '"', "? ", "", "  ", ",", ".")


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as duck:
        yield duck


def quick(duck: Duck, cases: Sequence[tuple[str, object]]) -> dict[int, tuple[object, object]]:
    """What it says of each pair of claim and answer, by its place; nothing where it is not sure."""
    values = {
        "claims": [claim for claim, _ in cases],
        "gold": [json.dumps(one) for _, one in cases],
    }
    duck.run("create or replace temp table asked (trace_row bigint, claim text, gold_answer json)")
    duck.run(
        "insert into asked select unnest(range(len($claims))), unnest($claims), unnest($gold)",
        values,
    )
    return {whole(row): (ok, rule) for row, ok, rule in duck.query(quick_words("asked"))}


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, object]:
    gold = draw(st.sampled_from(GOLD))
    told = gold if isinstance(gold, str) else next(iter(gold.values()))
    words = draw(st.lists(st.sampled_from((*WORDS, str(told), str(told))), max_size=7))
    return "".join(word + draw(st.sampled_from(MARKS)) for word in words), gold


@settings(max_examples=40, deadline=None)
@given(st.lists(cases(), min_size=100, max_size=100))
def test_it_agrees_where_it_is_sure(duck: Duck, some: list[tuple[str, object]]) -> None:
    for place, (answered, rule) in quick(duck, some).items():
        claim, answer = some[place]
        match = parse(answer).match(Claim(claim))
        assert (answered, rule) == (match.ok, match.rule or None), some[place]


@pytest.mark.parametrize(
    ("claim", "answer", "expected"),
    [
        ("It was Anna Berger.", {"name": "Anna Berger"}, (True, "name")),
        ("It was done by Berger.", {"name": "Anna Berger"}, (True, "surname")),
        ("It was done by Berger.", {"name": "Anna Berger", "surname": False}, None),
        ("It was Carl Wiener.", {"name": "Anna Berger"}, (False, None)),
        ("It was Carl Berger.", {"name": "Anna Berger"}, None),
        ("It was not Anna Berger.", {"name": "Anna Berger"}, None),
        ("Anna Berger or Carl Wiener", {"name": "Anna Berger"}, None),
        ("in Danish kroner", {"text": "Danish kroner"}, (True, "text")),
        ("in Danish kroner", "Danish kroner", (True, "text")),
        ("in euros", "Danish kroner", (False, None)),
    ],
)
def test_what_most_claims_look_like(
    duck: Duck, claim: str, answer: object, expected: tuple[bool, str | None] | None
) -> None:
    assert quick(duck, [(claim, answer)]).get(0) == expected
