import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.report_builder import NASTY, PRECISION, bare, nasty, report

from ragstone.report.formats import json_text


def test_the_keys_stand_in_the_order_of_the_spec() -> None:
    assert list(json_text.to_object(report())) == [
        *("format", "suite", "version", "decision", "pass", "proven", "digest"),
        *("answered", "refused", "answerable", "unanswerable", "precision", "k"),
        *("settings", "gates", "metrics", "funnel", "inputs", "warnings"),
    ]


def test_a_gate_and_a_metric_are_told_in_full() -> None:
    whole = json.loads(json_text.render(report()))
    assert whole["decision"] == "FAIL"
    assert whole["pass"] is False
    assert whole["proven"] == {"gates": 1, "of": 7, "level": 0.95}
    assert whole["gates"]["precision"] == {
        "metric": "precision",
        "threshold": 0.8,
        "op": ">=",
        "value": 63 / 87,
        "numerator": None,
        "denominator": 0,
        "tested": 0,
        "judged_on": 0.6222,
        "interval": [0.6222, 0.8073],
        "needs_samples": None,
        "status": "FAIL",
        "vacuous": False,
        "proven": False,
        "needed": [40, 140],
        "note": "",
    }
    assert whole["metrics"]["precision"] == {
        "value": 63 / 87,
        "numerator": 63,
        "denominator": 87,
        "tested": 87,
        "interval": [0.6222, 0.8073],
        "needs_samples": None,
        "vacuous": False,
        "kind": "ratio",
        "unit": "",
        "better": "higher",
        "says": PRECISION.metric.says,
        "title": "right and rightly cited",
    }


def test_values_are_not_rounded() -> None:
    assert '"value": 0.7241379310344828' in json_text.render(report())


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_a_number_becomes_null(bad: float) -> None:
    text = json_text.render(report(figures={"answered": bad}, data={"deep": [{"x": bad}]}))
    whole = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert whole["answered"] is None
    assert whole["deep"] == [{"x": None}]


def test_nasty_text_comes_back_unchanged_and_acts_on_no_terminal() -> None:
    text = json_text.render(nasty())
    assert json.loads(text)["offenders"] == [each[:2000] for each in NASTY]
    assert not set(text) & {"\x1b", "\x9b", "\x00", "\u202e"}
    assert "🪨" in text


@given(st.text(st.characters(codec=None)))
def test_any_text_survives_the_round_trip_as_utf8(text: str) -> None:
    written = json_text.dumps({"text": text})
    assert json.loads(written.encode("utf-8")) == {"text": text}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab{}[],:\n "\\', max_size=6),
    lambda inside: st.lists(inside, max_size=5) | st.dictionaries(st.text("ab:"), inside),
    max_leaves=30,
)


@given(VALUES)
def test_entry_by_entry_it_is_the_same_text(value: object) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_text, "_LONG", 2)
        written = json_text.dumps(value)
    assert written == json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def test_a_key_that_is_named_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match="'gates' twice"):
        json_text.to_object(report(data={"gates": {}}))


def test_it_ends_with_one_line_break() -> None:
    assert json_text.render(bare()).endswith("}\n")
