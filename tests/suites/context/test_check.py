"""`ragstone check` and `ragstone schema` know the suite's files."""

from __future__ import annotations

import json

from context_files import delimited, jsonl, ragstone, reference, result


def test_tables_are_recognised_and_checked(tmp_path):
    (tmp_path / "a.tsv").write_text(delimited([result("1", "a"), result("2")]), "utf-8")
    jsonl(tmp_path / "b.jsonl", [reference("1", "a")])
    printed = ragstone("check", "a.tsv", "b.jsonl", cwd=tmp_path)
    assert printed == "a.tsv: results, 2 lines, ok\nb.jsonl: reference, 1 line, ok\n"


def test_a_bad_table_is_named(tmp_path):
    (tmp_path / "a.tsv").write_text("qid\tdoc_ids\n1\t['a'\n", "utf-8")
    assert ragstone("check", "a.tsv", code=2, cwd=tmp_path).startswith("a.tsv:2: doc_ids: ")


def test_the_schemas_ask_for_a_qid():
    for name in ("results", "reference"):
        assert json.loads(ragstone("schema", name))["required"] == ["qid"]
