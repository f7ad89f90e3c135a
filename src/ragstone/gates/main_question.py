"""What a suite is there to answer: without a tested gate on it, nothing may ship."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragstone.gates.gate import Judged
from ragstone.gates.judge import NOTHING_TO_TEST
from ragstone.measure.metric import Measured

Settings = Mapping[str, Any]
Measures = Mapping[str, Measured]
OnMain = Callable[[Measures, Settings], Collection[str] | None]
"""From the numbers and the settings to the metrics that answer the question; None: any gate."""


def any_gate(numbers: Measures, settings: Settings) -> None:
    """Every gate that tests something answers it."""


@dataclass(frozen=True, eq=False, repr=False)
class MainQuestion:
    """What a suite is there to answer, and the metrics of which one must be gated and tested.

    `asks` ends the sentence "no tested gate says ..."; `add` is the gate to add where there is
    none, and `give` says what the inputs have to hold for one to test anything. `metrics` are none
    at all where these inputs leave the question open whatever is gated.
    """

    asks: str
    add: str
    give: str
    metrics: OnMain = any_gate

    def lacks(
        self, gates: Sequence[Judged], numbers: Mapping[str, Measures], settings: Settings
    ) -> str:
        """Why these gates cannot ship anything; "" where they can, and where there is no gate.

        `numbers` go from arm to metric. Every arm that is judged has to answer the question.
        """
        for arm in dict.fromkeys(gate.arm for gate in gates):
            own = [gate for gate in gates if gate.arm == arm]
            known = self.metrics(numbers.get(arm, {}), settings)
            on_main = [gate for gate in own if known is None or gate.metric in known]
            if all(gate.tests_nothing for gate in on_main):
                of = f" of {arm}" if arm else ""
                return f"no tested gate says{of} {self.asks}: {self._missing(on_main, known)}"
        return ""

    def _missing(self, on_main: Sequence[Judged], known: Collection[str] | None) -> str:
        if on_main:
            names = ", ".join(gate.name for gate in on_main)
            have = "has" if len(on_main) == 1 else "have"
            return f"{names} {have} {NOTHING_TO_TEST}; {self.give}"
        return f"add one, such as {self.add}" if known else self.give
