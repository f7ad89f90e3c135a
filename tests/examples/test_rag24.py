"""The TREC RAG 2024 example: citations in the text, against the judgments."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "rag24.py"


@pytest.fixture(scope="module")
def rag24() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(SCRIPT)))


@pytest.fixture(scope="module")
def folder(shared_data) -> Path:
    found = Path(shared_data, "rag24")
    if not found.is_dir():
        pytest.skip(f"{found} is not there")
    return found


@pytest.fixture(scope="module")
def scored(rag24, folder, tmp_path_factory) -> dict[str, dict[str, float]]:
    found = rag24.score_all(folder, tmp_path_factory.mktemp("out"))
    return {each.name: each.figures for each in found}


@pytest.mark.data
def test_who_cites_everything_loses_precision(scored):
    styles = [name for name in scored if not name.endswith(" citing everything")]
    assert len(styles) == 3
    for style in styles:
        some, everything = scored[style], scored[f"{style} citing everything"]
        assert everything["citation_precision"] < some["citation_precision"]
        assert everything["citation_recall"] > some["citation_recall"]


@pytest.mark.data
def test_the_precision_is_that_of_the_markers_and_the_judgments(scored, folder):
    """Counted here from the files alone."""
    evidence: dict[str, set[str]] = {}
    for line in (folder / "qrels.txt").read_text().splitlines():
        topic, _, document, grade = line.split()
        if int(grade) >= 1:
            evidence.setdefault(topic, set()).add(document)
    retrieved = {
        topic["topic"]: topic["references_ids"]
        for topic in map(json.loads, (folder / "retrieval.jsonl").read_text().splitlines())
    }
    shares: dict[str, list[float]] = {}
    for line in (folder / "responses.jsonl").read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)
        if not evidence.get(answer["topic"]):
            continue
        markers = re.findall(r"\[(\d+(?:,\s*\d+)*)\]", answer["text"])
        places = {int(place) for marker in markers for place in marker.split(",")}
        ids = retrieved[answer["topic"]]
        cited = {ids[place] if place < len(ids) else f"[{place}]" for place in places}
        right = len(cited & evidence[answer["topic"]])
        shares.setdefault(answer["style"], []).append(right / len(cited) if cited else 0)
    for style, some in shares.items():
        assert scored[style]["citation_precision"] == pytest.approx(fmean(some))
