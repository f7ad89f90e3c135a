"""What `[serve]` of ragstone.toml says of the server, the windows and the alerts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ragstone.contracts.kinds import is_number
from ragstone.contracts.plain_numbers import clipped
from ragstone.errors import ConfigError
from ragstone.serve.alert_rules import Rule, gate_rules_in, rules_in
from ragstone.serve.canary_conditions import chosen
from ragstone.serve.canary_evidence import Plan
from ragstone.serve.judged_records import ANSWERS, AUDIT, gated_live
from ragstone.serve.live_metrics import STAGES
from ragstone.serve.moments import seconds_in
from ragstone.serve.window_numbers import WindowSettings
from ragstone.suites.config_file import Config
from ragstone.suites.settings_tables import (
    GateChanges,
    gates_from_table,
    must_know,
    table_of,
    text_of,
)

DATA = ".ragstone/live"
MOST_QUESTIONS = 10_000_000
_KEYS = (
    *("data", "keep", "late", "rolling", "samples", "baseline", "webhook", "alerts"),
    *("shadow", "canary", "edit_gold"),
)
# The suites whose gates are rules on the windows.
_GATED = (ANSWERS, AUDIT)
_CANARY_KEYS = ("confidence", "max_questions", "at_least", "gates", "shadow_gold")


@dataclass(frozen=True, slots=True)
class CanarySettings:
    """What `[serve.canary]` says of a watched canary."""

    level: float = 0.95
    most: int = 0
    gates: GateChanges = ()
    shadow_gold: str = ""
    at_least: int = 0

    def plan(self) -> Plan:
        """The conditions in force, with the level, the planned end and the shortest time."""
        return Plan(chosen(self.gates), self.level, self.most, self.at_least)


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Where records are kept and for how many seconds, how they are watched, and who is told.

    `rules` are those on what is only live, `gate_rules` those of the suites' gates. `canary` is
    what a shadow must keep to be promoted.
    """

    data: Path
    keep: int
    windows: WindowSettings
    rules: tuple[Rule, ...]
    webhook: str
    canary: CanarySettings = field(default_factory=CanarySettings)
    edit_gold: bool = False
    gate_rules: tuple[Rule, ...] = ()

    @property
    def every_rule(self) -> tuple[Rule, ...]:
        return (*self.rules, *self.gate_rules)


def serve_settings(config: Config) -> ServeSettings:
    """The settings of the file; what it does not say has its default."""
    try:
        return _settings(config)
    except ConfigError as error:
        raise ConfigError(f"{config.path}: {error}") from None


def _settings(config: Config) -> ServeSettings:
    at = f"{config.prefix}serve"
    table: Mapping[str, object] = table_of(config.whole.get("serve", {}), at)
    must_know(table, _KEYS, f"{at}.")
    data = text_of(table.get("data", DATA), f"{at}.data")
    keep = seconds_in(table.get("keep", "30d"), f"{at}.keep")
    if keep < 3600:
        raise ConfigError(f"{at}.keep: expected at least an hour")
    alerts = table.get("alerts", {})
    return ServeSettings(
        Path(config.resolved(data)),
        keep,
        _windows(table, at),
        rules_in(alerts, f"{at}.alerts", [suite.name for suite in _GATED]),
        text_of(table["webhook"], f"{at}.webhook") if "webhook" in table else "",
        _canary(table.get("canary", {}), f"{at}.canary", config),
        _edits(table, f"{at}.edit_gold"),
        tuple(
            rule
            for suite in _GATED
            for live in [gated_live(config, suite)]
            for rule in gate_rules_in(
                *(alerts, f"{at}.alerts", suite.name, live.metrics, live.unwatched, live.required)
            )
        ),
    )


def _canary(value: object, at: str, config: Config) -> CanarySettings:
    table = table_of(value, at)
    must_know(table, _CANARY_KEYS, f"{at}.")
    level, most = table.get("confidence", 0.95), table.get("max_questions", 0)
    if not is_number(level) or not 0.5 <= float(level) <= 0.999999:  # type: ignore[arg-type]
        wanted = "a level from 0.5 to 0.999999"
        raise ConfigError(f"{at}.confidence: expected {wanted}, found {clipped(level)}")
    if not isinstance(most, int) or isinstance(most, bool) or not 0 <= most <= MOST_QUESTIONS:
        wanted = f"a whole number from 1 to {MOST_QUESTIONS:,}"
        raise ConfigError(f"{at}.max_questions: expected {wanted}, found {clipped(most)}")
    gates = gates_from_table(table.get("gates", {}), f"{at}.gates")
    # Said where it is written, and not when the first page is asked for.
    chosen(gates)
    beside = text_of(table["shadow_gold"], f"{at}.shadow_gold") if "shadow_gold" in table else ""
    path = config.resolved(beside) if beside else ""
    wait = seconds_in(table["at_least"], f"{at}.at_least") if "at_least" in table else 0
    return CanarySettings(float(level), most, gates, path, wait)  # type: ignore[arg-type]


def _edits(table: Mapping[str, object], at: str) -> bool:
    found = table.get("edit_gold", False)
    if not isinstance(found, bool):
        raise ConfigError(f"{at}: expected true or false, found {clipped(found)}")
    return found


def _windows(table: Mapping[str, object], at: str) -> WindowSettings:
    late = seconds_in(table.get("late", "2m"), f"{at}.late")
    if late > 3600:
        raise ConfigError(f"{at}.late: expected at most an hour")
    rolling = seconds_in(table.get("rolling", "5m"), f"{at}.rolling")
    if rolling % 60 or not 60 <= rolling <= 3600:
        raise ConfigError(f"{at}.rolling: expected whole minutes, from 1m to 60m")
    samples = table.get("samples", 200)
    if not isinstance(samples, int) or isinstance(samples, bool) or not 1 <= samples <= 10**6:
        wanted = "a whole number from 1 to 1,000,000"
        raise ConfigError(f"{at}.samples: expected {wanted}, found {clipped(samples)}")
    return WindowSettings(late, rolling // 60, samples, _baseline(table, f"{at}.baseline"))


def _baseline(table: Mapping[str, object], at: str) -> tuple[tuple[str, float], ...]:
    """The p95 of each stage that is usual, in milliseconds."""
    given = table_of(table.get("baseline", {}), at)
    must_know(given, STAGES, f"{at}.")
    for stage, value in given.items():
        if not is_number(value) or not 0 < float(value) < 1e9:  # type: ignore[arg-type]
            wanted = "milliseconds above 0"
            raise ConfigError(f"{at}.{stage}: expected {wanted}, found {clipped(value)}")
    return tuple((stage, float(value)) for stage, value in given.items())  # type: ignore[arg-type]
