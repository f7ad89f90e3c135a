"""One question, many files: every form of results and references gives the same numbers."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from context_files import delimited, jsonl, object_of, ragstone, reference, result, shared

import ragstone as library

RESULTS = [
    result("0", "d1", "d2", "d3", question="A\nquestion", answer='say "x"'),
    result("1", "d9", "an id"),
    result("2"),
]
REFERENCE = [
    reference("0", "d3", "d4", question="A\nquestion", question_factuality="factoid"),
    reference("1", "an id", question="B", question_factuality="open"),
    reference("2", "d1", question="C", question_factuality="open"),
]
RECALL = (0.5 + 1.0 + 0.0) / 3


def write(folder, name, rows, form):
    path = folder / name
    if form == "jsonl":
        return jsonl(path, rows)
    if form == "json":
        path.write_text(json.dumps(rows, indent=2), "utf-8")
    elif form in ("tsv", "csv"):
        path.write_text(delimited(rows, "\t" if form == "tsv" else ","), "utf-8")
    elif form == "tsv with JSON lists":
        path.write_text(delimited(rows, cell=json.dumps), "utf-8")
    elif form == "tsv with CRLF":
        path.write_bytes(delimited(rows).replace("\n", "\r\n").encode())
    elif form == "tsv with a mark":
        path.write_bytes(b"\xef\xbb\xbf" + delimited(rows).encode())
    elif form == "tsv.gz":
        path.write_bytes(gzip.compress(delimited(rows).encode()))
    elif form == "jsonl.gz":
        path.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in rows).encode()))
    elif form == "parquet":
        import duckdb

        jsonl(folder / "rows.jsonl", rows)
        rows_of = str(folder / "rows.jsonl")
        duckdb.sql(f"copy (from read_json('{rows_of}')) to '{path}' (format parquet)")
    elif form == "zst":
        import duckdb

        plain = folder / "plain.jsonl"
        jsonl(plain, rows)
        duckdb.sql(
            f"copy (from read_csv('{plain}', delim = chr(1), quote = '', header = false, "
            f"columns = {{'line': 'varchar'}})) to '{path}' "
            "(format csv, compression zstd, header false, quote '', escape '', delimiter E'\\x01')"
        )
    return path


FORMS = (
    "jsonl", "json", "tsv", "csv", "tsv with JSON lists", "tsv with CRLF", "tsv with a mark",
    "tsv.gz", "jsonl.gz", "parquet", "zst",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_file_gives_the_same_numbers(tmp_path, form):
    results = write(tmp_path, "results", RESULTS, form)
    references = write(tmp_path, "reference", REFERENCE, form)
    found = object_of("context", "--results", results, "--reference", references)
    assert found["avg_context_recall"] == RECALL
    assert found["questions"] == 3
    assert found["missing"] == 0


@pytest.mark.parametrize("make", [list, pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
def test_tables_in_memory_are_read_too(make):
    scores = library.ContextRecall().evaluate(make(RESULTS), make(REFERENCE))
    assert scores.metrics["avg_context_recall"] == RECALL
    assert [row["qid"] for row in scores.rows] == ["0", "1", "2"]


def test_trec_files_are_results_and_references(tmp_path):
    run = tmp_path / "run.txt"
    run.write_text("1 Q0 a 1 0.9 t\n1 Q0 b 2 0.8 t\n", "utf-8")
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 b 2\n1 0 c 1\n1 0 a 0\n", "utf-8")
    beir = tmp_path / "beir.tsv"
    beir.write_text("query-id\tcorpus-id\tscore\n1\tb\t2\n1\tc\t1\n1\ta\t0\n", "utf-8")
    found = [object_of("context", "--results", run, "--reference", r) for r in (qrels, beir)]
    assert [f["avg_context_recall"] for f in found] == [0.5, 0.5]
    assert found[0]["digest"] == found[1]["digest"]
    graded = object_of("context", "--results", run, "--reference", qrels, "-l", "2")
    assert graded["avg_context_recall"] == 1.0


def test_the_live_answer_file_is_results(tmp_path):
    answers = shared("liverag", "answers.live.jsonl")
    first = json.loads(answers.read_text("utf-8").splitlines()[0])
    gold = [reference(first["id"], first["passages"][2]["doc_IDs"][0])]
    found = object_of("context", "--results", answers, "--reference", jsonl(tmp_path / "r", gold))
    assert found["avg_context_recall"] == 1.0
    assert found["unknown_qid"] == 4
    assert first["id"] == 0


def test_the_real_reference_file_has_slices(tmp_path):
    path = shared("liverag", "reference.n100.tsv")
    empty = tmp_path / "results.tsv"
    empty.write_text("qid\tdoc_ids\n", "utf-8")
    found = object_of(
        "context", "--results", empty, "--reference", path, "--by", "question_factuality"
    )
    assert found["questions"] == 100
    assert found["missing"] == 100
    assert sum(
        row["context_recall"]["denominator"]
        for row in found["slices"]["question_factuality"].values()
    ) == 100  # fmt: skip


def test_other_field_names_are_mapped(tmp_path):
    results = tmp_path / "r.tsv"
    results.write_text("query\thits\n7\t['a']\n", "utf-8")
    gold = jsonl(tmp_path / "g", [reference(7, "a")])
    found = object_of(
        "context", "--results", results, "--reference", gold,
        "--map", "results.qid=query", "doc_ids=hits",
    )  # fmt: skip
    assert found["avg_context_recall"] == 1.0


BROKEN = [
    ("qid\tdoc_ids\n1\t['a'\n", "r:2: doc_ids: "),
    ("qid\tdoc_ids\n1\t[]\n1.0\t[]\n", 'r:3: qid: "1" was already given on line 2'),
    ("qid\tdoc_ids\n1\n", "r:2: columns: expected 2 cells, found 1"),
    ("qid\tdoc_ids\n\t['a']\n", "r:2: qid: "),
    ("qid\tdoc_ids\tqid\n1\t[]\t2\n", "r:1: qid: the column stands in the header twice"),
    ('qid\tdoc_ids\n1\t"open\n', "r:2: columns: a quoted cell"),
    ("qid\tdoc_ids\n1\ta\rb\n", "r:2: columns: a carriage return in a cell without quotes"),
    ("qid\tdoc_ids\ttotal_time_ms\n1\t[]\tslow\n", "r:2: total_time_ms: expected a number"),
    ("qid\tanswer\n1\tx\n", "r:2: doc_ids: "),
    ('{"qid": 1, "doc_ids": ["a", 7, null]}\n', "r:1: doc_ids: "),
    ('{"qid": true, "doc_ids": []}\n', "r:1: qid: expected an id"),
    ('{"qid": 1}\n', "r:1: doc_ids: "),
    ('{"qid": 1, "doc_ids": [], "qid": 2}\n', 'r:1: json: the key "qid" is repeated'),
    ('[{"qid": 1, "doc_ids": []},\n {"qid": 1, "doc_ids": []}]', "r:2: qid: "),
    (
        '[{"qid": 1, "doc_ids": []},\n nonsense]',
        "r:2: json: expected a value, found 'nonsense' (character 1 of element 2)",
    ),
    ('[{"qid": 1, "doc_ids": []},\n {"qid": 2,}]', "r:2: json: a comma before the closing }"),
    ("1 Q0 d 1 nan tag\n", 'r:1: score: expected a number, found "nan" (qid "1")'),
    ("1 Q0 d 1 0.5 tag\n2 Q0 d 1 0.5\n", "r:2: columns: expected 6 columns, found 5"),
    ('{"id": 1, "passages": [{"passage": "x"}]}\n', "r:1: passages: "),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_a_bad_line_is_named_by_file_line_and_field(tmp_path, text, said):
    (tmp_path / "r").write_text(text, "utf-8")
    jsonl(tmp_path / "g", [reference(1, "a")])
    told = ragstone("context", "--results", "r", "--reference", "g", code=2, cwd=tmp_path)
    assert told.startswith(said), told


def test_every_bad_line_of_every_file_is_named(tmp_path):
    (tmp_path / "r").write_text("qid\tdoc_ids\n1\t['a'\n2\t['b'\n", "utf-8")
    (tmp_path / "g").write_text("qid\tdocument_ids\n1\t['a'\n", "utf-8")
    told = ragstone("context", "--results", "r", "--reference", "g", code=2, cwd=tmp_path)
    assert [line[:4] for line in told.splitlines()[:3]] == ["g:2:", "r:2:", "r:3:"]


def test_a_reference_without_a_question_is_refused(tmp_path):
    (tmp_path / "g").write_text("qid\tdocument_ids\n", "utf-8")
    (tmp_path / "r").write_text("qid\tdoc_ids\n", "utf-8")
    told = ragstone("context", "--results", "r", "--reference", "g", code=2, cwd=tmp_path)
    assert "the reference holds no question" in told


def test_bytes_that_are_no_text_are_named(tmp_path):
    (tmp_path / "r").write_bytes(b"qid\tdoc_ids\n1\t['\xff']\n")
    jsonl(tmp_path / "g", [reference(1, "a")])
    told = ragstone("context", "--results", "r", "--reference", "g", code=2, cwd=tmp_path)
    assert "r:2: columns: byte 5 (0xff) is not UTF-8" in told


def test_a_mapped_column_that_no_row_has_is_told(tmp_path):
    (tmp_path / "r.tsv").write_text("qid\thits\n7\t['a']\n", "utf-8")
    jsonl(tmp_path / "g", [reference(7, "a")])
    words = ("context", "--results", "r.tsv", "--reference", "g", "--map", "doc_ids=hit")
    told = ragstone(*words, code=2, cwd=tmp_path)
    assert "map doc_ids=hit: no line of results has hit; did you mean 'hits'?" in told
