"""The fast pass and the careful one agree on which lines of labels, runs and samples are bad."""

from __future__ import annotations

import json
from typing import Any

import pytest
from good_lines import diagnosed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_runs import examples

from ragstone.contracts.record import Record
from ragstone.contracts.records.label_records import LABEL, PAIRS
from ragstone.contracts.records.trace_records import RUN, SAMPLE
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import ContractError

said = st.fixed_dictionaries({}, optional={"label": st.sampled_from(["VALID", "valid", "", None])})
odd = st.sampled_from(
    [None, "", "x", "VALID", "INVALID", 0, -1, 0.5, -0.0, 1e3, True, [], {}, ["p"]]
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "qid": st.sampled_from(["a", "", None, 7]),
    "scholar": said | odd,
    "auditor": said | odd,
    "label": odd,
    "config": odd,
    "rps": odd,
    "latency_ms": odd,
    "planned": odd,
    "cost_usd": odd,
    "knobs": odd,
    "run_id": odd,
    "seed": odd,
    "jitter": odd,
    "paraphrase": odd,
}
good: dict[str, Any] = {
    "qid": "a", "scholar": {"label": "VALID"}, "auditor": {"label": "REJECT"}, "label": "ABSTAIN",
    "config": "c", "rps": 1, "latency_ms": 5, "run_id": "r", "seed": 1, "jitter": "ws",
}  # fmt: skip
changes = st.dictionaries(st.sampled_from(sorted(VALUES)), st.none(), max_size=2).flatmap(
    lambda names: st.fixed_dictionaries({name: VALUES[name] for name in names})
)
lines = st.lists(
    st.tuples(changes, st.sets(st.sampled_from(sorted(good)), max_size=2)).map(
        lambda pair: {
            key: value for key, value in {**good, **pair[0]}.items() if key not in pair[1]
        }
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("record", [PAIRS, LABEL, RUN, SAMPLE], ids=lambda record: record.name)
@settings(
    max_examples=examples(8, long=250), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(drawn=lines)
def test_both_passes_name_the_same_lines(record: Record, drawn: list[dict[str, Any]]) -> None:
    with Duck(1) as duck:
        path = duck.scratch / "lines.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in drawn))
        with path.open("rb") as file:
            expected = diagnosed(record, "lines", file, {})
        found = []
        try:
            load(duck, Loading(record, (Source("lines", path),), "t", "qid as qid,", {}))
        except ContractError as error:
            found = list(error.diagnostics)
    assert found == expected
