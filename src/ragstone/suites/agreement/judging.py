"""How agreement is judged: the default gates, and the one thing no coefficient can say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragstone.gates.gate import Judged, Status, Threshold
from ragstone.gates.judge import merge
from ragstone.measure.metric import Measured, Metric
from ragstone.suites.agreement.metrics import PERCENT_AGREEMENT
from ragstone.suites.deciding import Deciding


def gates_of(metrics: tuple[Metric, ...], deciding: Deciding) -> dict[str, Threshold]:
    """The default gates under the user's changes."""
    defaults = [(metric.name, metric.gate) for metric in metrics if metric.gate is not None]
    return merge({}, [*defaults, *deciding.gates], metrics, None)


def forgiven(
    judged: tuple[Judged, ...],
    measured: Mapping[str, Measured],
    gates: Mapping[str, Threshold],
    name: str,
) -> tuple[Judged, ...]:
    """Where everyone says the same, the coefficient's gate is judged on agreement alone."""
    agreement = measured[PERCENT_AGREEMENT.name]
    if measured[name].value is not None or agreement.value is None:
        return judged
    limit = gates.get(PERCENT_AGREEMENT.name, Threshold(">=", 0.90))
    status = Status.PASS if limit.holds(agreement.value) else Status.FAIL
    note = "undefined: everyone says the same, so it is judged on agreement alone"
    return tuple(
        replace(gate, status=status, note=note) if gate.metric == name else gate for gate in judged
    )
