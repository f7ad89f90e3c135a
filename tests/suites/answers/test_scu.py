"""Contradictions of locked constraints: the default pairs, and negation."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.suites.answers import scu
from ragstone.suites.answers.scu import DEFAULT_RULES, compile_rules

DEFAULTS = compile_rules(DEFAULT_RULES)

NULL_KEYS = "X rejects null keys."
EXAMPLE_COM = "only domain example.com"
CITE = "X must include citations."
PASSWORDS = "X never stores passwords."
KEY_SET, KEY_REQUIRED = "The API key must be set.", "An API key is required."

CONTRADICTING = [
    # rejects / allows, accepts, supports
    (NULL_KEYS, "X allows null keys."),
    (NULL_KEYS, "X accepts null keys."),
    (NULL_KEYS, "X supports null keys."),
    (NULL_KEYS, "X permits null keys."),
    (NULL_KEYS, "X accepted null keys."),
    (NULL_KEYS, "X is accepting null keys."),
    (NULL_KEYS, "X can accept null keys."),
    (NULL_KEYS, "X ACCEPTS NULL KEYS!"),
    (NULL_KEYS, "x accepts\n   null\tkeys"),
    (NULL_KEYS, "X accepts null\u00a0keys."),
    (NULL_KEYS, "X accepts any null keys"),
    (NULL_KEYS, "X accepts all the null keys"),
    (NULL_KEYS, "X supports `null keys`."),
    (NULL_KEYS, 'X supports "null keys".'),
    (NULL_KEYS, "X has support for null keys."),
    (NULL_KEYS, "X accepts empty values and null keys."),
    (NULL_KEYS, "Null keys are accepted."),
    (NULL_KEYS, "Null keys are allowed by X."),
    (NULL_KEYS, "Null keys are now fully supported."),
    (NULL_KEYS, "Null keys, however, are accepted."),
    (NULL_KEYS, "Null keys can be accepted."),
    (NULL_KEYS, "In X, null keys are allowed, which is handy."),
    (NULL_KEYS, "X does not only accept null keys, it loves them."),
    (NULL_KEYS, "X not only accepts null keys but also empty ones."),
    (NULL_KEYS, "No doubt X accepts null keys."),
    (NULL_KEYS, "With no configuration X accepts null keys."),
    (NULL_KEYS, "The endpoint accepts null keys."),
    ("X rejected null keys.", "X accepts null keys."),
    ("rejecting null keys", "X accepts null keys."),
    ("X must reject null keys", "X accepts null keys."),
    ("X REJECTS NULL KEYS", "x accepts null keys"),
    ("X rejects all null keys.", "x accepts null keys"),
    ("X rejects null keys, always.", "x accepts null keys"),
    ("X rejects null keys by default.", "x accepts null keys"),
    ("X rejects null keys and raises an error.", "x accepts null keys"),
    ("X rejects null keys (see p1#2).", "x accepts null keys"),
    ("X rejects `null keys`.", "x accepts null keys"),
    ("X is strict; it rejects null keys. It logs them.", "x accepts null keys"),
    ("X forbids null keys.", "X allows null keys."),
    ("X disallows null keys.", "X allows null keys."),
    ("X does not support null keys.", "X supports null keys."),
    ("X doesn't accept null keys.", "X supports null keys."),
    ("X no longer accepts null keys.", "X accepts null keys."),
    ("Null keys are rejected.", "X accepts null keys."),
    ("All null keys are rejected", "Null keys are allowed."),
    ("Null keys are not allowed.", "X supports null keys."),
    ("X rejects TLS 1.2.", "X supports TLS 1.2."),
    ("X rejects files over 1,000 MB.", "X allows files over 1,000 MB."),
    ("X rejects C++ (any).", "X supports C++ too"),
    # the same, in another clause than the negation
    (NULL_KEYS, "X does not allow empty values but accepts null keys."),
    (NULL_KEYS, "X does not allow empty values. X accepts null keys."),
    (NULL_KEYS, "X does not allow empty values; it accepts null keys."),
    (NULL_KEYS, "X does not allow empty values, and it accepts null keys."),
    (NULL_KEYS, "X does not allow empty values and accepts null keys."),
    (NULL_KEYS, "X does not allow empty values and can accept null keys."),
    (NULL_KEYS, "X does not check values and null keys are accepted."),
    (NULL_KEYS, "X does not allow empty values, while null keys are allowed."),
    (NULL_KEYS, "X, which is not strict, accepts null keys."),
    (NULL_KEYS, "X (which is not strict) accepts null keys."),
    (NULL_KEYS, "X is never strict: it accepts null keys."),
    (NULL_KEYS, "- X does not allow empty values\n- X accepts null keys"),
    (NULL_KEYS, "X does not accept null keys. In version 2, X accepts null keys."),
    (NULL_KEYS, "X does not fail because it accepts null keys."),
    # only domain D
    (EXAMPLE_COM, "Any domain is allowed."),
    (EXAMPLE_COM, "Mail from any other domain is fine."),
    (EXAMPLE_COM, "All domains are allowed."),
    (EXAMPLE_COM, "Other domains work too."),
    (EXAMPLE_COM, "Use example.org."),
    (EXAMPLE_COM, "Use https://example.org/index.html"),
    (EXAMPLE_COM, "Write to me@example.org"),
    (EXAMPLE_COM, "Domain notexample.com is allowed."),
    (EXAMPLE_COM, "Domain example.com.evil.net is allowed."),
    (EXAMPLE_COM, "Domains example.com and EXAMPLE.NET are allowed."),
    (EXAMPLE_COM, "example.com is not enough, so example.org is allowed."),
    (EXAMPLE_COM, "m\u00fcnchen.de is allowed."),
    ("Only domain example.com is allowed.", "example.org is allowed."),
    ("Only mail from example.com.", "example.org is allowed."),
    ("example.com only", "example.org is allowed."),
    ("Only domain m\u00fcnchen.de is allowed.", "Domain koeln.de is allowed."),
    ("only domain shop.museum", "other.museum is allowed"),
    # must / may, optional, not required
    (CITE, "X may include citations."),
    (CITE, "X may optionally include citations."),
    (CITE, "X may or may not include citations."),
    (CITE, "Citations (optional) go last."),
    (CITE, "X may include the citations."),
    (CITE, "Including citations is optional."),
    (CITE, "Citations are optional."),
    (CITE, "Citations are now optional."),
    (CITE, "Citations are not required."),
    (CITE, "Citations aren\u2019t mandatory."),
    (CITE, "Citations are no longer needed."),
    (CITE, "X is not required to include citations."),
    (CITE, "X does not have to include citations."),
    (CITE, "X doesn't need to include citations."),
    (CITE, "X need not include citations."),
    (CITE, "It is optional to include citations."),
    (CITE, "There is no need to include citations."),
    (CITE, "Citations may be included."),
    (CITE, "Citations don't have to be included."),
    (CITE, "X does not accept null keys and citations are not required."),
    ("Answers must always cite a source", "Answers may cite a source."),
    ("Citations must be included.", "Citations are optional."),
    ("Citations must be included.", "Citations may be included."),
    ("Citations must be included.", "Citations need not be included."),
    ("All requests must be signed by the client.", "Requests may be signed by the client."),
    (KEY_SET, "The API key is optional."),
    (KEY_SET, "API keys are fine, but the API key is not required."),
    (KEY_SET, "The API key need not be set."),
    (KEY_SET, "The API key may be left out."),
    (KEY_SET, "No API key is needed."),
    (KEY_SET, "X does not require an API key."),
    ("Timeouts must always be specified.", "Timeouts are optional."),
    ("TLS must be used.", "TLS is no longer mandatory."),
    ("A region has to be configured.", "A region is optional."),
    ("Requests must be signed.", "Signing requests is optional."),
    ("Requests must be signed.", "Signing the requests is not required."),
    ("Requests must be signed.", "Clients need not sign requests."),
    (CITE, "Citations may be omitted."),
    # required, mandatory / optional, not required
    (KEY_REQUIRED, "The API key is optional."),
    (KEY_REQUIRED, "An API key isn't necessary."),
    (KEY_REQUIRED, "The API key need not be provided."),
    (KEY_REQUIRED, "X doesn't need an API key."),
    ("A signature is mandatory.", "The signature can be omitted."),
    ("X requires an API key.", "The API key is optional."),
    ("X requires an API key.", "No API key is required."),
    # ... and the other way round
    ("The API key is optional.", "The API key is required."),
    ("The API key is optional.", "The API key must be set."),
    ("Signatures are not required.", "Signatures are mandatory."),
    # never / allowed, can, may
    (PASSWORDS, "X can store passwords."),
    (PASSWORDS, "X may store passwords."),
    (PASSWORDS, "X may also store the passwords."),
    (PASSWORDS, "X is allowed to store passwords."),
    (PASSWORDS, "X allows users to store passwords."),
    (PASSWORDS, "X allows storing passwords."),
    (PASSWORDS, "Storing passwords is allowed."),
    (PASSWORDS, "Passwords can be stored."),
    (PASSWORDS, "Passwords are allowed to be stored."),
    ("Never log secrets.", "You may log secrets."),
    ("Never log secrets.", "Logging secrets is allowed."),
    ("X must not log secrets.", "X can log secrets."),
    ("X must never log secrets.", "X can log secrets."),
    ("X never retries a payment.", "X may retry the payment."),
    ("Never use cookies.", "Cookies are allowed."),
    ("Passwords are never stored in plain text.", "Passwords can be stored in plain text."),
    ("Passwords must never be logged.", "Passwords may be logged."),
    ("Passwords must never be logged.", "X may log passwords."),
    # Unicode
    ("X rejects STRASSE.", "X accepts Stra\u00dfe."),
    ("X rejects \u039f\u0394\u039f\u03a3.", "X accepts \u03bf\u03b4\u03bf\u03c2"),
    ("X rejects caf\u00e9 orders", "X accepts cafe\u0301 orders"),
    ("X rejects \u0130stanbul", "X accepts i\u0307stanbul"),
    ("X rejects \u7a7a\u952e", "X accepts \u7a7a\u952e"),
]  # fmt: skip

CONSISTENT = [
    ("X rejects null keys.", "X rejects null keys."),
    (NULL_KEYS, ""),
    (NULL_KEYS, "not in context"),
    (NULL_KEYS, "X does not support null keys."),
    (NULL_KEYS, "X doesn't support null keys."),
    (NULL_KEYS, "X doesn\u2019t support null keys."),
    (NULL_KEYS, "X doesnt support null keys."),
    (NULL_KEYS, "X DOES NOT SUPPORT NULL KEYS"),
    (NULL_KEYS, "X does not\nsupport null keys."),
    (NULL_KEYS, "X no longer accepts null keys."),
    (NULL_KEYS, "X never allows null keys."),
    (NULL_KEYS, "X cannot accept null keys."),
    (NULL_KEYS, "X can't accept null keys."),
    (NULL_KEYS, "X will not, under any circumstances, accept null keys."),
    (NULL_KEYS, "X does not, however, support null keys."),
    (NULL_KEYS, "X does not (currently) accept null keys."),
    (NULL_KEYS, "X does not yet support null keys."),
    (NULL_KEYS, "X runs without supporting null keys."),
    (NULL_KEYS, "X neither supports null keys nor empty values."),
    (NULL_KEYS, "X neither logs nor supports null keys."),
    (NULL_KEYS, "X does not allow or accept null keys."),
    (NULL_KEYS, "X does not allow, accept or support null keys."),
    (NULL_KEYS, "X never allows, accepts or supports null keys."),
    (NULL_KEYS, "X does not allow empty values, support blanks, or accept null keys."),
    (NULL_KEYS, "X does not allow empty values and accept null keys."),
    (NULL_KEYS, "No version of X accepts null keys."),
    (NULL_KEYS, "Nobody accepts null keys."),
    (NULL_KEYS, "X has no support for null keys."),
    (NULL_KEYS, "X lacks support for null keys."),
    (NULL_KEYS, "X dropped support for null keys."),
    (NULL_KEYS, "X refuses to accept null keys."),
    (NULL_KEYS, "X fails to support null keys."),
    (NULL_KEYS, "X is unable to accept null keys."),
    (NULL_KEYS, "X throws instead of accepting null keys."),
    (NULL_KEYS, "X prevents callers from supporting null keys."),
    (NULL_KEYS, "Accepting null keys is not possible."),
    (NULL_KEYS, "Supporting null keys is forbidden."),
    (NULL_KEYS, "Null keys are not allowed."),
    (NULL_KEYS, "Null keys aren't allowed."),
    (NULL_KEYS, "Null keys cannot be accepted."),
    (NULL_KEYS, "Null keys are never accepted."),
    (NULL_KEYS, "No null keys are accepted."),
    (NULL_KEYS, "It is not true that null keys are accepted."),
    (NULL_KEYS, "Support for null keys was removed."),
    (NULL_KEYS, "Under no circumstances does X accept null keys."),
    (NULL_KEYS, "X allows neither null values nor null keys."),
    (NULL_KEYS, "X accepts no null keys."),
    (NULL_KEYS, "X accepts non-null keys."),
    (NULL_KEYS, "Non-null keys are accepted."),
    (NULL_KEYS, "Keys other than null keys are accepted."),
    (NULL_KEYS, "X accepts all keys except null keys."),
    (NULL_KEYS, "X accepts null values."),
    (NULL_KEYS, "X accepts null keyspaces."),
    (NULL_KEYS, "X accepts keys; null keys are rejected."),
    (NULL_KEYS, "X accepts values and null keys are rejected."),
    (NULL_KEYS, "X accepts values and null keys raise errors."),
    (NULL_KEYS, "X rejects null keys and accepts empty values."),
    (NULL_KEYS, "X rejects null keys and values are accepted."),
    (NULL_KEYS, "Unsupported null keys are rejected."),
    ("X rejects null keys and accepts null values.", "X accepts null values."),
    # a constraint that is negated itself locks nothing
    ("X does not reject null keys.", "X accepts null keys."),
    ("X never rejects null keys.", "X accepts null keys."),
    ("X no longer rejects null keys.", "X accepts null keys."),
    ("Null keys are not rejected.", "X accepts null keys."),
    ("No null keys are rejected.", "X accepts null keys."),
    ("X is fast.", "X accepts null keys."),
    ("", "X accepts null keys."),
    # only domain D
    (EXAMPLE_COM, "Only domain example.com is allowed."),
    (EXAMPLE_COM, "only domain EXAMPLE.COM"),
    (EXAMPLE_COM, "Use docs.example.com or https://example.com/a."),
    (EXAMPLE_COM, "Write to me@example.com."),
    (EXAMPLE_COM, "example.org is not allowed."),
    (EXAMPLE_COM, "example.org isn't allowed."),
    (EXAMPLE_COM, "example.org is rejected."),
    (EXAMPLE_COM, "example.org and example.net are not allowed."),
    (EXAMPLE_COM, "example.org requests will be blocked."),
    (EXAMPLE_COM, "X does not allow example.org."),
    (EXAMPLE_COM, "X rejects example.org and example.net."),
    (EXAMPLE_COM, "Requests from example.org never succeed."),
    (EXAMPLE_COM, "Use example.com, not example.org."),
    (EXAMPLE_COM, "Use example.com rather than example.org."),
    (EXAMPLE_COM, "All other domains are rejected."),
    (EXAMPLE_COM, "No other domain is allowed."),
    (EXAMPLE_COM, "X does not accept any domain other than example.com."),
    (EXAMPLE_COM, "Any domain other than example.com is refused."),
    (EXAMPLE_COM, "Any subdomain of example.com is allowed."),
    (EXAMPLE_COM, "See README.md and config.py, e.g. map.put, version 1.2."),
    ("only domains example.com and example.org", "Use example.org."),
    ("not only domain example.com", "Use example.org."),
    # must / may, optional, not required
    (CITE, "X must include citations."),
    (CITE, "X may include pictures."),
    (CITE, "X may not include citations."),
    (CITE, "Citations are not optional."),
    (CITE, "Citations are never optional."),
    (CITE, "It is not optional to include citations."),
    (CITE, "Citations are required."),
    (CITE, "Pictures are not required."),
    (CITE, "Nobody may include citations."),
    ("X does not have to include citations.", "X may include citations."),
    ("X must not include citations.", "Citations are not required."),
    ("X must only use TLS.", "X may only use TLS."),
    ("Citations must be included.", "Citations are not optional."),
    ("Data must be encrypted at rest.", "Data may be encrypted in transit."),
    (KEY_SET, "The API key must be set."),
    (KEY_SET, "The API key is not optional."),
    (KEY_SET, "The API key is mandatory."),
    (KEY_SET, "The API key may not be omitted."),
    (KEY_SET, "The region is optional."),
    (KEY_SET, "The key is long, the region optional."),
    ("Passwords must be encrypted.", "Passwords are optional."),
    ("Passwords must be encrypted.", "Encrypting passwords is not optional."),
    ("The API key must not be set.", "The API key is optional."),
    # required, mandatory / optional, not required
    (KEY_REQUIRED, "An API key is required."),
    (KEY_REQUIRED, "The API key must be set."),
    (KEY_REQUIRED, "X requires an API key."),
    (KEY_REQUIRED, "The API key cannot be omitted."),
    (KEY_REQUIRED, "The region is optional."),
    ("An API key is not required.", "The API key is optional."),
    ("A signature is required when X is public.", "The signature is optional."),
    ("It is required that X answers.", "It is optional."),
    # ... and the other way round
    ("The API key is optional.", "The API key is not required."),
    ("The API key is optional.", "The API key may be set."),
    ("The API key is optional.", "The API key is required for administrators."),
    ("The API key is optional.", "The region must be set."),
    ("It is optional to set a region.", "It is required."),
    # never / allowed, can, may
    (PASSWORDS, "X never stores passwords."),
    (PASSWORDS, "X cannot store passwords."),
    (PASSWORDS, "X can never store passwords."),
    (PASSWORDS, "X may not store passwords."),
    (PASSWORDS, "X is not allowed to store passwords."),
    (PASSWORDS, "X does not allow users to store passwords."),
    (PASSWORDS, "Storing passwords is not allowed."),
    (PASSWORDS, "No one can store passwords."),
    (PASSWORDS, "Passwords cannot be stored."),
    (PASSWORDS, "X can store names."),
    (PASSWORDS, "X can check passwords."),
    ("Passwords are never stored.", "Logs can be stored."),
]  # fmt: skip


@pytest.mark.parametrize(("constraint", "claim"), CONTRADICTING)
def test_a_claim_that_says_the_contrary_contradicts(constraint, claim):
    assert DEFAULTS.contradiction([constraint], claim) is not None


@pytest.mark.parametrize(("constraint", "claim"), CONSISTENT)
def test_a_claim_that_agrees_or_speaks_of_something_else_does_not(constraint, claim):
    assert DEFAULTS.contradiction([constraint], claim) is None


def test_it_says_what_contradicts_what():
    claim = "By default  X Accepts null keys, it seems."
    said = DEFAULTS.contradiction(["X is fast.", "X rejects\nnull keys."], claim)
    assert said == '"Accepts null keys" contradicts "X rejects null keys."'


def test_folding_that_lengthens_the_text_does_not_shift_the_quotation():
    said = DEFAULTS.contradiction(["X rejects null keys."], "\u1e9e\ufb03 X accepts null keys.")
    assert said == '"accepts null keys" contradicts "X rejects null keys."'


def test_every_constraint_is_looked_at():
    assert DEFAULTS.contradiction([CITE, PASSWORDS, NULL_KEYS], "X accepts null keys.")
    assert DEFAULTS.contradiction([], "X accepts null keys.") is None


def test_what_another_constraint_says_itself_contradicts_none():
    both = [EXAMPLE_COM, "The manual is at docs.example.org."]
    assert DEFAULTS.contradiction(both, "See docs.example.org.") is None
    assert DEFAULTS.contradiction(both, "See example.net.")


WORDS = (
    "X Y rejects accepts supports allowed is are not never must may can any only but and or , . ; "
    "be set optional required requires no "
)
texts = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [*WORDS.split(), "null keys", "example.com", "a.org", "domain", "store", "\n"]
        ),
        max_size=14,
    ).map(" ".join),
)


@given(texts)
def test_a_constraint_never_contradicts_itself(text):
    assert DEFAULTS.contradiction([text], text) is None


@given(texts, texts)
def test_case_composition_and_white_space_change_nothing(constraint, claim):
    found = DEFAULTS.contradiction([constraint], claim)
    spread = unicodedata.normalize("NFD", claim).replace(" ", "\u00a0 ")
    assert (DEFAULTS.contradiction([constraint.casefold()], spread) is None) == (found is None)


def thorough():
    """The default table, asked without the quick looks that save building a pattern."""
    rules = compile_rules(DEFAULT_RULES)
    for family in rules._families:
        templates = tuple(template._replace(apart=False) for template in family.templates)
        vars(family).update(signs=("",), templates=templates)
    return rules


THOROUGH = thorough()


@given(texts, texts)
def test_the_quick_looks_never_hide_a_contradiction(constraint, claim):
    found = THOROUGH.contradiction([constraint], claim)
    assert DEFAULTS.contradiction([constraint], claim) == found


@pytest.mark.parametrize(("constraint", "claim"), CONTRADICTING + CONSISTENT)
def test_the_quick_looks_hide_nothing_in_the_table(constraint, claim):
    found = THOROUGH.contradiction([constraint], claim)
    assert DEFAULTS.contradiction([constraint], claim) == found


# Speed, by structure: timings do not belong in tests


def test_building_the_table_compiles_nothing(monkeypatch):
    monkeypatch.setattr(re, "compile", lambda *_: pytest.fail("compiled a pattern"))
    compile_rules(DEFAULT_RULES)


def test_every_default_rule_compiles_and_names_only_its_own_groups():
    for rule in DEFAULT_RULES:
        template = scu._template(rule.contradicts, 0)
        assert set(template.holes) <= set(re.compile(rule.locked).groupindex)
        re.compile(template.filled(tuple("x" for _ in template.holes)))


def test_claims_that_lack_the_words_of_a_rule_build_no_pattern(monkeypatch):
    rules = compile_rules(DEFAULT_RULES)
    rules.contradiction([NULL_KEYS], NULL_KEYS)
    monkeypatch.setattr(scu._Template, "filled", lambda *_: pytest.fail("built a pattern"))
    rules.contradiction(["X rejects empty keys."], "X rejects empty keys.")


@pytest.mark.parametrize(
    "unit",
    [
        "a", " ", "\n", "'", ".", "a.", "a.com ", "example.com.", "accepts ", "accepts null ",
        "null keys ", "not ", "not, ", "(", "any domain other ", "may include ",
        "citations are ", "can store ", "must be set ", "is optional ", "no api key is ",
        "x allows a to ", "X does not accept null keys. ", "\u1e9e", "all ",
    ],
)  # fmt: skip
def test_a_claim_of_a_hundred_thousand_characters_is_read_in_linear_time(unit):
    # A quadratic pattern would make this test hang for minutes.
    claim = unit * (100_000 // len(unit))
    locked = [NULL_KEYS, EXAMPLE_COM, CITE, PASSWORDS, "Citations must be given.", "a.de only"]
    locked += [KEY_SET, KEY_REQUIRED, "The API key is optional.", "X requires signed requests."]
    DEFAULTS.contradiction(locked, claim)
    DEFAULTS.contradiction([claim], "X accepts null keys, stores passwords at a.org.")
