"""Paragraphs of SQuAD 2.0 through `index build`, `run --target index:` and `score`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Command, Folder


@pytest.mark.data
def test_real_paragraphs_are_indexed_asked_and_scored(
    command: Command, folder: Folder, shared_data: Path
) -> None:
    source = shared_data / "squad2" / "dev-v2.0.from-explorer-html.json"
    articles = json.loads(source.read_text(encoding="utf-8"))["data"][:2]
    for article in articles:
        for number, paragraph in enumerate(article["paragraphs"]):
            folder.write(f"docs/{article['title']}/{number:03}.txt", paragraph["context"])
    assert command("index", "build", "docs", "-o", "i").code == 0
    assert command("index", "verify", "i", "--docs", "docs").code == 0
    chunks: dict[str, list[dict[str, str]]] = {}
    for line in (folder.work / "i" / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        chunk = json.loads(line)
        chunks.setdefault(chunk["doc"], []).append(chunk)
    gold = [
        {
            "qid": asked["id"],
            "question": asked["question"],
            "answerable": not asked["is_impossible"],
            "gold_claim_substr": [answer["text"] for answer in asked["answers"]],
            "gold_citations": [
                chunk["id"]
                for chunk in chunks[f"{article['title']}/{number:03}.txt"]
                if any(answer["text"] in chunk["text"] for answer in asked["answers"])
            ],
        }
        for article in articles
        for number, paragraph in enumerate(article["paragraphs"])
        for asked in paragraph["qas"]
    ]
    folder.write("gold.jsonl", gold)
    words = ("--gold", "gold.jsonl", "-o", "trace.jsonl", "--quiet")
    assert command("run", "--target", "index:i", *words).code == 0
    ran = command("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json")
    assert ran.code in (0, 1)
    assert ran.json["metrics"]["missing"]["value"] == 0
    assert ran.json["metrics"]["unscoped"]["value"] == 0
    # Two articles are easier than all thirty-five; for all see docs/index-command.md.
    assert ran.json["metrics"]["recall_any@k"]["value"] > 0.9
