"""How a load is judged: the options of the latency suite."""

from collections.abc import Mapping
from dataclasses import dataclass

from ragstone.gates.judge import Gates, merge
from ragstone.suites.answers.options import EveryLineOptions
from ragstone.suites.declaration import own_gates
from ragstone.suites.latency.metrics import METRICS, OF_ANSWERS
from ragstone.suites.option_fields import option
from ragstone.suites.settings_tables import GateChanges, gates_from_table


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LatencyOptions(EveryLineOptions):
    """How a load is judged; what an answer is, and how good it must be, is said for answers."""

    only: str | None = option(
        None, "judge this configuration alone", metavar="CONFIG", group="inputs"
    )
    accuracy_gates: GateChanges = option(
        (),
        "changes of the accuracy that a pick must have",
        flagless=True,
        key="answers.gates",
        table=gates_from_table,
    )

    def __post_init__(self) -> None:
        if isinstance(self.accuracy_gates, Mapping):
            object.__setattr__(self, "accuracy_gates", tuple(self.accuracy_gates.items()))
        super().__post_init__()
        # It says what is wrong with the gates before anything is read.
        _ = self.accuracy

    @property
    def accuracy(self) -> Gates:
        """The gates of answers that a pick must meet; those on other metrics do not count here."""
        known = {name for metric in OF_ANSWERS for name in (metric.name, *metric.aliases)}
        changes = [pair for pair in self.accuracy_gates if pair[0] in known]
        return merge({}, [*own_gates(OF_ANSWERS, self), *changes], OF_ANSWERS, None)

    @property
    def limits(self) -> Gates:
        """The gates of this suite, as the picks and the drawing need them before anything else."""
        return merge({}, [*own_gates(METRICS, self), *self.gates], METRICS, None)

    def settings(self) -> dict[str, object]:
        gates = {name: str(limit) for name, limit in self.accuracy.items()}
        return {**super().settings(), "accuracy_gates": gates}
