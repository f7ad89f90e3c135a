"""Where people read, a metric has its plain name: no page says `chr` and leaves it at that."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator

import pytest
from long_runs import each_once
from report.bare_names import TITLES, WORDS, bare_names, sections_of_page
from report.every_report import NAMES, ONE_BY_ONE, declared, of_command

from ragstone.report.formats import render, terminal
from ragstone.report.model import Report
from ragstone.suites.metric_titles import metric_title
from ragstone.suites.registry import entries


def test_names_that_are_no_words_are_looked_for() -> None:
    assert {"chr", "scu", "css", "p95", "R@5", "recall@k", "under_refusal"} <= TITLES.keys() - WORDS


@pytest.mark.parametrize("suite", [entry.name for entry in entries()])
def test_every_metric_has_a_plain_name_that_fits_on_a_line(suite: str) -> None:
    metrics = declared(suite).metrics.values()
    assert all(each.metric.title and len(each.metric.title) <= 50 for each in metrics)


def parts_of(text: str) -> Iterator[str]:
    """The parts of the long text, each under its heading, on one line."""
    return (" ".join(part.split()) for part in re.split(r"\n(?=\S)", text))


def sections_of_markdown(text: str) -> Iterator[str]:
    return (" ".join(part.split()) for part in re.split(r"\n(?=#)", html.unescape(text)))


def messages_of_scanner(text: str) -> Iterator[str]:
    for result in json.loads(text)["runs"][0]["results"]:
        yield from result["message"]["text"].splitlines()


def messages_of_tests(text: str) -> Iterator[str]:
    yield from re.findall(r'message="([^"]*)"', text)


def drawn(report: Report, kind: str) -> list[str]:
    if kind == "terminal":
        # Wide enough for every table, so that no name is folded within its column.
        return [*parts_of(terminal.render(report, color=False, width=2000))]
    made = render(report, kind)
    read = {
        "markdown": sections_of_markdown,
        "html": sections_of_page,
        "sarif": messages_of_scanner,
        "junit": messages_of_tests,
        "github": str.splitlines,
    }
    return [*read[kind](made)]


KINDS = ("terminal", "markdown", "html", "sarif", "junit", "github")


@pytest.mark.parametrize(("name", "kind"), each_once(NAMES, KINDS))
def test_nobody_meets_a_name_without_its_plain_name(name: str, kind: str) -> None:
    found = {part[:60]: bare for part in drawn(NAMES[name](), kind) if (bare := bare_names(part))}
    assert found == {}


def test_the_test_finds_bare_names() -> None:
    assert bare_names("tags chr billing 0.5") == ["chr"]
    assert bare_names("costs under_refusal") == ["under_refusal"]
    assert bare_names("cites the right evidence (chr)") == []
    assert bare_names("chr 0.5 chr: cites the right evidence") == []


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_programs_keep_the_names(name: str) -> None:
    """Plain names are for people: keys of the JSON are the names that flags and files know."""
    report = of_command(name)
    found = json.loads(render(report, "json"))
    assert [*found["metrics"]] == [*report.metrics]
    assert [*found["gates"]] == [gate.name for gate in report.gates]


def test_a_metric_of_another_depth_and_a_change_have_plain_names() -> None:
    assert metric_title("trec", "ndcg@7") == "right order of the first 7"
    assert metric_title("answers", "chr[tags=a]") == "cites the right evidence"
    assert metric_title("answers", "under_refusal_delta").endswith(", against the baseline")
    assert metric_title("answers", "nothing of the kind") == metric_title("no suite", "chr") == ""
