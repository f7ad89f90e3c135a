"""What counts as a refusal, from the words of `refusal` to the numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import gold, trace

import ragstone
from ragstone.errors import ConfigError, ContractError

UNKNOWN = "I don't know."
HEDGED = "The context does not say so directly, but X rejects null keys."


def scored(claims: dict[str, str], **options: Any) -> ragstone.Report:
    """The report of claims by qid; questions whose qid begins with U have no answer."""
    items = [
        gold(qid, answerable=False, gold_claim_substr=[]) if qid.startswith("U") else gold(qid)
        for qid in claims
    ]
    return ragstone.score(items, [trace(qid, claim) for qid, claim in claims.items()], **options)


def refused(claims: dict[str, str], *words: str) -> set[str]:
    rows = scored(claims, refusal=words).rows().to_pylist()
    return {row["qid"] for row in rows if row["refused"]}


def test_without_being_told_only_the_token_is_a_refusal() -> None:
    claims = {"U1": UNKNOWN, "U2": " Not in context ", "U3": "Not in context."}
    assert refused(claims, "not in context") == {"U2"}


def test_tokens_patterns_and_packs_stand_side_by_side() -> None:
    claims = {"U1": UNKNOWN, "U2": "NOT IN CONTEXT", "U3": "Weiß ich nicht.", "U4": "No idea!"}
    assert refused(claims, "not in context", "re:^no idea", "@en", "@de") == set(claims)
    assert refused(claims, "re:NO IDEA|don.t know") == {"U1", "U4"}


def test_a_pattern_is_searched_in_the_whole_folded_claim() -> None:
    claims = {"U1": "It is long. " * 50 + "WEISS NICHT", "U2": "Five."}
    assert refused(claims, "re:weiss nicht$") == {"U1"}


def test_a_claim_that_says_what_is_expected_too_is_hedged_and_shipped() -> None:
    report = scored(
        {"A1": HEDGED, "A2": "The context does not say.", "A3": "X rejects null keys."},
        refusal="@en",
    )
    rows = {row["qid"]: row for row in report.rows().to_pylist()}
    assert [rows[qid]["refused"] for qid in ("A1", "A2", "A3")] == [False, True, False]
    assert [rows[qid]["hedged"] for qid in ("A1", "A2", "A3")] == [True, False, False]


def test_tokens_and_patterns_of_the_user_are_never_hedged() -> None:
    assert refused({"A1": HEDGED}, "re:does not say") == {"A1"}
    assert refused({"A1": HEDGED}, "@en", f"{HEDGED}") == {"A1"}


def test_a_question_without_an_answer_expects_nothing_that_could_be_hedged() -> None:
    """Some gold sets write the refusal itself down as the phrase to find."""
    item = gold("U1", answerable=False, gold_claim_substr=["I don't know"])
    report = ragstone.score([item], [trace("U1", UNKNOWN)], refusal="@en")
    assert report["under_refusal"].value == 0.0


@pytest.mark.parametrize(
    ("expected", "hedged"),
    [
        ({"yesno": False}, False),
        ({"all": [{"yesno": False}]}, False),
        ({"all": [{"yesno": False}, {"number": "7"}]}, True),
        ({"number": 7}, True),
    ],
)
def test_the_no_of_a_refusal_is_no_answer(expected: dict[str, Any], hedged: bool) -> None:
    item = {"qid": "A1", "answerable": True, "gold_answer": expected}
    said = trace("A1", "The context does not mention it. It may be 7.", ())
    (row,) = ragstone.score([item], [said], refusal="@en").rows().to_pylist()
    assert (row["hedged"], row["refused"]) == (hedged, not hedged)


def test_an_empty_claim_is_missing_even_where_a_pattern_finds_nothing_in_it() -> None:
    report = scored({"A1": " ", "A2": "Five."}, refusal="re:^ *$")
    assert (report.to_dict()["refused"], report["missing"].value) == (0, 0.5)


@pytest.mark.parametrize(
    ("inside", "outside", "claim", "row"),
    [
        (True, None, "X rejects null keys.", "refused"),
        (None, True, "X rejects null keys.", "refused"),
        (None, True, None, "refused"),
        (True, None, " ", "refused"),
        (False, None, "not in context", "shipped"),
        (None, False, "not in context", "shipped"),
        (None, False, None, "missing"),
        (True, False, "X rejects null keys.", "refused"),
        (False, True, "X rejects null keys.", "shipped"),
        (None, None, "not in context", "refused"),
    ],
)
def test_a_trace_is_believed_when_it_says_whether_it_refuses(
    inside: bool | None, outside: bool | None, claim: str | None, row: str
) -> None:
    said = trace("A1", claim, refused=outside)
    said["answer_json"]["refused"] = inside
    (found,) = ragstone.score([gold("A1")], [said]).rows().to_pylist()
    assert [name for name in ("missing", "refused", "shipped") if found[name]] == [row]


def test_the_word_of_a_trace_can_be_mapped() -> None:
    said = trace("A1", "Sorry!", state={"declined": True})
    for name in ("refused", "answer_json.refused"):
        report = ragstone.score([gold("A1")], [said], map={name: "state.declined"})
        assert report["over_refusal"].value == 1.0


def test_a_word_that_is_no_flag_is_refused() -> None:
    with pytest.raises(ContractError, match="refused: expected true or false, found"):
        ragstone.score([gold("A1")], [trace("A1", refused="yes")])


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("re:a(", "refusal: 're:a(' is not a regular expression of RE2: missing ): a("),
        ("re:a(?=b)", "refusal: 're:a(?=b)' looks around with (?=:"),
        ("re:", "refusal: expected a pattern after 're:'"),
        (
            "@xx",
            "refusal: there is no language pack '@xx' (known: @en, @de, @es, @fr, @zh, @ja, @ar)",
        ),
    ],
)
def test_a_word_that_is_no_rule_is_said_before_anything_is_read(word: str, says: str) -> None:
    with pytest.raises(ConfigError) as failed:
        ragstone.score(Path("no-such-file"), Path("nor-this"), refusal=word)
    assert str(failed.value).startswith(says)


def test_the_settings_name_the_packs_with_their_versions() -> None:
    plain, packed = scored({"A1": "5"}), scored({"A1": "5"}, refusal=["5", "@en", "@ja"])
    assert "refusal_packs" not in plain.to_dict()["settings"]
    assert set(packed.to_dict()["settings"]["refusal_packs"]) == {"@en", "@ja"}
    assert packed.to_dict()["settings"]["refusal"] == ["5", "@en", "@ja"]


def test_every_suite_that_judges_answers_has_the_same_rules(tmp_path: Path) -> None:
    items = [gold("U1", answerable=False)]
    runs = [{**trace("U1", UNKNOWN), "seed": n, "jitter": "none"} for n in range(3)]
    samples = [{**each, "config": "a", "rps": 1, "latency_ms": 5} for each in runs]
    stable = ragstone.stability(items, runs, refusal="@en")
    fast = ragstone.latency(items, samples, refusal="@en")
    both = ragstone.agreement(gold=items, trace=[trace("U1", UNKNOWN, ())], refusal="@en")
    assert stable["rcr"].value == 1.0
    assert fast["refusals"].value == 1.0
    assert both["percent_agreement"].value == 1.0
    assert "NOT_IN_CONTEXT" in json.dumps(both.to_dict())
