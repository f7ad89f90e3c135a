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

SPANS = ("--trace", "spans.jsonl", "--from", "otel")
WORDS = {
    "score": ("score", "--gold", "gold.jsonl", *SPANS),
    "audit": ("audit", *SPANS, "--gates", "empty=0", "unscoped=0"),
}


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


@pytest.mark.parametrize("suite", WORDS)
def test_spans_come_to_the_same_bytes(suite: str, cluster: LoopbackCluster, tmp_path: Path) -> None:
    cluster.session()
    write_jsonl(tmp_path / "gold.jsonl", items(60))
    write_jsonl(tmp_path / "spans.jsonl", spans(60))
    more = ("--no-config", "--json", "--quiet")
    one = ragstone(*WORDS[suite], *more, cwd=tmp_path)
    assert one.code in (0, 1), one.err
    assert one.json["inputs"]["lines" if suite == "score" else "traces"] == 51
    assert any("9 spans left out: no_root" in each for each in one.json["warnings"])
    there = ("--engine", "spark", "--master", cluster.master)
    assert ragstone(*WORDS[suite], *more, *there, cwd=tmp_path) == one
