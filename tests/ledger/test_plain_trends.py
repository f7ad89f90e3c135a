"""Where people read a trend, every metric has its plain name."""

from __future__ import annotations

import re

import pytest
from command import Command
from recorded_history import gate, keep, recording
from report.bare_names import bare_names, sections_of_page

from ragstone.ledger.recording import Recording
from ragstone.suites.metric_titles import metrics_of
from ragstone.suites.registry import suites


def of_every_metric() -> list[Recording]:
    """Recordings that gate every metric of every suite: one of each, and one of all together."""
    gates = {
        suite.name: {each.name: gate(0.5, of=each.name) for each in metrics_of(suite)}
        for suite in suites()
    }
    alone = [recording(n, own, suite=suite) for n, (suite, own) in enumerate(gates.items())]
    both = {f"{suite}.{name}": each for suite, own in gates.items() for name, each in own.items()}
    return [*alone, recording(len(gates), both, suite="gate")]


@pytest.mark.parametrize("form", ["terminal", "markdown", "html"])
def test_nobody_meets_a_name_without_its_plain_name(command: Command, form: str) -> None:
    keep(of_every_metric())
    ran = command("trend", "-f", form)
    assert ran.code == 0
    parts = {
        # A line with its name above it is read with that line.
        "terminal": lambda text: re.split(r"\n(?=  \S)", text),
        "markdown": lambda text: text.splitlines(),
        "html": sections_of_page,
    }
    read = [" ".join(part.split()) for part in parts[form](ran.text)]
    assert {part[:60]: bare for part in read if (bare := bare_names(part))} == {}
    for suite in suites():
        for each in metrics_of(suite):
            assert each.title in " ".join(read), (suite.name, each.name)
