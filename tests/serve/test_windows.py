"""Windows over a recorded hour: the faults in it are found, at their minute, in any order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest
from builders import gold, trace
from full_disk import full_disk
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from long_runs import examples, one_of_each
from serve.recorded_hour import (
    COVERAGE_DROP,
    DELTA_S_SPIKE,
    INDEX_DRIFT,
    MINUTE,
    MINUTES,
    SLOW,
    START,
    records,
)

from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.serve.alert_rules import AlertState, Value, rule_of, rules_in
from ragstone.serve.batch_reader import read_records
from ragstone.serve.judged_records import judging_by
from ragstone.serve.live_state import live_state
from ragstone.serve.minute_rows import Judging, Line
from ragstone.serve.minute_windows import Closed, MinuteWindows
from ragstone.serve.otlp_spans import read_spans
from ragstone.serve.top_ten import kendall_tau
from ragstone.serve.window_numbers import WindowSettings
from ragstone.suites.audit.options import AuditOptions
from ragstone.suites.config_file import Config

RULES = rules_in({}, "alerts")
LATE = 120_000
NOW = START + 3 * 3_600_000


@pytest.fixture
def windows() -> Iterator[MinuteWindows]:
    made = MinuteWindows(WindowSettings(samples=100), RULES, Judging(AuditOptions()))
    yield made
    made.close()


def add(windows: MinuteWindows, values: Iterable[dict[str, Any]]) -> None:
    """Records as a server adds them: checked, and written as traces."""
    body = b"".join(json.dumps(value).encode() + b"\n" for value in values)
    found = read_records(body, NOW)
    assert found.problems == []
    for record, line in zip(found.records, found.lines, strict=True):
        windows.add(Line(record.moment, record.id, line))


def raised(closed: Iterable[Closed]) -> list[tuple[str, str, int]]:
    return [
        (
            alert.rule.number,
            "raised" if alert.raised else "resolved",
            alert.minute - START // MINUTE,
        )
        for each in closed
        for alert in each.alerts
    ]


@pytest.mark.parametrize("seed", one_of_each([None, 1, 2], lambda seed: seed is None))
def test_a_recorded_hour_raises_what_was_put_there_and_nothing_else(
    windows: MinuteWindows, seed: int | None
) -> None:
    values = list(records())
    if seed is not None:
        values = arrivals(values, Random(seed))
    closed = []
    for begin in range(0, len(values), 500):
        add(windows, values[begin : begin + 500])
        closed += windows.advance()
    closed += windows.advance(NOW)
    assert windows.late == 0
    # Half of the records are not covered: with three of five minutes the window is at 0.70, and
    # with four below it; that must last for five. A third has a ΔS of 0.7: with two of five
    # minutes more than a tenth of the window has it; that must last for three. One record is
    # enough for the index, and one slow minute in five for the p95.
    assert raised(closed) == [
        ("coverage", "raised", COVERAGE_DROP[0] + 3 + 4),
        ("coverage", "resolved", COVERAGE_DROP[1] + 1),
        ("delta_s_p90", "raised", DELTA_S_SPIKE[0] + 1 + 2),
        ("delta_s_p90", "resolved", DELTA_S_SPIKE[1] + 3),
        ("index_hashes", "raised", INDEX_DRIFT),
        ("index_hashes", "resolved", INDEX_DRIFT + 5),
        ("p95_ratio", "raised", SLOW[0]),
        ("p95_ratio", "resolved", SLOW[1] + 4),
        # Nothing comes after the hour: five empty minutes are a window, and five such windows.
        ("traffic", "raised", MINUTES + 4 + 4),
    ]


def plain(values: Iterable[dict[str, Any]]) -> dict[int, dict[str, list[float]]]:
    """What each minute holds, counted without any of the program."""
    found: dict[int, dict[str, list[float]]] = {}
    for value in values:
        minute = found.setdefault(value["ts"] // MINUTE, {})
        minute.setdefault("coverage", []).append(value["answer"]["coverage"])
        minute.setdefault("delta_s", []).append(value["answer"]["ΔS"])
        minute.setdefault("llm", []).append(value["perf"]["t_reason_ms"])
    return found


def quantile(values: list[float], q: float) -> float:
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def test_the_numbers_are_those_of_a_plain_count(windows: MinuteWindows) -> None:
    values = list(records(range(10, 36)))
    add(windows, values)
    counted = plain(values)
    for each in windows.advance(NOW)[5:25]:
        five = [counted.get(each.minute - back, {}) for back in range(5)]
        coverage, spread, times = (
            [number for minute in five for number in minute.get(name, [])]
            for name in ("coverage", "delta_s", "llm")
        )
        found = each.numbers
        assert found["coverage"].value == pytest.approx(sum(coverage) / len(coverage))
        assert found["delta_s_median"].value == pytest.approx(quantile(spread, 0.5))
        assert found["delta_s_p90"].value == pytest.approx(quantile(spread, 0.9))
        assert found["p95_llm"].value == pytest.approx(quantile(times, 0.95))
        assert found["citation_accuracy"].value == 1.0
        assert found["divergence"].value == 0.0
        assert found["top_ten_tau"].value == 1.0
        assert found["coverage"].samples == len(coverage) == 250


def arrivals(values: list[dict[str, Any]], chance: Random) -> list[dict[str, Any]]:
    """The records in an order in which none comes later than the allowance."""
    return sorted(values, key=lambda value: (value["ts"] + chance.randrange(LATE), chance.random()))


@cache
def in_order() -> list[Closed]:
    windows = MinuteWindows(WindowSettings(samples=100), RULES, Judging(AuditOptions()))
    add(windows, records(range(8, 26), each=25))
    closed = windows.advance(NOW)
    windows.close()
    return closed


@given(seed=st.integers(0, 10**6), pieces=st.integers(1, 6))
@settings(
    deadline=None,
    max_examples=examples(2, long=40),
    # One example takes a second: a smaller one that fails would say no more.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
def test_the_order_of_arrival_within_the_allowance_changes_nothing(seed: int, pieces: int) -> None:
    chance = Random(seed)
    shuffled = arrivals(list(records(range(8, 26), each=25)), chance)
    windows = MinuteWindows(WindowSettings(samples=100), RULES, Judging(AuditOptions()))
    closed = []
    cuts = sorted(chance.sample(range(1, len(shuffled)), pieces))
    for begin, end in zip([0, *cuts], [*cuts, len(shuffled)], strict=True):
        add(windows, shuffled[begin:end])
        closed += windows.advance()
    closed += windows.advance(NOW)
    windows.close()
    assert windows.late == 0
    # 13 of 25 are not covered: three of five minutes are enough.
    assert raised(in_order()) == [
        ("coverage", "raised", 18),
        ("coverage", "resolved", 24),
        ("traffic", "raised", 34),
    ]
    assert closed == in_order()


def test_a_record_that_comes_too_late_is_counted_and_left_out(windows: MinuteWindows) -> None:
    values = list(records(range(10)))
    add(windows, values[1:])
    windows.advance()
    add(windows, values[:1])
    assert windows.late == 1


def test_a_window_needs_samples(windows: MinuteWindows) -> None:
    add(windows, records(range(20), each=3))
    last = windows.advance()[-1].numbers
    # 51 samples in an hour are too few for anything but the index, which one record can show.
    assert [name for name, found in last.items() if found.value is not None] == ["index_hashes"]


def test_the_error_budget_is_that_of_an_hour(windows: MinuteWindows) -> None:
    add(windows, records(range(60)))
    closed = windows.advance(START + 62 * MINUTE)
    budget = live_state(windows, closed[-1].numbers)["error_budget"]
    # Ten minutes in which half of 50 records is not covered: 250 of the 900 that 0.70 allows.
    assert budget["coverage"] == {  # type: ignore[index]
        "samples": 3000,
        "allowed": 900.0,
        "missed": 250.0,
        "used": pytest.approx(250 / 900, abs=1e-6),
    }


def test_traces_are_judged_by_the_audit(windows: MinuteWindows) -> None:
    good = {**trace("A1"), "latency_ms": 10}
    bad = {**trace("A2"), "answer_json": {"claim": "It is.", "citations": ["nowhere"]}}
    values = [
        {
            **(bad if number % 4 == 0 else good),
            "trace_id": f"t{number}",
            "ts": START + number * 1000,
        }
        for number in range(400)
    ]
    add(windows, values)
    numbers = windows.advance(START + 10 * MINUTE)[5].numbers
    assert numbers["citation_accuracy"].value == 0.75
    assert "coverage" not in numbers
    audited = windows.suite_numbers(START // MINUTE + 4)["audit"]
    assert (audited["unscoped"].value, audited["answer_rate"].value) == (0.25, 1.0)


def test_gold_gives_the_metrics_of_answers(tmp_path: Path) -> None:
    items = [gold("Q1", question="Which?"), gold("Q2", answerable=False)]
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    right, cites = trace("Q1"), trace("Q1")["answer_json"]["citations"]
    by_question = {key: value for key, value in right.items() if key != "qid"} | {"q": "Which?"}
    wrong = {**right, "answer_json": {**right["answer_json"], "citations": []}}
    values = [
        {**(right, by_question, wrong, trace("Q2"))[number % 4], "ts": START + number * 700}
        for number in range(400)
    ]
    assert cites
    with Duck(1) as duck:
        windows = MinuteWindows(WindowSettings(), RULES, judging_by(Config(), [str(path)], duck))
        add(windows, values)
        closed = windows.advance(START + 7 * MINUTE)
        found = windows.suite_numbers(START // MINUTE + 4)["answers"]
        windows.close()
    assert {name: found[name].value for name in ("precision", "chr", "under_refusal")} == {
        # Of four, two are right, one cites nothing, and one should have been refused.
        "precision": 0.5,
        "chr": 0.5,
        "under_refusal": 1.0,
    }
    assert closed[-1].numbers["coverage"].value == pytest.approx(2 / 3, abs=0.01)


@pytest.mark.parametrize(
    ("one", "other", "tau"),
    [
        ("abcdefghij", "abcdefghij", 1.0),
        ("abcdefghij", "jihgfedcba", -1.0),
        ("abc", "acb", 1 / 3),
        # a before b and c in both; b or c alone in its list: of 3 pairs 2 agree and 1 does not.
        ("ab", "ac", 1 / 3),
        ("ab", "cd", -4 / 6),
    ],
)
def test_tau_of_two_lists(one: str, other: str, tau: float) -> None:
    assert kendall_tau(list(one), list(other)) == pytest.approx(tau)


@given(st.permutations("abcdefgh"), st.permutations("abcdefgh"))
def test_tau_is_symmetric_and_bounded(one: list[str], other: list[str]) -> None:
    tau = kendall_tau(one, other)
    assert tau is not None
    assert -1 <= tau <= 1
    assert tau == kendall_tau(other, one)


def test_a_rule_must_hold_without_a_gap() -> None:
    state = AlertState((rule_of("coverage", "< 0.70 for 3m", ""),))  # type: ignore[arg-type]
    values = [0.6, 0.6, None, 0.6, 0.6, 0.6, 0.6, 0.7]
    changes = [
        [alert.raised for alert in state.judge(minute, {"coverage": Value(value)})]
        for minute, value in enumerate(values)
    ]
    assert changes == [[], [], [], [], [], [True], [], [False]]


def test_two_alarming_windows_or_a_drift_say_go_back() -> None:
    state = AlertState(rules_in({"coverage": "< 0.7"}, ""))
    state.judge(1, {"coverage": Value(0.5)})
    assert not state.roll_back
    state.judge(2, {"coverage": Value(0.5)})
    assert state.roll_back
    state.judge(3, {"coverage": Value(0.9)})
    assert not state.roll_back
    state.judge(4, {"index_hashes": Value(2.0)})
    assert state.roll_back


def spans_of(count: int) -> Iterator[str]:
    """Lines of traces with one span each, in the first minute."""
    for number in range(count):
        trace_id, end = f"{number:032x}", START + number
        span: dict[str, Any] = {"traceId": trace_id, "spanId": "b" * 16, "name": "x" * 1_000}
        span |= {"startTimeUnixNano": f"{end}000000", "endTimeUnixNano": f"{end}000000"}
        said = {"openinference.span.kind": "CHAIN", "input.value": "What?", "output.value": "It."}
        span["attributes"] = [
            {"key": key, "value": {"stringValue": value}} for key, value in said.items()
        ]
        body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
        yield read_spans(body, NOW, protobuf=False).lines[0]


@pytest.mark.parametrize("limit", [0, 1_000, 20_000])
def test_a_full_folder_for_temporary_files_loses_no_record_and_no_minute(
    windows: MinuteWindows, limit: int
) -> None:
    """The kernel lets no file grow beyond a size while minutes are closed; then it does again."""
    values = list(records(range(5), each=40))
    for line in spans_of(20):
        windows.add_span(line, START)
    add(windows, values[:100])
    with full_disk(limit), pytest.raises((OSError, InputError, duckdb.Error)):
        add(windows, values[100:])
        windows.advance(START + 20 * MINUTE)
    windows.forget(frozenset(["nobody"]))
    closed = windows.advance(START + 20 * MINUTE)
    assert [each.minute - START // MINUTE for each in closed] == [*range(18)]
    counts = windows.counts(0, 10**9)
    assert (sum(counts.values()), windows.late, windows.unread) == (220, 0, 0)


def test_a_record_that_cannot_be_judged_is_left_out_and_counted(
    windows: MinuteWindows, capfd: pytest.CaptureFixture[str]
) -> None:
    add(windows, records(range(2), each=20))
    windows.add(Line(START, "0123", '{"qid": what no reader takes}'))
    windows.advance(START + 20 * MINUTE)
    assert sum(windows.counts(0, 10**9).values()) == 40
    assert windows.unread == 1
    assert "a record cannot be judged, and is in no window" in capfd.readouterr().err
