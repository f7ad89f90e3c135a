"""What does `report["precision"]` give? One metric, with its number and the rows that cost it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragstone.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragstone.measure.metric import Measured
    from ragstone.report.model import Offender, Report


class UnknownMetric(ConfigError, KeyError):
    """A metric that the report does not hold; a KeyError too, as `report[name]` promises."""

    # KeyError would show the sentence inside quotes.
    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class MetricView:
    """One metric as a user of the library sees it."""

    name: str
    value: float | None
    numerator: int | None
    denominator: int
    interval: tuple[float, float] | None
    vacuous: bool
    says: str
    offending: Mapping[str, tuple[Offender, ...]] = field(default_factory=dict, repr=False)

    def offenders(self) -> tuple[Offender, ...]:
        """The rows that cost this metric something, all of them."""
        return self.offending.get(self.name, ())


def view(report: Report, name: str) -> MetricView:
    """The metric called `name`, by its own name or an alias."""
    own = _named(report.metrics, name)
    measured = report.metrics[own]
    return MetricView(
        name=own,
        value=measured.value,
        numerator=measured.numerator,
        denominator=measured.denominator,
        interval=measured.interval,
        vacuous=measured.vacuous,
        says=measured.metric.says,
        offending=report.offending,
    )


def _named(metrics: Mapping[str, Measured], name: str) -> str:
    names = {name: name for name in metrics}
    for own, measured in metrics.items():
        for alias in measured.metric.aliases:
            names.setdefault(alias, own)
    if name in names:
        return names[name]
    raise UnknownMetric(_unknown(name, names))


def _unknown(name: object, names: Mapping[str, str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(str(name), list(names), n=1)
    known = ", ".join(dict.fromkeys(names.values()))
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {known}"
    return f"no metric is called {name!r}; {hint}"
