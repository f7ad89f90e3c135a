"""Every suite that says it can be scored on Spark has the same bytes there.

The cases are those that every suite is held to on one machine (`tests/test_every_suite.py`), and
more that only differ once the lines of a file are in several tasks.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed here; `make test-spark` has it")

from command import Ran, ragstone
from spark.loopback_cluster import LoopbackCluster
from test_every_suite import COMMANDS, JUDGING, KEPT

from ragstone.suites.registry import find_suite, suites

SPLIT = 1_000
CASES = {
    name: words
    for name, words in JUDGING.items()
    # `test_same_bytes.py` is about the answers.
    if (suite := find_suite(COMMANDS[words[0]])).on_spark and suite.name != "answers"
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites") / "files"
    shutil.copytree(KEPT / "files", folder)
    return folder


def run(folder: Path, words: list[str], *more: str) -> Ran:
    return ragstone(*words, *more, "--no-config", "--json", "--quiet", cwd=folder)


def on_spark(cluster: LoopbackCluster, folder: Path, words: list[str], partitions: int = 7) -> Ran:
    cluster.session()
    settings = {
        "spark.sql.shuffle.partitions": partitions,
        "spark.sql.files.maxPartitionBytes": SPLIT,
    }
    conf = [f"{key}={value}" for key, value in settings.items()]
    engine = ("--engine", "spark", "--master", cluster.master, "--spark-conf", *conf)
    return run(folder, words, *engine)


def test_these_suites_can_be_scored_on_spark() -> None:
    able = {suite.name for suite in suites() if suite.on_spark}
    assert able == {"answers", "retrieval", "canary", "stability"}
    assert {COMMANDS[words[0]] for words in CASES.values()} == able - {"answers"}


@pytest.mark.parametrize("case", CASES)
def test_the_bytes_are_those_of_one_machine(
    case: str, cluster: LoopbackCluster, files: Path
) -> None:
    one = run(files, CASES[case], "--threads", "1")
    assert on_spark(cluster, files, CASES[case]) == one
