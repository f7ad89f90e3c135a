"""The only list of suites, read by the command line, `gate`, `explain`, `check` and the docs.

A suite's module is imported when the suite is asked for, so that `--help` stays light.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragstone.contracts.record import Record
    from ragstone.suites.declaration import AnySuite


@dataclass(frozen=True, eq=False, repr=False)
class Entry:
    """One suite: its name, its command, what the command does, and where the suite is declared.

    `table` is its table in ragstone.toml, "" where the file cannot name it. Commands with actions
    of their own (`latency score`, `latency sweep`) have a module in `cli/`, and so has one that
    two suites share (`agreement`, with or without --labels).
    """

    name: str
    command: str
    says: str
    where: str
    table: str


_ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "answers",
            "score",
            "score a gold set and traces, and decide: ship or do not ship",
            "ragstone.suites.answers.suite:ANSWERS",
            "answers",
        ),
        Entry(
            "retrieval",
            "retrieval",
            "judge one index: recall, citations, convergence",
            "ragstone.suites.retrieval.suite:RETRIEVAL",
            "retrieval",
        ),
        Entry(
            "canary",
            "canary",
            "decide whether a shadow index may replace the live one",
            "ragstone.suites.canary.suite:CANARY",
            "retrieval",
        ),
        Entry(
            "context",
            "context",
            "judge retrieved documents, one system or several side by side",
            "ragstone.suites.context.suite:CONTEXT",
            "context",
        ),
        Entry(
            "trec",
            "trec",
            "score TREC runs against qrels",
            "ragstone.suites.trec.suite:TREC",
            "",
        ),
        Entry(
            "latency",
            "latency",
            "measure speed against accuracy, and pick a configuration",
            "ragstone.suites.latency.suite:LATENCY",
            "latency",
        ),
        Entry(
            "agreement",
            "agreement",
            "compare validators' labels, or the gate's own verdicts with people's labels",
            "ragstone.suites.agreement.suite:AGREEMENT",
            "agreement",
        ),
        Entry(
            "people",
            "agreement",
            "compare the gate's own verdicts with people's labels",
            "ragstone.suites.people.suite:PEOPLE_SUITE",
            "agreement",
        ),
        Entry(
            "stability",
            "stability",
            "ask the same again, differently, and judge how steady it is",
            "ragstone.suites.stability.suite:STABILITY",
            "stability",
        ),
        Entry(
            "audit",
            "audit",
            "look through traces without gold: refusals, citations, figures, time and cost",
            "ragstone.suites.audit.suite:AUDIT",
            "audit",
        ),
    )
}
_REGISTERED: dict[str, AnySuite] = {}


def entries() -> tuple[Entry, ...]:
    """Every suite, in the order that `gate` runs them."""
    return tuple(_ENTRIES.values())


def find_suite(name: str) -> AnySuite:
    """The suite of that name."""
    if name in _REGISTERED:
        return _REGISTERED[name]
    module, _, attribute = _ENTRIES[name].where.partition(":")
    suite: AnySuite = getattr(import_module(module), attribute)
    return suite


def command_of(name: str) -> str:
    """The command that judges with a suite."""
    return _ENTRIES[name].command


def suites() -> Iterator[AnySuite]:
    """Every suite, imported."""
    return (find_suite(name) for name in _ENTRIES)


def tables() -> tuple[str, ...]:
    """The tables of ragstone.toml that suites have, each once."""
    return tuple(dict.fromkeys(entry.table for entry in entries() if entry.table))


def of_table(table: str) -> tuple[AnySuite, ...]:
    """The suites that read a table of ragstone.toml: one index and two indexes share one."""
    return tuple(find_suite(entry.name) for entry in entries() if entry.table == table)


def register(suite: AnySuite, command: str, says: str) -> None:
    """Adds a suite for this process, with everything that comes from being in the list."""
    _ENTRIES[suite.name] = Entry(suite.name, command, says, "", suite.name)
    _REGISTERED[suite.name] = suite


def unregister(name: str) -> None:
    """Takes a registered suite out again."""
    del _ENTRIES[name], _REGISTERED[name]


def records() -> dict[str, Record]:
    """Every record that a suite or a command reads, by name."""
    from ragstone.contracts.records.label_records import JUDGE_LABELS

    inputs = (given for suite in suites() for given in suite.inputs)
    found = {given.record.name: given.record for given in inputs if given.record.fields}
    # What calibrates a judge is read by no suite.
    return {**found, JUDGE_LABELS.name: JUDGE_LABELS}
