"""What may come in: every spelling of ΔS and λ_state, and every bad line by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import write_jsonl
from good_lines import diagnosed
from suites.retrieval.retrieval_builders import OWN, chunk, full, item, run

from ragstone.api import retrieval
from ragstone.contracts.records.retrieval_records import (
    DELTA_S,
    LAMBDA_STATE,
    MANIFEST,
    RETRIEVAL_GOLD,
    RETRIEVAL_LOG,
    STATES,
)
from ragstone.engine.duck import Duck
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import ContractError


@pytest.mark.parametrize("name", DELTA_S)
def test_every_spelling_of_delta_s_is_read(name: str) -> None:
    lines = [{**{k: v for k, v in line.items() if k != "ΔS"}, name: [0.25, 0.5]} for line in full()]
    assert retrieval([item()], lines)["delta_s_median"].value == 0.25


def test_the_spellings_are_those_of_three_wrong_encodings() -> None:
    assert DELTA_S == ("ΔS", "delta_s", "dS", "Î\x94S", "Î”S", "ŒîS")
    assert LAMBDA_STATE == ("λ_state", "lambda_state", "Î»_state", "Œª_state")
    assert STATES["->"] == STATES["â†’"] == STATES["â\x86\x92"] == STATES["‚Üí"] == "→"
    assert STATES["<-"] == STATES["â†\x90"] == STATES["‚Üê"] == "←"
    assert STATES["x"] == STATES["Ã—"] == STATES["Ã\x97"] == STATES["√ó"] == "×"


def test_every_spelling_of_a_state_is_read() -> None:
    lines = []
    for number, spelling in enumerate(STATES):
        name = LAMBDA_STATE[number % len(LAMBDA_STATE)]
        lines.append(run(paraphrase=number % 3, seed=number, **{name: spelling}))
    report: Any = retrieval([item()], lines)
    wanted = {state: list(STATES.values()).count(state) for state in ("→", "←", "<>", "×")}
    assert report.data["lambda"]["states"] == wanted


BAD: tuple[tuple[Any, Any, str], ...] = (
    (RETRIEVAL_GOLD, item(relevant=[]), "relevant"),
    (RETRIEVAL_GOLD, item(paraphrases=[]), "paraphrases"),
    (RETRIEVAL_GOLD, item(relevant="S.4"), "relevant"),
    (RETRIEVAL_GOLD, item(relevant_offsets={OWN: [5, 2]}), "relevant_offsets"),
    (RETRIEVAL_GOLD, item(relevant_offsets={OWN: [1, 2, 3]}), "relevant_offsets"),
    (RETRIEVAL_GOLD, item(relevant_offsets={OWN: ["1", 2]}), "relevant_offsets"),
    (RETRIEVAL_LOG, run(topk=[{"id": 7}], ΔS=[0.1]), "topk"),
    (RETRIEVAL_LOG, run(topk=["a"], ΔS=[0.1]), "topk"),
    (RETRIEVAL_LOG, run(topk=[{"id": "a", "score": "1"}], ΔS=[0.1]), "topk"),
    (RETRIEVAL_LOG, run(topk=[{"id": "a", "offsets": [2, 1]}], ΔS=[0.1]), "topk"),
    (RETRIEVAL_LOG, run(topk=[{"id": "a", "offsets": [0, 1.5]}], ΔS=[0.1]), "topk"),
    (RETRIEVAL_LOG, run(topk=[{"id": "a", "offsets": [True, 2]}], ΔS=[0.1]), "topk"),
    (RETRIEVAL_LOG, run(topk=[{"id": "a", "type": "poem"}], ΔS=[0.1]), "topk"),
    (RETRIEVAL_LOG, run(topk=[None], ΔS=[0.1]), "topk"),
    (RETRIEVAL_LOG, run(topk=None, ΔS=None), "topk"),
    (RETRIEVAL_LOG, run(ΔS=[0.1]), "ΔS"),
    (RETRIEVAL_LOG, run(ΔS=[0.1, "0.2"]), "ΔS"),
    (RETRIEVAL_LOG, run(ΔS=[0.1, None]), "ΔS"),
    (RETRIEVAL_LOG, run(ΔS=0.1), "ΔS"),
    (RETRIEVAL_LOG, run(λ_state="sideways"), "λ_state"),
    (RETRIEVAL_LOG, run(cites=[{"id": OWN, "hash": 5}]), "answer_citations"),
    (RETRIEVAL_LOG, run(ts="yesterday"), "ts"),
    (MANIFEST, chunk(offsets=[3]), "offsets"),
    (MANIFEST, chunk(offsets=[-1, 3]), "offsets"),
    (MANIFEST, chunk(type="poem"), "type"),
    (MANIFEST, chunk(section_id=None), "section_id"),
)


@pytest.mark.parametrize(("record", "line", "field"), BAD)
def test_both_passes_refuse_a_bad_line_and_name_its_field(
    record: Any, line: Any, field: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragstone.contracts.sources import find

    path = write_jsonl(tmp_path / "lines.jsonl", [line])
    found = diagnosed(record, "f", path.read_bytes().splitlines(), {})
    assert [d.field for d in found] == [field]
    # A small file would be read by one of the two alone.
    monkeypatch.setattr("ragstone.engine.read_lines._SMALL", 0)
    with Duck(1) as duck, pytest.raises(ContractError) as error:
        load(duck, Loading(record, find(path, "x", duck.scratch), "t", "1 as one,", {}))
    assert [d.field for d in error.value.diagnostics] == [field]


@pytest.mark.parametrize(
    "text",
    [
        '{"qid": "q", "topk": [{"id": "a", "id": "b"}]}',
        '{"qid": "q", "topk": [{"id": "a", "z": 1, "z": 2}]}',
        '{"qid": "q", "topk": [], "extra": {"deep": {"k": 1, "k": 2}}}',
        '{"qid": "q", "topk": [' + '{"id": "a"}, ' * 30 + '{"id": "a", "y": 1, "y": 2}]}',
    ],
)
def test_a_repeated_key_is_found_wherever_it_stands(text: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(ContractError, match="is repeated"):
        retrieval([item("q")], path)


def test_what_the_contract_does_not_know_is_left_alone(tmp_path: Path) -> None:
    line = run(extra={"a": [1, {"b": 2}]}, note="a { brace and a , ] bracket")
    line["topk"][0]["rank_feature"] = {"bm25": 1.5}
    path = tmp_path / "log.jsonl"
    path.write_text("\ufeff" + json.dumps(line) + "\n\n", encoding="utf-8")
    assert retrieval([item()], path)["R@1"].value == 1.0


def test_a_repeated_chunk_or_question_is_named_on_both_lines() -> None:
    with pytest.raises(ContractError, match=r"<manifest>:2: id: .* was already given on line 1"):
        retrieval([item()], [run()], manifest=[chunk(), chunk()])
    with pytest.raises(ContractError, match=r"<gold>:2: qid:"):
        retrieval([item(), item()], [run()])
