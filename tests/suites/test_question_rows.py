"""The list of all questions is that of its parts put together, whatever the parts.

What is compared is the whole page, byte by byte, over every suite that can be scored in parts.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from builders import gold, trace, write_jsonl
from command import INPUTS, ragstone
from hypothesis import given
from hypothesis import strategies as st
from suites.test_condense import CASES, divided, some
from test_every_suite import JUDGING, KEPT, cases

from ragstone.suites import question_rows
from ragstone.suites.gathered import Gathered


def page(folder: Path, words: list[str], *more: str) -> str:
    ran = ragstone(*words, *more, "--no-config", "-f", "html", "--quiet", cwd=folder)
    assert ran.code in (0, 1, 3), ran.err
    return ran.text


def listed(text: str) -> list[dict[str, Any]]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.mark.parametrize(("number", "case"), some(2))
def test_parts_give_the_page_of_the_whole(
    number: int, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All questions of one case are listed, and the first three of the next.
    monkeypatch.setattr(question_rows, "MOST", 20_000 if number % 2 else 3)
    whole = page(KEPT / "files", CASES[case])
    divided(monkeypatch, 2 if number % 4 < 2 else 5)
    assert page(KEPT / "files", CASES[case], "--memory", "1GB") == whole


@pytest.mark.parametrize("case", cases(3))
def test_every_suite_lists_its_questions(case: str) -> None:
    (found,) = listed(page(KEPT / "files", JUDGING[case]))
    columns = ("failed", "costs", "values", "asked", "said")
    assert found["total"] == len(found["qid"]) > 0
    assert {len(found[name]) for name in columns} == {len(found["qid"])}
    fails = [bool(failed) for failed in found["failed"]]
    if not found["metrics"]:
        assert fails == sorted(fails, reverse=True)


def test_rows_that_fail_come_first_and_texts_are_clipped(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "gold.jsonl", [gold(q, question="w" * 300, tags=["a"]) for q in "CAB"])
    write_jsonl(tmp_path / "trace.jsonl", [trace("A"), trace("B", cites=["p9#9"]), trace("C")])
    (found,) = listed(page(tmp_path, ["score", *INPUTS, "--by", "tags"]))
    assert found["qid"] == ["B", "A", "C"]
    assert "cited" in [found["checks"][n] for n in found["failed"][0]]
    assert found["strings"][found["asked"][0]] == "w" * 160 + "…"
    assert [found["strings"][n] for n in found["values"][0][0]] == ["a"]


def test_a_private_report_lists_no_texts(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "gold.jsonl", [gold("A", question="secret words")])
    write_jsonl(tmp_path / "trace.jsonl", [trace("A")])
    text = page(tmp_path, ["score", *INPUTS, "--report-texts", "none"])
    assert "secret" not in text
    assert listed(text)[0]["qid"] == ["A"]


ROWS = st.lists(st.tuples(st.integers(0, 1), st.text("ab", max_size=2)), max_size=12)


@given(ROWS, ROWS, ROWS)
def test_first_rows_add_up_in_any_order(one: Any, two: Any, three: Any) -> None:
    def kept(*parts: list[Any]) -> list[Any]:
        whole = Gathered()
        for part in parts:
            other = Gathered()
            other.keep_first("rows", part, 4)
            whole.add(other)
        return whole.rows("rows")

    assert kept(one, two, three) == kept(three, one, two) == sorted([*one, *two, *three])[:4]


def test_only_a_page_asks_for_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    gather = question_rows.gather_questions
    monkeypatch.setattr(
        question_rows, "gather_questions", lambda work: (asked.append(1), gather(work))
    )
    write_jsonl(tmp_path / "gold.jsonl", [gold("A")])
    write_jsonl(tmp_path / "trace.jsonl", [trace("A")])
    for output in ((), ("-o", "r.md"), ("--json",)):
        ragstone("score", *INPUTS, "--no-config", *output, cwd=tmp_path)
        assert not asked
    ragstone("score", *INPUTS, "--no-config", "-o", "r.html", cwd=tmp_path)
    assert asked == [1]
