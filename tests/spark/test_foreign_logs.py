"""Logs of another tool come to the same bytes on Spark: the driver translates them, once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed here; `make test-spark` has it")

from builders import write_jsonl
from command import ragstone
from spark.loopback_cluster import LoopbackCluster
from spark.made_up_logs import items

WORDS = ("score", "--gold", "gold.jsonl", "--trace", "spans.jsonl", "--from", "otel")


def spans(count: int) -> Iterator[dict[str, object]]:
    """Two spans for each item; every third has no qid, every seventh no root."""
    for number, item in enumerate(items(count)):
        name = {"traceId": f"{number:032x}"}
        metadata = {} if number % 3 == 0 else {"metadata": json.dumps({"qid": item["qid"]})}
        asked = {"openinference.span.kind": "CHAIN", "input.value": item["question"], **metadata}
        said = {"output.value": json.dumps({"answer": f"it is {number}", "citations": ["p1#1"]})}
        found = {
            "retrieval.documents.0.document.id": "p1#1",
            "openinference.span.kind": "RETRIEVER",
        }
        yield {**name, "spanId": "02", "parentSpanId": "01", "attributes": found}
        if number % 7:
            yield {**name, "spanId": "01", "attributes": {**asked, **said}}


def test_spans_come_to_the_same_bytes(cluster: LoopbackCluster, tmp_path: Path) -> None:
    cluster.session()
    write_jsonl(tmp_path / "gold.jsonl", items(60))
    write_jsonl(tmp_path / "spans.jsonl", spans(60))
    more = ("--no-config", "--json", "--quiet")
    one = ragstone(*WORDS, *more, cwd=tmp_path)
    assert one.code in (0, 1), one.err
    assert one.json["inputs"]["lines"] == 51
    assert any("9 spans left out: no_root" in each for each in one.json["warnings"])
    there = ("--engine", "spark", "--master", cluster.master)
    assert ragstone(*WORDS, *more, *there, cwd=tmp_path) == one
