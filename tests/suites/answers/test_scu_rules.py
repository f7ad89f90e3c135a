"""Contradictions by the user's own pairs of patterns."""

from __future__ import annotations

import pytest

from ragstone.errors import ConfigError
from ragstone.suites.answers.scu import DEFAULT_RULES, Rule, compile_rules

NULL_KEYS = "X rejects null keys."
OWN = Rule("rejects (?P<object>.+)", "(allows|accepts|supports) {object}")


@pytest.mark.parametrize(
    ("rule", "constraint", "claim", "contradicts"),
    [
        (OWN, NULL_KEYS, "X accepts null keys.", True),
        (OWN, NULL_KEYS, "x ACCEPTS\n null  keys", True),
        (OWN, NULL_KEYS, "X does not accept null keys. Y never supports null keys.", False),
        (OWN, NULL_KEYS, "X accepts null keyspaces.", False),
        (OWN, "X rejects a.b (see c).", "X accepts a.b (see c)", True),
        (OWN, "X rejects a.b.", "X accepts aXb.", False),
        (OWN, "X rejects null keys. It is fast.", "X accepts null keys.", True),
        (OWN, "X never rejects null keys.", "X accepts null keys.", False),
        (OWN, "X rejects .", "X accepts anything.", False),
        (OWN, "x rejects null keys", "accepts null keyset", False),
        (OWN, "x rejects null keys", "accepts null keys-2", False),
        (OWN, "x rejects null keys", "accepts null keys.", True),
        (OWN, "x rejects n\u00e9", "accepts n\u00e9e", False),
        (OWN, "x rejects n\u00e9", 'accepts "n\u00e9"', True),
        (Rule("(?P<o>\\w+) is red", "{o} is blue"), "car is red", "oscar is blue", False),
        (Rule("(?P<o>\\w+) is red", "{o} is blue|sky"), "car is red", "the sky", True),
        (Rule(r"code (?P<n>\d{3})", r"(no|lacks) code {n}"), "code 404", "it lacks code 404", True),
        (Rule("in (?P<a>\\w+) on (?P<b>\\w+)", "{b} in {a}"), "in x on y", "y in x", True),
        (Rule("in (?P<a>\\w+) on (?P<b>\\w+)", "{b} in {a}"), "in x on y", "x in y", False),
        (Rule("(?P<o>\\w+) is red", "{o}s? (is|are) blue"), "car is red", "cars are blue", True),
        (Rule("(?P<o>\\w+) is red", "({o}|all) are blue"), "car is red", "all are blue", True),
        (Rule("(?P<o>\\w+) is red", "blue|{o} is green"), "car is red", "blue", True),
        (Rule("(?P<o>\\w+) is red", "(?:{o} )?is blue"), "car is red", "it is blue", True),
        (Rule("(?P<o>\\w+) is red", r"\{o} is [{o}]lue"), "car is red", "{o} is {lue", True),
        (Rule("(?P<o>\\w+) is red", r"\{o} is blue"), "car is red", "car is blue", False),
        (Rule("Always(?P<o>.+)", "SOMETIMES {o}"), "ALWAYS wet", "sometimes WET", True),
        (Rule("Stra\u00dfe", "GASSE\\S"), "STRASSE", "gasse!", True),
        (Rule("(?P<gr\u00f6\u00dfe>\\d+) MB", "{gr\u00f6\u00dfe} GB"), "5 MB", "5 GB", True),
        (Rule("is (?P<a>x)?(?P<o>\\w+)", "not {o}{a}"), "it is wet", "so not wet", True),
        (Rule("cold", "hot"), "It is cold", "It is hot", True),
        (Rule("cold", "hot"), "It is cold", "It is not hot", False),
        (Rule("cold", ".*"), "It is cold", "", False),
    ],
)  # fmt: skip
def test_a_rule_of_the_users_own(rule, constraint, claim, contradicts):
    found = compile_rules([rule]).contradiction([constraint], claim)
    assert (found is not None) == contradicts


def test_own_rules_stand_beside_the_default_ones():
    rules = compile_rules([*DEFAULT_RULES, Rule("cold", "hot")])
    assert rules.contradiction(["It is cold."], "It is hot.")
    assert rules.contradiction([NULL_KEYS], "X accepts null keys.")
    assert compile_rules([]).contradiction([NULL_KEYS], "X accepts null keys.") is None


@pytest.mark.parametrize(
    ("rule", "at", "why"),
    [
        (Rule("rejects (", "accepts"), "scu.rules[1].locked", "missing )"),
        (Rule("rejects", "accepts ["), "scu.rules[1].contradicts", "missing ]"),
        (Rule("rejects", "*"), "scu.rules[1].contradicts", "no argument for repetition"),
        (Rule("rejects x{9999}", "x"), "scu.rules[1].locked", "repetition size"),
        (Rule("rejects", "port (?!80)"), "scu.rules[1].contradicts", "looks around with (?!"),
        (Rule("a(?=b)", "c"), "scu.rules[1].locked", "looks around with (?="),
        (Rule("a", "(?<=b)c"), "scu.rules[1].contradicts", "looks around with (?<="),
        (Rule("a", "(?<!b)c"), "scu.rules[1].contradicts", "looks around with (?<!"),
        (Rule("a", r"(b)\1"), "scu.rules[1].contradicts", "refers back with \\1"),
        (Rule("a", "(?P<x>b)(?P=x)"), "scu.rules[1].contradicts", "refers back with (?P="),
        (Rule("a", "b++"), "scu.rules[1].contradicts", "bad repetition operator: ++"),
        (Rule("\ud800", "b"), "scu.rules[1].locked", "half of a surrogate pair"),
        (Rule("rejects", "accepts {object}"), "{object}", "which has no named group"),
        (Rule("(?P<a>x)(?P<b>y)", "{c}"), "scu.rules[1].contradicts: {c}", "which has {a}, {b}"),
        (Rule("(?P<object>x)", "{Object}"), "{Object}", "which has {object}"),
    ],
)
def test_a_rule_that_cannot_be_read_is_named_with_the_reason(rule, at, why):
    with pytest.raises(ConfigError) as caught:
        compile_rules([*DEFAULT_RULES, Rule("fine", "fine"), rule])
    assert at in str(caught.value)
    assert why in str(caught.value)


def test_a_claim_of_a_million_characters_takes_no_time():
    """With Python's own regular expressions the first of these would outlast us all."""
    long = "a" * 1_000_000
    rules = compile_rules([Rule("cold", "(a+)+b"), Rule("cold", "a.*a.*a.*c")])
    assert rules.contradiction(["It is cold."], long) is None
    assert compile_rules(DEFAULT_RULES).contradiction([NULL_KEYS], "accepts null " * 80_000) is None
