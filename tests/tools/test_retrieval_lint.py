"""What is weak about a retrieval gold set."""

from __future__ import annotations

from suites.retrieval.retrieval_builders import OWN, chunk, item

from ragstone.tools.retrieval_lint import lint


def test_lint_names_what_is_weak() -> None:
    gold = [item("a", paraphrases=["one"], negatives=[]), item("b", relevant=[OWN, "lost"])]
    found = lint(gold, [chunk(), chunk("t", type="table")])
    assert {(weak.qid, weak.rule) for weak in found} == {
        ("", "few_items"), ("", "type_without_questions"), ("a", "few_paraphrases"),
        ("a", "no_negatives"), ("b", "not_in_manifest"),
    } | {("b", "not_in_manifest")}  # fmt: skip
