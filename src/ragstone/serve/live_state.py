"""What the windows come to, as plain data: for programs, for Prometheus, and for pages."""

from __future__ import annotations

from collections.abc import Mapping

from ragstone.measure.metric import Measured
from ragstone.serve.alert_rules import Rule, Value
from ragstone.serve.minute_windows import MinuteWindows
from ragstone.serve.moments import minute_name
from ragstone.serve.window_numbers import HOUR

# Shares whose misses have a budget: what a rule allows.
_BUDGETED = ("coverage", "citation_accuracy")


def live_state(windows: MinuteWindows, numbers: Mapping[str, Value]) -> dict[str, object]:
    """Everything that is known when a minute was closed, in the order that people read it."""
    minute = windows.closed or 0
    suites = windows.suite_numbers(minute)
    return {
        "minute": minute_name(minute),
        "rolling": {name: _told(value) for name, value in numbers.items()},
        **{
            suite: {name: _measured(each) for name, each in numbers.items()}
            for suite, numbers in suites.items()
        },
        "error_budget": error_budget(windows, minute),
        "roll_back": windows.alerts.roll_back,
        "standing": [alert.as_dict() for alert in windows.alerts.standing.values()],
        "minutes": _minutes(windows, minute),
        "late": windows.late,
        "spans_left_out": {why: count for why, count in windows.losses.items() if count},
    }


def _told(found: Value) -> dict[str, object]:
    return {
        "value": _rounded(found.value),
        "samples": found.samples,
        "since": minute_name(found.since) if found.since else "",
        **({"detail": found.detail} if found.detail else {}),
    }


def _measured(found: Measured) -> dict[str, object]:
    return {
        "value": _rounded(found.value) if found.tested else None,
        "samples": found.denominator,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _minutes(windows: MinuteWindows, last: int) -> list[dict[str, object]]:
    """Each minute of the last hour by itself."""
    first = last - HOUR + 1
    counts, numbers = windows.counts(first, last), windows.by_minute(first, last)
    return [
        {
            "minute": minute_name(minute),
            "records": count,
            **{
                name: _rounded(each.value)
                for name, each in numbers.get(minute, {}).items()
                if each.tested
            },
        }
        for minute, count in counts.items()
    ]


def error_budget(windows: MinuteWindows, minute: int) -> dict[str, object]:
    """Of the misses that the rules allow in an hour, how many are used up."""
    rules = {rule.number: rule for rule in windows.alerts.rules}
    found = windows.hour(minute)
    return {
        name: _budget(rules[name], found[name])
        for name in _BUDGETED
        if name in rules and name in found and found[name].samples
    }


def _budget(rule: Rule, found: Value) -> dict[str, object]:
    allowed = (1 - rule.limit) * found.samples
    missed = found.missed or 0.0
    return {
        "samples": found.samples,
        "allowed": round(allowed, 3),
        "missed": round(missed, 3),
        "used": round(missed / allowed, 6) if allowed else None,
    }
