"""When a window is alarming: rules on its numbers, which must hold for some minutes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from ragstone.contracts.plain_numbers import clipped, real_number
from ragstone.errors import ConfigError
from ragstone.gates.gate import Op, Threshold
from ragstone.gates.judge import OFF
from ragstone.serve.moments import minute_in, minute_name, seconds_in
from ragstone.suites.settings_tables import must_know, table_of

# What is alarming under a gate is what the gate does not let pass.
_OPPOSITE: Mapping[Op, str] = {">=": "<", "<=": ">", ">": "<=", "<": ">=", "=": "!="}
_WORDS = re.compile(r"\s*(<=|>=|!=|<|>)\s*(\S+)(?:\s+for\s+(\S+))?\s*")
# For so many minutes a gated number must be on the wrong side, where `[serve.alerts]` says nothing.
_LASTING = 5

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
    "late_share": ">= 0.10 for 5m",
    "traffic": "< 0.10 for 5m",
}
# These are about who sends. They say nothing of a build or an index, so nobody goes back for them.
_ABOUT_SENDERS = ("late_share", "traffic")
# They say nothing of what was answered.
BESIDE = ("index_hashes", "p95_ratio", *_ABOUT_SENDERS)
# What is wrong with the index is no matter of patience: one such window is enough to go back.
_AT_ONCE = "index_hashes"


@dataclass(frozen=True, slots=True)
class Rule:
    """That a `number` of a window is on the wrong side of its limit, for so many `minutes`.

    Where one that is `required` is not measured, not all is well.
    """

    number: str
    sign: str
    limit: float
    minutes: int = 1
    required: bool = False

    def holds(self, value: float | None) -> bool:
        """Whether the value is alarming; one that could not be measured is not.

        A gate and its rule compare alike: what the one lets pass does not alarm the other.
        """
        if value is None:
            return False
        if self.sign == "!=":
            return not Threshold("=", self.limit).holds(value)
        return Threshold(self.sign, self.limit).holds(value)  # type: ignore[arg-type]

    def __str__(self) -> str:
        lasting = f" for {self.minutes}m" if self.minutes > 1 else ""
        return f"{self.sign} {self.limit:g}{lasting}"


def rule_of(number: str, words: object, at: str) -> Rule | None:
    """A rule such as `< 0.70 for 5m`; None for `off`.

    >>> str(rule_of("coverage", "< 0.70 for 5m", ""))
    '< 0.7 for 5m'
    """
    if words == OFF:
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


def rules_in(table: object, at: str, suites: Iterable[str] = ()) -> tuple[Rule, ...]:
    """The rules in force on what is only live: those of the table over the defaults.

    What the table says of the metrics of `suites` is left to `gate_rules_in`.
    """
    own = dict(table_of(table, at))
    for suite in suites:
        own.pop(suite, None)
    must_know(own, tuple(DEFAULTS), f"{at}.")
    every = {**DEFAULTS, **own}
    rules = (rule_of(name, words, f"{at}.{name}") for name, words in every.items())
    return tuple(rule for rule in rules if rule is not None)


def gate_rules_in(
    table: object,
    at: str,
    suite: str,
    metrics: Mapping[str, Threshold | None],
    unwatched: Collection[str] = (),
    required: Collection[str] = (),
) -> tuple[Rule, ...]:
    """The rules on a suite's metrics: each gate is one, and the table of the suite comes first.

    That an `unwatched` gate is not judged is taken for known where the table says "off".
    """
    own = dict(table_of(table_of(table, at).get(suite, {}), f"{at}.{suite}"))
    for name in unwatched:
        if own.get(name) == OFF:
            del own[name]
    must_know(own, tuple(metrics), f"{at}.{suite}.")
    rules = []
    for name, gate in metrics.items():
        if name in own:
            rules.append(rule_of(f"{suite}.{name}", own[name], f"{at}.{suite}.{name}"))
        elif gate is not None:
            rules.append(Rule(f"{suite}.{name}", _OPPOSITE[gate.op], gate.value, _LASTING))
    return tuple(
        replace(rule, required=rule.number.partition(".")[2] in required)
        for rule in rules
        if rule is not None
    )


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
    number: Value

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
            "value": None if self.number.value is None else round(self.number.value, 6),
            "samples": self.number.samples,
            "since": minute_name(self.number.since) if self.number.since else "",
            "detail": self.number.detail,
        }


@dataclass(slots=True)
class AlertState:
    """For how many minutes each rule has held, which alerts stand, and since when."""

    rules: tuple[Rule, ...]
    held: dict[str, int] = field(default_factory=dict)
    standing: dict[str, Alert] = field(default_factory=dict)
    alarming: int = 0

    def judge(self, minute: int, numbers: Mapping[str, Value]) -> list[Alert]:
        """The alerts that begin or end with this minute, in the order of the rules.

        One that stands ends only by a number that was measured: that nothing comes, or nothing in
        time, mends nothing. A minute in which nothing of it was measured is no alarming one either.
        """
        changed = []
        alarming = False
        for rule in self.rules:
            name, value = rule.number, numbers.get(rule.number, Value(None))
            self.held[name] = self.held.get(name, 0) + 1 if rule.holds(value.value) else 0
            if self.held[name] >= rule.minutes and name not in self.standing:
                self.standing[name] = Alert(rule, True, minute, value)
                changed.append(self.standing[name])
            elif not self.held[name] and value.value is not None and name in self.standing:
                del self.standing[name]
                changed.append(Alert(rule, False, minute, value))
            alarming |= name in self.standing and value.value is not None and _counts(rule)
        if not any(_counts(alert.rule) for alert in self.standing.values()):
            self.alarming = 0
        elif alarming:
            self.alarming += 1
        return changed

    def recall(self, log: Iterable[Mapping[str, object]], before: int) -> None:
        """Has those alerts of a log stand that were raised before a minute, and did not end."""
        rules = {rule.number: rule for rule in self.rules}
        for each in log:
            name, minute = str(each["alert"]), minute_in(str(each["minute"]))
            if name not in rules or minute >= before:
                continue
            if each["state"] == "raised":
                since = minute_in(str(each["since"])) if each["since"] else 0
                value = Value(each["value"], each["samples"], since, str(each["detail"]))  # type: ignore[arg-type]
                self.standing[name] = Alert(rules[name], True, minute, value)
            else:
                self.standing.pop(name, None)
        if any(_counts(alert.rule) for alert in self.standing.values()):
            # Their windows were alarming since, or were no longer measured.
            self.alarming = 2

    @property
    def roll_back(self) -> bool:
        """Two windows with an alert, one after the other, or any drift of the index."""
        return self.alarming >= 2 or _AT_ONCE in self.standing


def _counts(rule: Rule) -> bool:
    """Whether its alert speaks for going back."""
    return rule.number not in _ABOUT_SENDERS
