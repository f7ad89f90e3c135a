"""Nobody turns an alarm off: not by a wrong clock, not by sending late, not by sending nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from serve.recorded_hour import MINUTE, START, records
from serve.running_server import serving, until
from serve.test_windows import add, raised

from ragstone.serve.alert_log import AlertLog
from ragstone.serve.alert_rules import Alert, AlertState, Value, rules_in
from ragstone.serve.minute_rows import Judging, Line
from ragstone.serve.minute_windows import MinuteWindows
from ragstone.serve.window_numbers import WindowSettings
from ragstone.suites.audit.options import AuditOptions

RULES = rules_in({}, "alerts")
FIRST = START // MINUTE
AHEAD = 299_000
BAD = Value(0.5, 300, FIRST)


class Clock:
    """The clock of a server, which a test sets."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def windows(clock: Clock) -> Iterator[MinuteWindows]:
    made = MinuteWindows(WindowSettings(samples=100), RULES, Judging(AuditOptions()), now=clock)
    yield made
    made.close()


def at(moment: int, number: int) -> dict[str, Any]:
    """A record of nobody's in particular."""
    return {**next(records(range(1), each=1)), "trace_id": f"x{number}", "ts": moment}


@pytest.mark.parametrize("kind", ["record", "span"])
def test_a_sender_that_is_ahead_makes_nobody_late(
    windows: MinuteWindows, clock: Clock, kind: str
) -> None:
    """One of two senders is five minutes ahead all the time; the coverage of the other drops."""
    closed = []
    for minute in range(8, 22):
        clock.now = START + minute * MINUTE
        if kind == "record":
            add(windows, [at(clock.now + AHEAD, minute)])
        else:
            windows.add_span(f"0 {clock.now + AHEAD} t{minute} {{}}", clock.now + AHEAD)
        closed += windows.advance()
        clock.now = START + (minute + 1) * MINUTE
        add(windows, records(range(minute, minute + 1), each=25))
    closed += windows.advance(clock.now + 3 * MINUTE)
    assert windows.late == 0
    assert raised(closed) == [("coverage", "raised", 18)]


def test_a_server_keeps_its_own_time(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        now = time.time_ns() // 10**6
        server.send(*(at(now - 6 * MINUTE + number, number) for number in range(10)))
        server.send(at(now + AHEAD, 100))
        until(lambda: server.get("/v1/windows").json)
        server.send(*(at(time.time_ns() // 10**6 - 60_000, 200 + each) for each in range(10)))
        assert "ragstone_records_late_total 0\n" in server.get("/metrics").body.decode()
        assert server.send(at(now + 2 * AHEAD, 300)).status == 422


def state_after(values: Iterable[dict[str, Value]]) -> AlertState:
    state = AlertState(RULES)
    for minute, numbers in enumerate(values):
        state.judge(FIRST + minute, numbers)
    return state


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.number))
def test_what_is_not_measured_ends_no_alert(rule: Any) -> None:
    bad = Value({"<": rule.limit - 1}.get(rule.sign[0], rule.limit + 1), 300, FIRST)
    good = Value({"<": rule.limit + 1}.get(rule.sign[0], rule.limit - 1), 300, FIRST)
    alarming = [{rule.number: bad}] * (rule.minutes + 1)
    state = state_after(alarming)
    going_back = state.roll_back
    assert going_back == (rule.number not in ("late_share", "traffic"))
    for minute in range(90):
        assert state.judge(FIRST + 10 + minute, {}) == []
    assert [*state.standing] == [rule.number]
    assert state.roll_back == going_back
    assert [each.raised for each in state.judge(FIRST + 200, {rule.number: good})] == [False]
    assert (state.standing, state.roll_back) == ({}, False)


def test_silence_after_the_first_alarming_window_is_no_second_one() -> None:
    state = state_after([{"divergence": Value(0.5, 300)}, {}, {}])
    assert not state.roll_back
    state.judge(FIRST + 9, {"divergence": Value(0.5, 300)})
    assert state.roll_back


def test_an_alert_stands_through_silence_and_a_restart(
    windows: MinuteWindows, clock: Clock
) -> None:
    clock.now = START + 10**9
    bad = ({**each, "answer": {**each["answer"], "coverage": 0}} for each in records(range(8)))
    add(windows, bad)
    closed = windows.advance(START + 20 * MINUTE)
    assert raised(closed) == [("coverage", "raised", 1 + 4), ("traffic", "raised", 8 + 4 + 4)]
    log = [alert.as_dict() for each in closed for alert in each.alerts]
    ended = Alert(RULES[0], False, FIRST + 50, Value(0.9, 300)).as_dict()
    assert RULES[0].number == "coverage"
    for written, standing in ((log, {"coverage", "traffic"}), ([*log, ended], {"traffic"})):
        # Hours later nothing that was saved knows of it any more.
        windows.alerts = AlertState(RULES)
        windows.restore(FIRST + 300, written)
        assert {*windows.alerts.standing} == standing
        assert windows.alerts.roll_back == ("coverage" in standing)


def test_a_restart_finds_the_same_alerts_as_one_that_never_stopped(
    windows: MinuteWindows, tmp_path: Path
) -> None:
    windows._now = lambda: START + 10**9
    log: list[dict[str, object]] = []
    for minute in range(10, 34, 8):
        add(windows, records(range(minute, minute + 8)))
        for each in windows.advance():
            windows.save(each.minute, tmp_path)
            log += [alert.as_dict() for alert in each.alerts]
        again = MinuteWindows(windows.settings, RULES, windows.judging)
        last = again.load_saved(tmp_path)
        assert last is not None
        again.restore(last, log)
        assert {*again.alerts.standing} == {*windows.alerts.standing}
        assert again.alerts.roll_back == windows.alerts.roll_back
        assert again.numbers(last) == windows.numbers(last)
        again.close()


def test_a_share_of_late_records_is_an_alert_that_survives_a_restart(
    windows: MinuteWindows, clock: Clock, tmp_path: Path
) -> None:
    for minute in range(16):
        clock.now = START + (minute + 1) * MINUTE
        add(windows, records(range(minute, minute + 1)))
        if minute >= 3:
            # A fifth of what comes is of eight minutes ago.
            add(windows, [at(clock.now - 8 * MINUTE, minute * 100 + each) for each in range(12)])
        for each in windows.advance():
            windows.save(each.minute, tmp_path)
    alert = windows.alerts.standing["late_share"]
    assert alert.number.value is not None and 0.1 < alert.number.value <= 0.2
    assert not windows.alerts.roll_back
    again = MinuteWindows(windows.settings, RULES, windows.judging)
    last = again.load_saved(tmp_path)
    assert last is not None
    assert again.numbers(last)["late_share"] == windows.numbers(last)["late_share"]
    again.close()


def test_who_only_sends_old_records_does_not_hold_the_clock(
    windows: MinuteWindows, clock: Clock
) -> None:
    """A server closes minutes by its own clock once nothing new comes; what is late is not new."""
    clock.now = START + 10**9
    windows.settings = WindowSettings(late=0)
    add(windows, records(range(10)))
    until(lambda: windows.quiet)
    add(windows, [at(START, 1)])
    windows.add(Line(START + 9 * MINUTE, "0" * 64, '{"qid": "Q1"}'))
    assert windows.quiet
    add(windows, [at(START + 10 * MINUTE, 2)])
    until(lambda: windows.quiet)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
def test_missing_traffic_is_an_alert(windows: MinuteWindows, clock: Clock, share: float) -> None:
    clock.now = START + 10**9
    add(windows, records(range(12)))
    add(windows, records(range(12, 27), each=round(50 * share)))
    add(windows, records(range(27, 28), each=1))
    windows.advance()
    assert ("traffic" in windows.alerts.standing) == (share <= 0.05)
    # What is missing says nothing of a build.
    assert not windows.alerts.roll_back
    if share == 0:
        assert windows.alerts.standing["traffic"].number.detail.startswith("0 records, usually ")


def test_the_log_of_another_version_or_a_torn_line_stops_no_start(tmp_path: Path) -> None:
    whole = Alert(RULES[0], True, FIRST, BAD).as_dict()
    odd = [
        {"id": "x"},
        {**whole, "minute": "soon"},
        {**whole, "since": 7},
        {**whole, "value": "much"},
        {**whole, "alert": "a rule that was"},
        whole,
    ]
    path = tmp_path / "alerts.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in odd))
    state = AlertState(RULES)
    state.recall(AlertLog(path).last, FIRST + 1)
    assert {*state.standing} == {"coverage"}
    assert len(path.read_text().splitlines()) == 2
