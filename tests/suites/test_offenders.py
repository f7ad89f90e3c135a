"""Which rows cost a metric something: none where the metric could not be measured."""

from typing import Any

from suites.retrieval.retrieval_builders import OWN, item, run

import ragstone


def test_what_could_not_be_measured_lists_nobody_as_failing() -> None:
    """A computed ΔS without a calibrated line measures no gate, however far off it seems."""
    items = [item(f"q{n}") for n in range(5)]
    lines = [{k: v for k, v in run(each["qid"]).items() if k != "ΔS"} for each in items]
    texts = [{"id": OWN, "text": "Bananas ripen in the sun."}]
    report: Any = ragstone.retrieval(items, lines, texts=texts)
    (gate,) = [each for each in report.gates if each.name == "delta_s_over"]
    assert (gate.status.value, gate.value) == ("UNMEASURABLE", None)
    assert "delta_s_over" not in report.offending
    assert not [row for row in report.data["offenders"] if "delta_s_over" in row["costs"]]


def test_what_was_measured_and_is_not_proven_still_lists_its_rows() -> None:
    items = [item(f"q{n}") for n in range(5)]
    lines = [run(each["qid"]) for each in items[:4]]
    report: Any = ragstone.retrieval(items, lines, gates={"coverage": 0.7}, confidence=0.95)
    (gate,) = [each for each in report.gates if each.name == "coverage"]
    assert (gate.status.value, gate.value) == ("UNMEASURABLE", 0.8)
    assert report.offending["coverage"] == ("q4",)
