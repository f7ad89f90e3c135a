"""The quick answer about a number is never another than that of `ragstone.matching`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.engine.duck import Duck, whole
from ragstone.matching.expectations import Claim, parse
from ragstone.suites.answers.quick_numbers import install, quick_numbers

UNITS = (None, "USD", "USD million", "USD billions", "thousand", "%", "EUR", "days")
NUMBERS = st.one_of(
    st.integers(-20, 2500).map(str),
    st.decimals(-5000, 5000, places=2).map(str),
    st.integers(0, 10**7).map(lambda n: f"{n / 100:.2f}"),
)
SPELLINGS = (
    "{0}",
    "{0:,}",
    "${0:,}",
    "{0:,.1f}",
    "{0:.3f}",
    "({0:,})",
    "-{0}",
    "{0} %",
    "US${0:,}",
)
SPELLINGS += (
    "{0:,} million",
    "${0} billion",
    "{0} thousand",
    "{0}m",
    "USD {0}",
    "{0} days",
    "No. {0}",
)
SPELLINGS += (
    "{0}-{0}",
    "p{0}",
    "{0}st",
    "{0}. ",
    "{0}, ",
    "May {0}",
    "{0} in 2018",
    "{0}/{0}",
    "[{0}]",
)
SPELLINGS += (
    "({0:,.2f})",
    "({0:,.2f}) before tax",
    "({0:,.1f}), ",
    "({0:,.1f}) million",
    "({0}) %",
    "({0:,.2f}%)",
    "(${0:,})",
    "$({0:,.2f})",
    "({0:,} million)",
    "{0} ({0:,.2f})",
    "not ({0:,.2f})",
    "-({0:,.2f})",
)
WORDS = (
    "not",
    "over",
    "more than",
    "twenty-five",
    "million",
    "drei",
    "Not in the year",
    "rather than",
    "nicht",
    "no en el",
    "was",
    "is about",
    "million",
    "in",
    "the",
    "a",
    "(",
    ")",
    ".",
    ",",
    "-",
    "$",
    "1.",
    "2018",
    "\n",
)


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as duck:
        install(duck)
        yield duck


def quick(duck: Duck, cases: Sequence[tuple[str, object]]) -> dict[int, object]:
    """What it says of each pair of claim and answer, by its place; nothing where it is not sure."""
    claims = [claim for claim, _ in cases]
    answers = [json.dumps(answer) for _, answer in cases]
    duck.run("create or replace temp table asked (trace_row bigint, claim text, gold_answer json)")
    duck.run(
        "insert into asked select unnest(range(len($claims))), unnest($claims), unnest($answers)",
        {"claims": claims, "answers": answers},
    )
    found = duck.query(quick_numbers("asked"))
    return {whole(row): answered for row, answered, _ in found}


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    gold = draw(NUMBERS)
    unit = draw(st.sampled_from(UNITS))
    answer: dict[str, object] = {"number": gold} | ({"unit": unit} if unit else {})
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        near = float(gold) * draw(st.sampled_from((1, 1, 1, 1000, 0.001, 1.001, 10)))
        shift = draw(st.sampled_from((0, 0, 0.05, 0.005, 0.5, 1)))
        value = round(abs(near) + shift, draw(st.integers(0, 3)))
        number = int(value) if value.is_integer() and draw(st.booleans()) else value
        parts += [draw(st.sampled_from(WORDS)), draw(st.sampled_from(SPELLINGS)).format(number)]
    return draw(st.sampled_from((" ", "", "  "))).join(parts), answer


@settings(max_examples=15, deadline=None)
@given(st.lists(cases(), min_size=100, max_size=100))
def test_it_agrees_where_it_is_sure(duck: Duck, some: list[tuple[str, dict[str, object]]]) -> None:
    for place, answered in quick(duck, some).items():
        claim, answer = some[place]
        assert answered is parse(answer).match(Claim(claim)).ok, some[place]


@pytest.mark.parametrize(
    ("claim", "answer", "expected"),
    [
        (
            "Revenue was $1,577.00 million in 2018.",
            {"number": "1577.00", "unit": "USD million"},
            True,
        ),
        ("Revenue was $1,577 million, up from $1,204 million.", {"number": 1577}, True),
        ("It is 1.577 billion.", {"number": 1577, "unit": "USD million"}, True),
        ("It is 1,577.", {"unit": "USD million", "number": "1577.00"}, True),
        ("It is $21,577 million.", {"number": "1577.00", "unit": "USD million"}, False),
        ("It is not known.", {"number": 3}, False),
        ("It is 8.7% of sales.", {"number": "0.087"}, None),
        ("It is 2.5.", {"number": 2}, None),
        ("It was not 1,577 but 1,600.", {"number": 1577}, None),
        ("It is not small: 1,577.", {"number": 1577}, True),
        ("It came to $1.5bn, or 8.7 % more.", {"number": "1500", "unit": "USD million"}, True),
        ("It was USD 1,577 million.", {"number": 1577, "unit": "USD million"}, True),
        ("It was (1,577.00) before tax.", {"number": "-1577.00", "unit": "USD million"}, None),
        ("It was 1,577 (in millions).", {"number": "1577000000"}, None),
        ("It was 3 less in the year (2018).", {"number": 2018}, None),
        ("It was small (1,577 million).", {"number": 1577}, None),
        ("It was (1,577) million.", {"number": -1577}, None),
    ],
)
def test_what_most_claims_look_like(
    duck: Duck, claim: str, answer: object, expected: object
) -> None:
    assert quick(duck, [(claim, answer)]).get(0) is expected
