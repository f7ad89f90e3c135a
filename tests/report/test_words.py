from dataclasses import replace

import pytest
from report.report_builder import (
    GATES,
    LATENCY,
    PRECISION,
    bare,
    judged,
    passing,
    report,
    unmeasurable,
)

from ragstone.gates.gate import Status
from ragstone.report import words
from ragstone.report.build import combine
from ragstone.report.document.blocks import Offender, Offenders


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.72413, "0.7241"),
        (1.0, "1.0000"),
        (1234567, "1,234,567"),
        (1840.25, "1,840.2500"),
        (-0.25, "-0.2500"),
        (-0.00001, "0.0000"),
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "–"),
    ],
)
def test_a_number_is_shown_with_four_places(number: float | None, text: str) -> None:
    assert words.number(number) == text


def test_the_headline_names_the_gates_that_decided() -> None:
    assert words.headline(report()) == (
        "2 of 7 gates fail: right and rightly cited (precision), answers that break a constraint "
        "(scu_violations)."
    )
    assert words.headline(passing()) == "All 2 gates pass."
    assert words.headline(bare()) == "No gate is set."
    assert words.headline(unmeasurable()) == (
        "1 of 2 gates could not be measured: right and rightly cited (precision[tags=billing])."
    )


def test_a_failing_value_never_rounds_to_a_passing_one() -> None:
    near = replace(PRECISION, value=0.79999996)
    whole = report(metrics={"precision": near}, gates=(judged(near, ">=", 0.8, Status.FAIL),))
    assert words.gate_value(whole, whole.gates[0]) == "0.79999996"


def test_a_passing_value_is_just_rounded() -> None:
    near = replace(PRECISION, value=0.80004)
    whole = report(metrics={"precision": near}, gates=(judged(near, ">=", 0.8),))
    assert words.gate_value(whole, whole.gates[0]) == "0.8000"


def test_a_sentence_tells_what_the_number_was_computed_over() -> None:
    assert words.sentence(report(), GATES[0]) == (
        "right and rightly cited (precision): 0.7241 (63/87), 95 % interval 0.6222 to 0.8073; "
        "the gate is >= 0.8; not proven: 40 to 140 more questions would settle it"
    )


def test_a_slice_does_not_borrow_the_numbers_of_the_whole() -> None:
    assert words.whole(report(), GATES[6]) is None
    assert "63/87" not in words.sentence(report(), GATES[6])


def test_a_quantile_carries_its_unit() -> None:
    assert words.value(LATENCY) == "1,840 ms"


def test_a_vacuous_gate_says_so_once() -> None:
    plain = judged(PRECISION, ">=", 0.8, vacuous=True)
    assert words.about(plain).startswith("nothing to test")
    assert words.about(replace(plain, note="nothing to test: empty")).count("nothing") == 1


def test_metrics_without_a_gate_keep_the_order_of_declaration() -> None:
    assert list(words.ungated(report())) == ["recall@k", "recall_frac@k", "unscoped", "containment"]


def test_a_note_that_tells_the_proof_is_not_told_again() -> None:
    told = judged(PRECISION, ">=", 0.8, proven=False, needed=(9, 9), note="not proven: 9 settle it")
    assert words.about(told) == "not proven: 9 settle it"


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "95 % interval"),
        ({"confidence": None, "map": {}}, "95 % interval"),
        ({"confidence": 0.9}, "90 % interval"),
        ({"answers": {"confidence": 0.99}, "latency": {"confidence": 0.99}}, "99 % interval"),
        ({"answers": {"confidence": 0.99}, "latency": {}}, "interval"),
    ],
)
def test_the_interval_is_named_by_its_level(settings: dict[str, object], name: str) -> None:
    assert words.interval_name(report(settings=settings)) == name


def test_a_report_of_several_suites_finds_its_metrics_under_their_suite() -> None:
    both = combine([report(), passing()])
    assert words.gate_value(both, both.gates[5]) == "1,840 ms"
    assert words.sentence(both, both.gates[1]).startswith(
        "cites the right evidence (answers.chr): 0.8161 (71/87)"
    )
    assert "answers.precision" not in words.ungated(both)


def test_a_gate_is_called_by_its_plain_name_first() -> None:
    whole = report()
    assert words.gate_title(whole, whole.gates[0]) == "right and rightly cited (precision)"
    # The metric of this report says no plain name; its suite knows one.
    assert words.gate_title(whole, whole.gates[1]) == "cites the right evidence (chr)"
    other = replace(whole, suite="no such suite")
    assert words.gate_title(other, other.gates[1]) == "chr"
    (sliced,) = [gate for gate in whole.gates if gate.name == "precision[tags=billing]"]
    assert words.gate_title(whole, sliced) == "right and rightly cited (precision[tags=billing])"
    both = combine([whole, passing()])
    assert words.gate_title(both, both.gates[0]) == "right and rightly cited (answers.precision)"


def test_what_is_wrong_with_a_row_is_said_first() -> None:
    row = Offender("A1", ("chr",), ("shipped",), problems=("answered, but it has no answer",))
    ((_, said),) = words.complaints(report(blocks=(Offenders("Offenders", (row,), 1),)))
    assert said.splitlines()[:2] == [
        "A1: answered, but it has no answer",
        "counts against cites the right evidence (chr)",
    ]


def test_a_row_kept_by_an_older_version_names_its_checks() -> None:
    assert words.wrong(Offender("A1", ("chr",), ("shipped",))) == ("fails shipped",)
