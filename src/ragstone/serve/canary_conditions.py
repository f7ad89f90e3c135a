"""What a shadow index must keep to be promoted: five conditions, each a number of a question and a
line. The rule is that of the specification; the live arm is the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragstone.contracts.plain_numbers import clipped
from ragstone.errors import ConfigError
from ragstone.gates.gate import Threshold
from ragstone.gates.judge import Gates, merge, threshold
from ragstone.measure.metric import Mean, Metric
from ragstone.suites.settings_tables import GateChanges

# Of the questions, at least so many must be within the limit for the median to be.
HALF = 0.5
_BOTH = (-1.0, 1.0)

COVERAGE = Mean(
    name="coverage",
    title="change of coverage",
    value="",
    bounds=_BOTH,
    gate=">= -0.02",
    says="How far answers cite what they should, shadow minus live: by gold where the question is "
    "in it, else in the pipelines' own word, else whether they cite anything.",
)
CITATION_ACCURACY = Mean(
    name="citation_accuracy",
    title="citation accuracy",
    value="",
    gate=">= 0.95",
    says="Of the shadow's answers with citations, how many cite rightly: what gold names where the "
    "question is in it, else nothing that was not retrieved.",
)
DELTA_S_MEDIAN = Mean(
    name="delta_s_median",
    title="ΔS within its limit",
    value="",
    better="higher",
    gate="<= 0.40",
    says="Of the shadow's answers with a ΔS, how many have one within the limit; the median is "
    "within it when at least half of them are.",
)
RECALL = Mean(
    name="recall",
    title="change of R@5",
    value="",
    bounds=_BOTH,
    aliases=("R@5", "R@5_delta"),
    gate=">= -0.02",
    says="How much of what gold names is in the first five, shadow minus live.",
)
FLIPS = Mean(
    name="flips",
    title="change of λ flips",
    value="",
    better="lower",
    bounds=_BOTH,
    aliases=("divergence",),
    gate="<= 0.02",
    says="Whether a question has a λ state that is not →, shadow minus live.",
)
CONDITIONS = (COVERAGE, CITATION_ACCURACY, DELTA_S_MEDIAN, RECALL, FLIPS)
# What nobody promotes without: whether the shadow finds less.
_ON_MAIN = {COVERAGE.name, RECALL.name}
_NAMED = {metric.name: metric for metric in CONDITIONS}
_GATES: tuple[Metric, ...] = tuple(
    # Its gate is a limit on ΔS itself, and lower is better there.
    Mean(name=each.name, value="", better="lower", says=each.says)
    if each is DELTA_S_MEDIAN
    else each
    for each in CONDITIONS
)

# What to give where nothing could be measured.
_GIVE = {
    "coverage": "the pairs hold no answer of both arms",
    "citation_accuracy": "no answer of the shadow cites anything: report its citations",
    "delta_s_median": "no answer of the shadow has a ΔS: report it, or the texts that it cites",
    "recall": "no question is known in a gold set: give --gold",
    "flips": "no question has λ states in both arms: report λ_states or λ_final",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition with its line: the mean of a bounded number of each question is not beyond it.

    `limit` is what ΔS may be at most in one question; None for the others.
    """

    metric: Mean
    line: Threshold
    limit: float | None = None

    @property
    def name(self) -> str:
        return self.metric.name

    @property
    def title(self) -> str:
        if self.limit is not None:
            return f"ΔS within {self.limit:g}"
        return self.metric.title

    def scaled(self, value: float) -> float:
        """A question's number from 0, as bad as can be, to 1.

        >>> chosen()[0].scaled(0.0), chosen()[4].scaled(1.0)
        (0.5, 0.0)
        """
        low, high = self.metric.bounds or (0.0, 1.0)
        along = (value - low) / (high - low)
        return 1 - along if self.line.op == "<=" else along

    def unscaled(self, value: float) -> float:
        """The number that is so far along."""
        low, high = self.metric.bounds or (0.0, 1.0)
        along = 1 - value if self.line.op == "<=" else value
        return round(low + along * (high - low), 9) + 0.0

    def loss(self, value: float) -> float:
        """How much worse than could be expected a question came out; 0 where it did not."""
        return max(0.0, self.best - self.scaled(value))

    @property
    def scaled_line(self) -> float:
        return self.scaled(self.line.value)

    @property
    def best(self) -> float:
        """The number of a question that the shadow answers as well as can be expected: as the live
        index does, or rightly."""
        return self.scaled(0.0 if self.metric.bounds == _BOTH else 1.0)

    @property
    def missing(self) -> str:
        """Why no question has this number, and what to give."""
        return _GIVE[self.name]


def off_in_words(names: Sequence[str]) -> str:
    """How conditions are switched off.

    >>> off_in_words(["recall", "flips"])
    'or switch them off: --gates recall=off flips=off'
    """
    words = " ".join(f"{name}=off" for name in names)
    return f"or switch {'it' if len(names) == 1 else 'them'} off: --gates {words}"


def chosen(changes: GateChanges | Iterable[tuple[str, str]] = ()) -> tuple[Condition, ...]:
    """The conditions in force: the rule, with what a user changes of it.

    >>> [each.name for each in chosen([("recall", "off"), ("flips", "off")])]
    ['coverage', 'citation_accuracy', 'delta_s_median']
    >>> str(chosen([("coverage", "-0.01")])[0].line)
    '>= -0.01'
    """
    base: Gates = {each.name: threshold(each, _NAMED[each.name].gate or "") for each in _GATES}
    gates = merge(base, changes, _GATES, None)
    if not {*gates} & _ON_MAIN:
        raise ConfigError(
            "coverage and recall are off, and nothing else says whether the shadow finds less: "
            "leave one of them on"
        )
    return tuple(_condition(_NAMED[name], limit) for name, limit in gates.items())


def _condition(metric: Mean, given: Threshold) -> Condition:
    wanted = ">=" if metric.better == "higher" and metric is not DELTA_S_MEDIAN else "<="
    if given.op != wanted:
        raise ConfigError(f"gate {metric.name}: expected {wanted} and a number, found {given}")
    if metric is DELTA_S_MEDIAN:
        low, high = 0.0, 1.0
        made = Condition(metric, Threshold(">=", HALF), given.value)
    else:
        low, high = metric.bounds or (0.0, 1.0)
        made = Condition(metric, given)
    if not low < given.value < high:
        wanted = f"a number between {low:g} and {high:g}"
        raise ConfigError(f"gate {metric.name}: expected {wanted}, found {clipped(given.value)}")
    return made
