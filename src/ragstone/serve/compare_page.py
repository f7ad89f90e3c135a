"""Two runs of the ledger side by side, chosen by a form: the report of `ragstone compare`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragstone.comparison.compare_rows import comparing
from ragstone.comparison.sides import compare_sides, named, side_of_run
from ragstone.errors import ConfigError, InputError
from ragstone.report.compared_report import compared_report
from ragstone.report.model import Report
from ragstone.report.private_texts import Texts
from ragstone.serve.asked import Asked
from ragstone.serve.known_runs import KnownRuns, newest_of_each
from ragstone.serve.page_fields import Missing, says
from ragstone.serve.run_pages import RunRow, run_row
from ragstone.suites.config_file import Config, options_of
from ragstone.suites.registry import find_suite

_CHOICES = 200


@dataclass(frozen=True, slots=True)
class ComparePage:
    """Two runs, what they are chosen from, and the report of their comparison."""

    a: str = says("the run that it was, or nothing where none is chosen")
    b: str = says("the run that it is now")
    suite: str = says("the suite that is compared, of runs that have several")
    suites: tuple[str, ...] = says("the suites that both runs have rows of")
    runs: tuple[RunRow, ...] = says("the newest runs, to choose from")
    refused: str = says("why these two are not compared; nothing where they are")
    report: Mapping[str, Any] | None = says("the report, as `ragstone compare --json` writes it")


def compare_page(
    runs: KnownRuns, asked: Asked, config: Config, texts: Texts
) -> tuple[ComparePage, Report | None]:
    """The comparison of two runs, or only the form where two are not chosen."""
    names = runs.names()
    newest = newest_of_each(runs.look().recordings)[:_CHOICES]
    listed = tuple(run_row(each, names, {}) for each in newest)
    words = asked.text("a"), asked.text("b")
    suite = asked.text("suite")
    if not all(words):
        chosen = tuple(runs.find(word).digest if word else "" for word in words)
        return ComparePage(chosen[0], chosen[1], suite, (), listed, "", None), None
    a, b = (runs.find(word) for word in words)
    shared = [name for name in a.suites() if name in b.suites()]
    several = tuple(name for name in shared if name)
    if suite and several and suite not in several:
        raise Missing(400, f"suite: expected one of {', '.join(several)}")
    suite = suite or next(iter(several), "")
    report, refused = None, ""
    try:
        sides = named([side_of_run(run, run.called, suite or None) for run in (a, b)])
        options = options_of(find_suite(str(sides[0].suite)), config, {})
        # The server shows what two runs came to; the gates of a comparison are for CI.
        found = compare_sides(sides[0], sides[1], comparing(options), threads=1)
        report = compared_report(found, texts)
    except (ConfigError, InputError) as error:
        refused = str(error)
    data = None if report is None else report.to_dict()
    return ComparePage(a.digest, b.digest, suite, several, listed, refused, data), report
