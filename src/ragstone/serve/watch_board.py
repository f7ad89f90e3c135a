"""The board of `ragstone watch`: the last minutes, what rolls, and which alerts stand."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from ragstone.report.text import visible
from ragstone.serve.live_names import title_of

_WIDTH = 80
_COLUMNS = {
    "coverage": "coverage",
    "citation_accuracy": "cites",
    "delta_s_median": "ΔS median",
    "delta_s_p90": "ΔS p90",
    "divergence": "divergent",
    "top_ten_tau": "tau",
    "p95_all": "p95 ms",
}
# What the heads stand for.
_LEGEND = (
    "coverage: cites what it should",
    "cites: cites rightly",
    "ΔS: distance of question and snippet",
    "divergent: does not converge",
    "tau: same first ten",
    "p95: 95 % within",
)
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
    legend = textwrap.wrap("; ".join(_LEGEND), _WIDTH)
    said = [_counted(state), "", *lines, "", *legend, "", *_alerts(windows)]
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
        f"{_plain(name)} {found['used']:.0%}"
        for name, found in windows["error_budget"].items()
        if found["used"] is not None
    ]
    used = f"error budget of the hour used: {', '.join(budget)}"
    said = textwrap.wrap(used, _WIDTH, subsequent_indent="  ") if budget else []
    said += [alert_text(each) for each in windows["standing"]] or ["no alert stands"]
    if windows["roll_back"]:
        said.append("ROLL BACK: alerts in two windows, or two indexes under one build")
    return said


def _plain(name: str) -> str:
    """A plain name inside a sentence."""
    title = title_of(name)
    return title[:1].lower() + title[1:]


def alert_text(alert: Mapping[str, Any]) -> str:
    """One alert, in lines of a terminal.

    >>> print(alert_text({"alert": "coverage", "state": "raised", "minute": "2026-01-01T00:19Z",
    ...                   "rule": "< 0.7 for 5m", "value": 0.6, "samples": 250, "detail": ""}))
    ALERT cites what it should (coverage): 0.6
      the rule is < 0.7 for 5m, 250 samples, since 2026-01-01T00:19Z
    """
    word = "ALERT" if alert["state"] == "raised" else "ended"
    value = "unmeasured" if alert["value"] is None else f"{alert['value']:g}"
    detail = f", {visible(alert['detail'])}" if alert["detail"] else ""
    return (
        f"{word} {_plain(alert['alert'])}: {value}\n"
        f"  the rule is {alert['rule']}, {alert['samples']:,} samples, since {alert['minute']}"
        f"{detail}"
    )
