"""`[judge.NAME]` of ragstone.toml: which judge gave a score, and what shows that it can be trusted.

Modules that declare options do not postpone the evaluation of annotations (`suites/options.py`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ragstone.contracts.kinds import MOST, is_number
from ragstone.contracts.plain_numbers import clipped
from ragstone.errors import ConfigError
from ragstone.suites.option_fields import option
from ragstone.suites.options import Options
from ragstone.suites.settings_tables import must_know, table_of, text_of

# What kappa's lower bound has to reach before a gate on a score decides anything.
KAPPA = 0.60
# From which score on a judge's number is a yes.
THRESHOLD = 0.5
_PATHS = ("prompt", "calibration")
_NEEDED = ("model", *_PATHS)
_KEYS = (*_NEEDED, "kappa", "threshold", "better")

Judges = Mapping[str, Mapping[str, Any]]
"""The settings of each score that a gate may decide on, by the score's name."""


def judges_from_table(value: object, at: str) -> Judges:
    """`[judge.faithfulness]` with `model`, `prompt` and `calibration`; the rest has defaults."""
    return {name: _judge(given, f"{at}.{name}") for name, given in table_of(value, at).items()}


def _judge(value: object, at: str) -> dict[str, Any]:
    given = table_of(value, at)
    must_know(given, _KEYS, f"{at}.")
    for key in _NEEDED:
        if key not in given:
            raise ConfigError(f"{at}: no {key}; it needs {', '.join(_NEEDED)}")
    made: dict[str, Any] = {key: text_of(given[key], f"{at}.{key}") for key in _NEEDED}
    made["kappa"] = _number(given.get("kappa", KAPPA), f"{at}.kappa", 0.0, 1.0)
    made["threshold"] = _number(given.get("threshold", THRESHOLD), f"{at}.threshold", -MOST, MOST)
    made["better"] = given.get("better", "higher")
    if made["better"] not in ("higher", "lower"):
        raise ConfigError(
            f'{at}.better: expected "higher" or "lower", found {clipped(made["better"])}'
        )
    return made


def _number(value: Any, at: str, least: float, most: float) -> float:
    if not is_number(value) or not least <= value <= most:
        raise ConfigError(
            f"{at}: expected a number from {least:g} to {most:g}, found {clipped(value)}"
        )
    return float(value)


def with_paths(judges: Judges, resolved: Callable[[str], str]) -> Judges:
    """The same with its files seen from elsewhere."""
    return {
        name: {key: resolved(each) if key in _PATHS else each for key, each in given.items()}
        for name, given in judges.items()
    }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JudgedOptions(Options):
    """What a suite that shows the scores of other tools' judges can be told of them."""

    judges: Mapping[str, Mapping[str, Any]] = option(
        {},
        "the judges whose scores a gate may decide on: model, prompt and calibration of each",
        flagless=True,
        group="deciding",
        key="judge",
        table=judges_from_table,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "judges", judges_from_table(dict(self.judges), "judges"))

    def settings(self) -> dict[str, object]:
        """Without the paths, which are of one machine: what the files say is in the metrics."""
        found = super().settings()
        judges = {
            name: {key: each for key, each in given.items() if key not in _PATHS}
            for name, given in self.judges.items()
        }
        del found["judges"]
        return {**found, **({"judges": judges} if judges else {})}
