"""Every suite that says it can be scored on Spark has the same bytes there.

The cases are those that every suite is held to on one machine (`tests/test_every_suite.py`), and
more that only differ once the lines of a file are in several tasks.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed here; `make test-spark` has it")

import pyarrow
import pyarrow.parquet
from builders import write_jsonl
from command import Ran, ragstone
from spark.loopback_cluster import LoopbackCluster
from test_every_suite import COMMANDS, JUDGING, KEPT

from ragstone.suites.registry import find_suite, suites

SPLIT = 1_000
# Lines of JSON in several tasks, and systems that their lines name, or not.
MORE = {
    "context_lines": "context --results named.jsonl second.jsonl --reference asked.jsonl --by kind",
    "audit_by_line": "audit --trace trace.jsonl blank.jsonl good.jsonl --keep all --by q",
    "audit_own_texts": "audit --trace blank.jsonl --gates inconsistent=0 support=0.9 --all",
    "context_trec": "context --results bm25.run --reference qrels.txt",
}
CASES = {
    name: words
    for name, words in {**JUDGING, **{name: each.split() for name, each in MORE.items()}}.items()
    # `test_same_bytes.py` is about the answers.
    if (suite := find_suite(COMMANDS[words[0]])).on_spark and suite.name != "answers"
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites") / "files"
    shutil.copytree(KEPT / "files", folder)
    qids = [f"Q{number:02}" for number in range(40)]
    write_jsonl(
        folder / "asked.jsonl",
        [
            {"qid": qid, "document_ids": [f"d{number % 7}", "d1"], "kind": "ab"[number % 2]}
            for number, qid in enumerate(qids)
        ],
    )
    write_jsonl(
        folder / "named.jsonl",
        [
            {"qid": qid, "doc_ids": ["d1", f"d{number % 5}", "d1"], "system_name": "bm25"}
            for number, qid in enumerate(qids)
        ],
    )
    write_jsonl(
        folder / "second.jsonl",
        [{"qid": qid, "doc_ids": ["d2", "d1"], "system_name": "dense"} for qid in qids],
    )
    claims = ["It was 7.", "It was 8.", "", "not in context", "Nobody."]
    traces = [
        {
            "q": f"How much is case {number // 3}?",
            "retrieved_ids": ["p1"],
            "retrieved_texts": ["It was 7."],
            "answer_json": {"claim": claims[number % 5], "citations": ["p1"]},
            "latency_ms": number,
        }
        for number in range(40)
    ]
    # Lines without a name are called by their number, and keep it behind blank ones.
    written = [f"{json.dumps(each)}\n" + "\n" * (n % 7 == 3) for n, each in enumerate(traces)]
    (folder / "blank.jsonl").write_text("".join(written))
    return folder


def run(folder: Path, words: list[str], *more: str) -> Ran:
    return ragstone(*words, *more, "--no-config", "--json", "--quiet", cwd=folder)


def on_spark(cluster: LoopbackCluster, folder: Path, words: list[str], partitions: int = 7) -> Ran:
    return run(folder, words, *cluster.flags(partitions, SPLIT))


def test_these_suites_can_be_scored_on_spark() -> None:
    able = {suite.name for suite in suites() if suite.on_spark}
    assert able == {"answers", "context", "retrieval", "canary", "stability", "audit"}
    assert {COMMANDS[words[0]] for words in CASES.values()} == able - {"answers"}


@pytest.mark.parametrize("case", CASES)
def test_the_bytes_are_those_of_one_machine(
    case: str, cluster: LoopbackCluster, files: Path
) -> None:
    # The page lists every question, which the parts of Spark have to gather.
    page, words = files / "page.html", [*CASES[case], "-o", "page.html"]
    one = run(files, words, "--threads", "1"), page.read_bytes()
    assert (on_spark(cluster, files, words), page.read_bytes()) == one


LEFT_OVER = {
    "score --gold gold.jsonl --trace": "trace.jsonl",
    "score --gold gold.jsonl --refusal @en --trace": "older.jsonl",
    "audit --trace": "trace.jsonl",
    "retrieval --gold retrieval_gold.jsonl --log": "live.jsonl",
    "stability score --gold gold.jsonl --runs": "runs.jsonl",
}


@pytest.mark.parametrize("words", LEFT_OVER)
def test_files_that_answer_the_same_questions_are_refused_in_the_same_words(
    words: str, cluster: LoopbackCluster, files: Path, tmp_path: Path
) -> None:
    folder, name = tmp_path / "files", LEFT_OVER[words]
    shutil.copytree(files, folder)
    shutil.copy(folder / name, folder / "left_over.jsonl")
    both = [*words.split(), name, "left_over.jsonl"]
    one = run(folder, both)
    assert one.code == 2
    assert f"{name} and left_over.jsonl both answer" in one.err
    assert on_spark(cluster, folder, both) == one


# What is wrong with a file, as lines that are added to it, and the case that reads it.
BROKEN = {
    "a run of an unknown question": ("stability", "runs.jsonl", '{"qid": "nobody"}'),
    "a run that is none": ("stability", "runs.jsonl", '{"qid": 7}'),
    "an item that is there twice": ("retrieval", "retrieval_gold.jsonl", "again"),
    "a line that breaks off": ("retrieval", "live.jsonl", '{"qid": "R1", "topk"'),
    "results that are there twice": ("context_lines", "named.jsonl", "again"),
    "a question without documents": ("context_lines", "asked.jsonl", '{"qid": "Q99"}'),
    "texts that are none": ("audit", "texts.jsonl", "{}"),
    "not even JSON": ("context_lines", "second.jsonl", "1 0 d 1"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_wrong_is_said_in_the_same_words(
    what: str, cluster: LoopbackCluster, files: Path, tmp_path: Path
) -> None:
    case, name, line = BROKEN[what]
    words = CASES[next(each for each in CASES if each.startswith(case))]
    folder = tmp_path / "files"
    shutil.copytree(files, folder)
    lines = (folder / name).read_text().splitlines()
    lines.insert(len(lines) // 2, lines[0] if line == "again" else line)
    (folder / name).write_text("\n".join(lines) + "\n")
    one = run(folder, words)
    assert one.code == 2
    assert name in one.err
    assert on_spark(cluster, folder, words) == one


def test_a_log_of_another_gold_set(cluster: LoopbackCluster, files: Path) -> None:
    words = ["retrieval", "--gold", "retrieval_gold.jsonl", "--log", "others.jsonl"]
    write_jsonl(files / "others.jsonl", [{"qid": f"X{n}", "topk": []} for n in range(30)])
    one = run(files, words)
    assert "has a qid of this gold set" in one.err
    assert on_spark(cluster, files, words) == one


@pytest.mark.parametrize("case", ["answers", "retrieval", "audit_own_texts"])
def test_executors_write_every_row(case: str, cluster: LoopbackCluster, files: Path) -> None:
    every = {**JUDGING, **CASES}
    words = next(words for name, words in every.items() if name.startswith(case))
    run(files, words, "-o", "one.parquet")
    for _ in range(2):
        # The second time in the place of the first.
        ran = on_spark(cluster, files, [*words, "-o", "rows.parquet"])
        assert ran.code in (0, 1, 3), ran.err
    assert len(list((files / "rows.parquet").iterdir())) > 1
    assert told(files / "rows.parquet") == told(files / "one.parquet")
    shutil.rmtree(files / "rows.parquet")


def told(path: Path) -> list[Any]:
    """The rows of a file, or of all files of a folder, and what each says of itself."""
    parts = [path] if path.is_file() else sorted(path.iterdir())
    tables = [pyarrow.parquet.read_table(part) for part in parts]
    (about,) = {table.schema.metadata[b"ragstone"] for table in tables}
    rows = [row for table in tables for row in table.to_pylist()]
    return [about, sorted(rows, key=repr)]


def test_rows_are_not_written_over_what_else_is_there(
    cluster: LoopbackCluster, files: Path
) -> None:
    words = CASES["audit_own_texts"]
    (files / "taken.parquet").write_text("mine")
    ran = on_spark(cluster, files, [*words, "-o", "taken.parquet"])
    assert (ran.code, (files / "taken.parquet").read_text()) == (2, "mine")
    assert "taken.parquet is a file" in ran.err
    ran = on_spark(cluster, files, [*words, "-o", "docs.index/x.csv"])
    assert "-o docs.index/x.csv needs every row" in ran.err
