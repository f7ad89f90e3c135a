"""Where a pipeline refuses in words of its own, the report says so, and nothing else changes."""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from builders import gold, refusal, trace, write_jsonl
from command import Ran
from command import ragstone as command

import ragstone
from ragstone.report.formats import render
from ragstone.suites.registry import suites

ADVICE = "; if refusals are meant, put under [answers] in ragstone.toml:"


def scored(claims: list[str], cites: Sequence[str] = (), **options: Any) -> ragstone.Report:
    items = [gold(f"Q{n:05}", gold_claim_substr=["the number"]) for n in range(len(claims))]
    said = [trace(f"Q{n:05}", claim, cites) for n, claim in enumerate(claims)]
    return ragstone.score(items, said, **options)


def proposals(report: ragstone.Report) -> list[str]:
    return [warning for warning in report.warnings if "ragstone.toml" in warning]


def answers(count: int) -> list[str]:
    return [f"It is {n}." for n in range(count)]


def line(*words: str) -> str:
    return f"{ADVICE}\nrefusal = {json.dumps(list(words), ensure_ascii=False)}"


def test_a_single_claim_that_a_pack_knows_is_enough() -> None:
    (said,) = proposals(scored([*answers(99), "I don't know that number."]))
    assert said == (
        "1 of 100 claims reads like a refusal and counts as an answer (language pack @en), such as "
        f"“I don't know that number.”{line('not in context', '@en')}"
    )
    (said,) = proposals(scored(["I have no comment."]))
    assert said.startswith("1 of 1 claim reads like a refusal")


def test_a_pipeline_that_keeps_to_the_token_too_is_told_of_the_others() -> None:
    claims = answers(48) + ["not in context"] * 50 + ["I don't know.", "Unknown."]
    (said,) = proposals(scored(claims))
    assert said.startswith("2 of 100 claims read like refusals and count as answers")


def test_a_text_that_many_claims_repeat_is_proposed() -> None:
    (said,) = proposals(scored(answers(90) + [" Pass. ", "PASS."] * 5))
    assert said.startswith("10 of 100 claims are one and the same text, “PASS.”")
    copied = 'refusal = ["not in context", "PASS."]'
    # It is text of the data, which a report without texts has to know.
    assert said.endswith(f"{ADVICE}\n“{copied}”")
    (hidden,) = proposals(scored(answers(90) + ["Pass."] * 10, report_texts="none"))
    assert "Pass" not in hidden


def test_a_repeated_text_that_cites_evidence_is_an_answer() -> None:
    assert proposals(scored(answers(90) + ["Pass."] * 10, cites=["p1#2"])) == []
    assert proposals(scored(answers(90) + ["I don't know."] * 10, cites=["p1#2"]))


def test_a_repeated_text_that_the_pack_knows_needs_no_line_of_its_own() -> None:
    (said,) = proposals(scored(answers(90) + ["I don't know."] * 10))
    assert said.endswith(line("not in context", "@en"))


def test_claims_in_two_languages_need_both_packs() -> None:
    (said,) = proposals(scored(answers(70) + ["我不知道。"] * 20 + ["I don't know."] * 10))
    assert said.startswith("30 of 100 claims read like refusals")
    assert said.endswith(line("not in context", "@zh", "@en"))


@pytest.mark.parametrize(
    "claims",
    [
        answers(100),
        # what is expected is an answer, however often it is given
        ["It is the number."] * 100,
        # a text of five in a hundred
        answers(95) + ["Pass."] * 5,
        # nothing is repeated once
        [*answers(3), "Pass."],
        ["not in context"] * 50,
    ],
)
def test_no_more_is_said_than_there_is(claims: list[str]) -> None:
    assert proposals(scored(claims)) == []


def test_what_is_in_force_is_not_proposed() -> None:
    assert proposals(scored(answers(90) + ["I don't know."] * 10, refusal="@en")) == []


def test_a_trace_that_says_it_does_not_refuse_is_believed_here_too() -> None:
    items = [gold(f"Q{n}") for n in range(20)]
    said = [trace(item["qid"], "I don't know.", refused=False) for item in items]
    assert proposals(ragstone.score(items, said)) == []


def test_a_part_of_a_large_input_is_looked_at_whatever_its_order() -> None:
    """Of 12,000 claims 10,000 are looked at, and their share stands for all."""
    items = [{"qid": f"Q{n}", "answerable": True} for n in range(12_000)]
    said = [
        {"qid": f"Q{n}", "answer_json": {"claim": "I don't know." if n % 8 == 0 else f"It is {n}."}}
        for n in range(12_000)
    ]
    first = ragstone.score(items, said)
    (warning,) = proposals(first)
    count = int(warning.partition(" of ")[0].replace(",", ""))
    assert abs(count - 1500) < 100
    mixed = random.Random(3)
    mixed.shuffle(said)
    mixed.shuffle(items)
    assert ragstone.score(items, said).to_json() == first.to_json()


# Every suite that judges answers, with twelve questions of which one is refused in other words.
COMMANDS = {
    "answers": "score --gold gold.jsonl --trace log.jsonl",
    "agreement": "agreement --gold gold.jsonl --trace log.jsonl",
    "people": "agreement --gold gold.jsonl --trace log.jsonl --labels labels.jsonl",
    "stability": "stability score --gold gold.jsonl --runs log.jsonl",
    "latency": "latency score --gold gold.jsonl --samples log.jsonl",
    "audit": "audit --trace log.jsonl --refusal no",
}


@pytest.mark.parametrize("suite", COMMANDS)
def test_every_suite_that_judges_answers_says_so(suite: str, tmp_path: Path) -> None:
    found = told(tmp_path, COMMANDS[suite], "--json").json["warnings"]
    (said,) = [warning for warning in found if "ragstone.toml" in warning]
    assert said.startswith("1 of 12 claims reads like a refusal and counts as an answer")
    first = "no" if suite == "audit" else "not in context"
    assert said.endswith(line(first, "@en"))


def test_every_suite_with_refusals_is_in_the_table() -> None:
    those = {each.name for each in suites() if "refusal" in {o.name for o in each.own_options}}
    assert those == set(COMMANDS)


@pytest.mark.parametrize("words", ["", "-v", "-f markdown", "-f html", "-f junit", "-f github"])
def test_the_line_to_copy_is_in_every_report_and_never_cut(words: str, tmp_path: Path) -> None:
    long = [f"re:{letter * 70}" for letter in "abcd"]
    ran = told(tmp_path, COMMANDS["answers"], *words.split(), "--refusal", *long)
    copied = f"refusal = {json.dumps([*long, '@en'])}"
    text = html.unescape(ran.text)
    # A screen folds it, and a comment of GitHub is one line.
    assert "".join(copied.split()) in "".join(text.split())
    assert re.search(r"(\n|%0A|<code>)[> `]*refusal = ", text)


def told(folder: Path, words: str, *more: str) -> Ran:
    items = [gold(f"Q{n}") for n in range(12)]
    write_jsonl(folder / "gold.jsonl", items)
    lines = [{**trace(f"Q{n}", f"It is {n}."), "config": "c", "rps": 1, "knobs": {},
              "latency_ms": 5, "run_id": f"Q{n}"} for n in range(11)]  # fmt: skip
    write_jsonl(folder / "log.jsonl", [*lines, {**lines[0], **trace("Q11", "I don't know."),
                                                "run_id": "Q11"}])  # fmt: skip
    write_jsonl(folder / "labels.jsonl", [{"qid": f"Q{n}", "label": "correct"} for n in range(12)])
    return command(*words.split(), *more, "--no-config", cwd=folder)


def test_each_refusal_is_explained_by_its_rule() -> None:
    items = [gold(f"A{n}") for n in range(5)]
    said = [
        trace("A0", "I don't know."),
        refusal("A1"),
        trace("A2", None, refused=True),
        trace("A3", "Pass!"),
        trace("A4"),
    ]
    words = ("Not in context", "re:^pass", "@en")
    report = ragstone.score(items, said, refusal=words, explain_refusals=True)
    found = report.to_dict()
    assert [(each["qid"], each["rule"].partition(" \\b")[0]) for each in found["refusals"]] == [
        ("A0", "@en:"),
        ("A1", "Not in context"),
        ("A2", "refused = true"),
        ("A3", "re:^pass"),
    ]
    assert found["refusals"][3]["claim"] == "Pass!"
    assert found["refusals_total"] == 4
    assert "re:^pass" in render(report, "terminal")
    assert "refusals" not in ragstone.score(items, said, refusal=words).to_dict()


def test_the_list_of_refusals_is_as_long_as_every_list() -> None:
    items = [gold(f"A{n:02}") for n in range(12)]
    said = [refusal(item["qid"]) for item in items]
    short = ragstone.score(items, said, explain_refusals=True).to_dict()
    whole = ragstone.score(items, said, explain_refusals=True, all=True).to_dict()
    assert (len(short["refusals"]), short["refusals_total"]) == (10, 12)
    assert len(whole["refusals"]) == 12
