"""The waivers of a report, read from its data: so every format lists them, also of a saved one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragstone.report.text import shown
from ragstone.suites.waived_questions import SAID

if TYPE_CHECKING:
    from ragstone.report.document.blocks import Json
    from ragstone.report.model import Report

# The states of a question that no gate counts.
_OUT = ("in_force", "not_needed")
_KEYS = ("qid", "until", "state", "why")


@dataclass(frozen=True, slots=True)
class Listed:
    """One waiver; `why` is "" where the texts are left out, `suite` where there is only one."""

    qid: str
    until: str
    state: str
    why: str
    suite: str = ""

    @property
    def out(self) -> bool:
        """Whether no gate counts the question."""
        return self.state in _OUT

    @property
    def says(self) -> str:
        """`A7 until 2027-01-31: fails, out of the gates; the source is being rewritten`."""
        of = f"{shown(self.suite, 80)}: " if self.suite else ""
        said = next((words for state, words in SAID.items() if state == self.state), self.state)
        why = f"; {shown(self.why, 300)}" if self.why else ""
        # A saved report may hold anything under these keys.
        until = shown(self.until, 20)
        return f"{of}{shown(self.qid, 80)} until {until}: {shown(said, 80)}{why}"


def waived_of(report: Report) -> tuple[Listed, ...]:
    """Every waiver of the report; those of several suites one after another."""
    suites = report.data.get("suites")
    if not isinstance(suites, Mapping):
        return tuple(_listed(report.data, ""))
    return tuple(
        each
        for name, whole in suites.items()
        if isinstance(whole, Mapping)
        for each in _listed(whole, name)
    )


def _listed(data: Mapping[str, Json], suite: str) -> Iterator[Listed]:
    waived = data.get("waived")
    for each in waived if isinstance(waived, list) else ():
        if isinstance(each, Mapping):
            qid, until, state, why = (str(each.get(name) or "") for name in _KEYS)
            yield Listed(qid, until, state, why, suite)


def out_of_gates(report: Report) -> dict[str, Listed]:
    """The questions that no gate counts, by their qid."""
    return {each.qid: each for each in waived_of(report) if each.out}


def waived_sentence(report: Report) -> str:
    """`2 questions are waived.`; nothing where none is."""
    count = len(out_of_gates(report))
    if not count:
        return ""
    return "1 question is waived." if count == 1 else f"{count:,} questions are waived."
