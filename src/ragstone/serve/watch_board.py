"""The board of `ragstone watch`: the last minutes, what rolls, and which alerts stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragstone.report.text import visible

_COLUMNS = {
    "coverage": "coverage",
    "citation_accuracy": "cites",
    "delta_s_median": "ΔS median",
    "delta_s_p90": "ΔS p90",
    "divergence": "divergent",
    "top_ten_tau": "tau",
    "p95_all": "p95 ms",
}
_MINUTES = 10


def board(state: Mapping[str, Any]) -> str:
    """The board as text, at most 80 columns wide."""
    windows = state["windows"]
    if not windows:
        return f"{_counted(state)}\nno minute is closed yet\n"
    minutes = windows["minutes"][-_MINUTES:]
    rows = [
        ["minute", "records", *_COLUMNS.values()],
        *([each["minute"][11:16], str(each["records"]), *_cells(each)] for each in minutes),
        ["rolling", "", *_cells({n: v["value"] for n, v in windows["rolling"].items()})],
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    said = [_counted(state), "", *lines, "", *_alerts(windows)]
    return "".join(f"{line}\n" for line in said)


def _cells(numbers: Mapping[str, Any]) -> list[str]:
    return [_cell(name, numbers.get(name)) for name in _COLUMNS]


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if name == "p95_all" else f"{value:.2f}"


def _counted(state: Mapping[str, Any]) -> str:
    said = [f"{state['records']:,} records"]
    if state["refused"]:
        said.append(f"{state['refused']:,} refused")
    if state["without_time"]:
        said.append(f"{state['without_time']:,} without a ts, in no window")
    late = state["windows"].get("late", 0) if state["windows"] else 0
    if late:
        said.append(f"{late:,} too late")
    return ", ".join(said)


def _alerts(windows: Mapping[str, Any]) -> list[str]:
    budget = [
        f"{name.replace('_', ' ')} {found['used']:.0%}"
        for name, found in windows["error_budget"].items()
        if found["used"] is not None
    ]
    said = [f"error budget of the hour used: {', '.join(budget)}"] if budget else []
    said += [alert_line(each) for each in windows["standing"]] or ["no alert stands"]
    if windows["roll_back"]:
        said.append("ROLL BACK: alerts in two windows, or two indexes under one build")
    return said


def alert_line(alert: Mapping[str, Any]) -> str:
    """One alert in a line.

    >>> alert_line({"alert": "coverage", "state": "raised", "minute": "2026-01-01T00:19Z",
    ...             "rule": "< 0.7 for 5m", "value": 0.6, "samples": 250, "detail": ""})
    'ALERT coverage 0.6 (< 0.7 for 5m) since 2026-01-01T00:19Z, 250 samples'
    """
    word = "ALERT" if alert["state"] == "raised" else "ended"
    value = "unmeasured" if alert["value"] is None else f"{alert['value']:g}"
    detail = f", {visible(alert['detail'])}" if alert["detail"] else ""
    return (
        f"{word} {alert['alert']} {value} ({alert['rule']}) since {alert['minute']}, "
        f"{alert['samples']:,} samples{detail}"
    )
