"""On Spark a report has the bytes that it has on one machine: digest, numbers and every list.

Each feature is scored once on a cluster of two workers, at 7 partitions, and by DuckDB, with one
thread and with two in turn. Splits are small, so that several tasks read every file.
"""

from __future__ import annotations

import gzip
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed here; `make test-spark` has it")

from builders import write_jsonl
from command import Ran, ragstone
from spark.loopback_cluster import LoopbackCluster
from spark.made_up_logs import by_question, items, lines, older

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

KEPT = Path(__file__).parent.parent / "kept" / "files"
COUNT = 100
SPLIT = 12_000
CONFIG = """
[[scu.rules]]
locked = "(?i)rejects null"
contradicts = "(?i)accepts null"
[[waive]]
qid = "Q003"
until = "2027-01-31"
why = "known"
[answers]
slices = [{where = {tags = "tag 1"}, gates = {precision = 0.9}}]
"""
MADE_UP = "--gold gold.jsonl --trace"
MANY = {
    "last": f"{MADE_UP} z.jsonl a.jsonl --keep last --by tags level",
    "first": f"{MADE_UP} z.jsonl a.jsonl --keep first --all",
    "all of them": f"{MADE_UP} z.jsonl a.jsonl --keep all --by tags",
    "only one": f"{MADE_UP} once.jsonl --keep error --explain-refusals",
    "older": f"{MADE_UP} older.jsonl z.jsonl --keep last --refusal @en",
    "by question": f"{MADE_UP} by_question.jsonl --map q=query claim=response citations=ids "
    "retrieved_ids=ids",
    "slice gates, waivers and rules": f"{MADE_UP} a.jsonl --scu-enforced --config more.toml "
    "--as-of 2026-11-17",
    "packed": "--gold gold.jsonl.gz --trace z.jsonl.zst a.jsonl --keep last",
    "odd names": "--gold 'a gold set.jsonl' --trace '_z [1], {2}.jsonl' 'ü #%.jsonl' misnamed "
    "--keep last",
    "forms of a mapping": f"{MADE_UP} forms.jsonl --ids hash --map trace.qid=key "
    "'claim=model.\"v0.1\"' 'retrieved_ids=hits[].id' 'citations=cites[]@retrieved_ids' "
    "'refused=!answered' 'trace_id=kind{a:1,b:2}' constraints_echo=rare \"reason='mapped'\"",
    "other tools' scores": f"{MADE_UP} scored.jsonl --judged side.jsonl --by tags --gates "
    "judge.faithfulness=off",
    "systems": f"{MADE_UP.removesuffix('--trace')} --system 'old one=z.jsonl' --system new=a.jsonl",
}
KEPT_ONES = {
    "map": "--gold gold.jsonl --trace mapped.jsonl --map trace.qid=id retrieved_ids=hits "
    "claim=out.text citations=out.sources",
    "texts": "--gold gold.jsonl --trace trace.jsonl --texts texts.jsonl --by tags",
    "Parquet": "--gold gold.parquet --trace trace.parquet --by tags level",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("a folder with blanks")
    shutil.copytree(KEPT, made / "kept")
    first, second = lines(COUNT, 0), lines(COUNT, 1)
    for name in ("gold.jsonl", "a gold set.jsonl"):
        write_jsonl(made / name, items(COUNT))
    for name in ("z.jsonl", "_z [1], {2}.jsonl"):
        write_jsonl(made / name, first)
    for name in ("a.jsonl", "ü #%.jsonl"):
        write_jsonl(made / name, second)
    once = {line.get("qid"): line for line in second}
    write_jsonl(made / "once.jsonl", once.values())
    write_jsonl(made / "older.jsonl", older(COUNT))
    write_jsonl(made / "by_question.jsonl", by_question(COUNT))
    write_jsonl(made / "forms.jsonl", map(in_other_words, second))
    (made / "gold.jsonl.gz").write_bytes(gzip.compress((made / "gold.jsonl").read_bytes()))
    (made / "misnamed").write_bytes(gzip.compress((made / "older.jsonl").read_bytes()))
    (made / "z.jsonl.zst").write_bytes(zstd.compress((made / "z.jsonl").read_bytes()))
    (made / "more.toml").write_text(CONFIG)
    said = [{**line, "judge": {"faithfulness": n % 7 / 6}} for n, line in enumerate(second)]
    write_jsonl(made / "scored.jsonl", said)
    tones = [{"qid": f"Q{n:03}", "name": "tone", "label": "ab"[n % 2]} for n in range(COUNT + 3)]
    write_jsonl(made / "side.jsonl", tones)
    return made


def in_other_words(line: dict[str, Any]) -> dict[str, Any]:
    """A line as another tool writes it; few have something at `rare`."""
    said, ids = line["answer_json"], line["retrieved_ids"]
    return {
        "key": line.get("qid"),
        "model": {"v0.1": said["claim"]},
        "hits": [{"id": each} for each in ids],
        "cites": [ids.index(each) + 1 if each in ids else 99 for each in said["citations"]],
        "answered": said["claim"] != "not in context",
        "kind": "a" if said["citations"] else "b",
        **({"rare": "X rejects null keys."} if "constraints_echo" in said else {}),
    }


def on_duckdb(folder: Path, words: str, *more: str) -> Ran:
    config = () if "--config" in words else ("--no-config",)
    return ragstone("score", *shlex.split(words), *config, "--json", "--quiet", *more, cwd=folder)


def on_spark(
    cluster: LoopbackCluster, folder: Path, words: str, partitions: int = 7, split: int = SPLIT
) -> Ran:
    return on_duckdb(folder, words, *cluster.flags(partitions, split))


def must_be_the_same(cluster: LoopbackCluster, folder: Path, words: str, *partitions: int) -> None:
    for number in partitions:
        # That these two are the same is held elsewhere, too.
        one = on_duckdb(folder, f"{words} -o page.html", "--threads", str(1 + number % 2))
        assert one.code in (0, 1), one.err
        # The page lists every question, which the parts of Spark have to gather.
        page = (folder / "page.html").read_bytes()
        assert on_spark(cluster, folder, f"{words} -o page.html", number) == one
        assert (folder / "page.html").read_bytes() == page


@pytest.mark.parametrize("case", MANY)
def test_what_was_made_up(case: str, cluster: LoopbackCluster, folder: Path) -> None:
    must_be_the_same(cluster, folder, MANY[case], 7)


@pytest.mark.parametrize("case", KEPT_ONES)
def test_what_users_have(case: str, cluster: LoopbackCluster, folder: Path) -> None:
    must_be_the_same(cluster, folder / "kept", KEPT_ONES[case], 7)


@pytest.mark.parametrize("case", ["last", "first"])
def test_any_number_of_parts(case: str, cluster: LoopbackCluster, folder: Path) -> None:
    must_be_the_same(cluster, folder, MANY[case], 1, 2)


def test_parts_that_executors_put_together(
    cluster: LoopbackCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragstone.spark.cluster._TOGETHER", 3)
    must_be_the_same(cluster, folder, MANY["all of them"], 7)
