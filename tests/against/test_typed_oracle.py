"""The engine against the oracle on gold with typed answers, nuggets and must_not."""

from __future__ import annotations

from typing import Any

import pytest
from against.answers_oracle import Share, expected
from against.test_answers_engine import often, scored
from builders import gold, trace
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples
from strategies import Case
from typed_cases import typed_cases

NEW = ("nugget_recall", "nugget_vital_recall", "nugget_all_vital", "forbidden")


@settings(often, max_examples=examples(4, long=80))
@given(
    st.lists(typed_cases(), min_size=50, max_size=50),
    st.sampled_from(("fail", "answered")),
    st.sampled_from(("last", "all")),
    st.booleans(),
    st.sampled_from((".", ",")),
)
def test_the_engine_agrees_with_the_oracle(
    batch: list[Case], missing: Any, keep: Any, scu: bool, decimal: Any
) -> None:
    if decimal == ",":
        batch = [([_readable(item) for item in items], lines) for items, lines in batch]
    options = {"missing": missing, "keep": keep, "scu": scu, "decimal": decimal}
    found = scored(batch, **options)
    for number, (items, lines) in enumerate(batch):
        says = expected(items, lines, **options)
        got = found[str(number)]
        for name in ("precision", "containment", *NEW):
            want = says.get(name)
            if want is None:
                # The whole run may have it, of which this is one case.
                assert not got.get(name, {"tested": 0})["tested"], (name, items, lines)
                continue
            assert isinstance(want, Share)
            assert got[name]["denominator"] == want.denominator, (name, items, lines)
            assert got[name]["value"] == pytest.approx(float(want.value), abs=1e-12), (
                *(name, items, lines),
            )


def _readable(item: dict[str, Any]) -> dict[str, Any]:
    """The item with its numbers as JSON numbers, which every decimal mark can read."""

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(part) for part in value]
        if not isinstance(value, dict):
            return value
        made = {key: plain(part) for key, part in value.items()}
        return made | {"number": float(made["number"])} if "number" in made else made

    return {name: plain(value) for name, value in item.items()}


def test_the_oracle_by_hand() -> None:
    nuggets = [{"id": "a", "any": ["Rome"]}, {"id": "b", "number": 5, "vital": False}]
    items = [
        {"qid": "A1", "answerable": True, "nuggets": nuggets, "must_not": ["in Paris"]},
        gold("A2", gold_claim_substr=["never said"], gold_answer={"number": 1577}),
    ]
    says = expected(items, [trace("A1", "Rome, not in Paris"), trace("A2", "1,577")])
    assert (says["containment"], says["precision"]) == (Share(2, 2, 1), Share(1, 2, 1))
    assert (says["nugget_recall"].value, says["nugget_vital_recall"].value) == (0.5, 1)
    assert (says["nugget_all_vital"], says["forbidden"]) == (Share(1, 1, 0), Share(1, 2, 0))
