"""`checks/people`: the table of agreement, on a set small enough to count by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from builders import gold, trace, write_jsonl

CHECKS = Path(__file__).parents[1] / "checks"


def test_the_table_counts_right_and_wrong_answers_of_the_gate_and_of_other_rules(
    tmp_path: Path,
) -> None:
    item = gold("q0", question="Who was it?", gold_claim_substr=["Wilhelm Conrad Röntgen"])
    write_jsonl(tmp_path / "gold.jsonl", [{**item, "gold_citations": None}])
    labels = {"a": "correct", "b": "correct", "c": "incorrect"}
    said = {"a": "Wilhelm Conrad Röntgen.", "b": "Wilhelm Röntgen.", "c": "Anna Röntgen."}
    for system, claim in said.items():
        write_jsonl(tmp_path / f"{system}.jsonl", [trace("q0", claim, ())])
    people = [{"qid": "q0", "system": name, "label": label} for name, label in labels.items()]
    write_jsonl(tmp_path / "people.jsonl", people)
    command = (sys.executable, "-m", "people", str(tmp_path))
    ran = subprocess.run(
        command, cwd=CHECKS, env={**os.environ}, capture_output=True, text=True, check=True
    )
    rows = {line.split(" | ")[0][2:]: line for line in ran.stdout.splitlines() if "|" in line}
    assert rows["the gate, after `gold type --accept all`"].startswith(
        "| the gate, after `gold type --accept all` | 1.000 | 1.000 | 0.000 ("
    )
    assert "| icontains | 0.667 | 0.400 | 0.500 (" in rows["icontains"]
    assert rows["name"] == "| name | 2 | 0 |"
