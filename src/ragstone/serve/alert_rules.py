"""When a window is alarming: rules on its numbers, which must hold for some minutes."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ragstone.contracts.plain_numbers import clipped, real_number
from ragstone.errors import ConfigError
from ragstone.serve.moments import minute_name, seconds_in
from ragstone.suites.settings_tables import must_know, table_of

_SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_WORDS = re.compile(r"\s*(<=|>=|<|>)\s*(\S+)(?:\s+for\s+(\S+))?\s*")

# The rules of the specification; `[serve.alerts]` changes them one by one.
DEFAULTS = {
    "coverage": "< 0.70 for 5m",
    "delta_s_p90": ">= 0.60 for 3m",
    "delta_s_median": ">= 0.45 for 3m",
    "divergence": ">= 0.10",
    "citation_accuracy": "< 0.95 for 5m",
    "index_hashes": "> 1",
    "top_ten_tau": "< 0.60",
    "p95_ratio": "> 1.30",
}
# What is wrong with the index is no matter of patience: one such window is enough to go back.
_AT_ONCE = "index_hashes"


@dataclass(frozen=True, slots=True)
class Rule:
    """That a `number` of a window is on the wrong side of its limit, for so many `minutes`."""

    number: str
    sign: str
    limit: float
    minutes: int = 1

    def holds(self, value: float | None) -> bool:
        """Whether the value is alarming; one that could not be measured is not."""
        return value is not None and _SIGNS[self.sign](value, self.limit)

    def __str__(self) -> str:
        lasting = f" for {self.minutes}m" if self.minutes > 1 else ""
        return f"{self.sign} {self.limit:g}{lasting}"


def rule_of(number: str, words: object, at: str) -> Rule | None:
    """A rule such as `< 0.70 for 5m`; None for `off`.

    >>> str(rule_of("coverage", "< 0.70 for 5m", ""))
    '< 0.7 for 5m'
    """
    if words == "off":
        return None
    found = _WORDS.fullmatch(words) if isinstance(words, str) else None
    limit = real_number(found[2]) if found else None
    if found is None or limit is None:
        wanted = '"off" or a rule such as "< 0.70 for 5m"'
        raise ConfigError(f"{at}: expected {wanted}, found {clipped(words)}")
    seconds = seconds_in(found[3], at) if found[3] else 60
    if seconds % 60 or not 60 <= seconds <= 3600:
        raise ConfigError(f"{at}: expected whole minutes, from 1m to 60m")
    return Rule(number, found[1], limit, seconds // 60)


def rules_in(table: object, at: str) -> tuple[Rule, ...]:
    """The rules in force: those of the table over the defaults."""
    given = table_of(table, at)
    must_know(given, tuple(DEFAULTS), f"{at}.")
    every = {**DEFAULTS, **given}
    made = (rule_of(name, words, f"{at}.{name}") for name, words in every.items())
    return tuple(rule for rule in made if rule is not None)


@dataclass(frozen=True, slots=True)
class Value:
    """A number of a window: over how many samples, and from which minute on; `detail` names what.

    `missed` is how many of the samples a share lacks, for the error budget.
    """

    value: float | None
    samples: int = 0
    since: int = 0
    detail: str = ""
    missed: float | None = None


@dataclass(frozen=True, slots=True)
class Alert:
    """A rule that began to hold, or ceased to, when a minute was closed."""

    rule: Rule
    raised: bool
    minute: int
    found: Value

    @property
    def id(self) -> str:
        """The same for the same alert, however often it is found."""
        return f"{self.rule.number}/{'raised' if self.raised else 'resolved'}/{self.minute}"

    def as_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "alert": self.rule.number,
            "state": "raised" if self.raised else "resolved",
            "minute": minute_name(self.minute),
            "rule": str(self.rule),
            "value": None if self.found.value is None else round(self.found.value, 6),
            "samples": self.found.samples,
            "since": minute_name(self.found.since) if self.found.since else "",
            "detail": self.found.detail,
        }


@dataclass(slots=True)
class AlertState:
    """For how many minutes each rule has held, which alerts stand, and since when."""

    rules: tuple[Rule, ...]
    held: dict[str, int] = field(default_factory=dict)
    standing: dict[str, Alert] = field(default_factory=dict)
    alarming: int = 0

    def judge(self, minute: int, numbers: Mapping[str, Value]) -> list[Alert]:
        """The alerts that begin or end with this minute, in the order of the rules."""
        changed = []
        for rule in self.rules:
            name, found = rule.number, numbers.get(rule.number, Value(None))
            self.held[name] = self.held.get(name, 0) + 1 if rule.holds(found.value) else 0
            if self.held[name] >= rule.minutes and name not in self.standing:
                self.standing[name] = Alert(rule, True, minute, found)
                changed.append(self.standing[name])
            elif not self.held[name] and name in self.standing:
                del self.standing[name]
                changed.append(Alert(rule, False, minute, found))
        self.alarming = self.alarming + 1 if self.standing else 0
        return changed

    @property
    def roll_back(self) -> bool:
        """Two windows with an alert, one after the other, or any drift of the index."""
        return self.alarming >= 2 or _AT_ONCE in self.standing
