"""The page of metrics is what the declarations say, and says all of it."""

from __future__ import annotations

import re

import metrics_page
import pytest

from ragstone.cli.explain import metrics_by_suite
from ragstone.contracts.toml_file import packaged
from ragstone.engine.duck import Duck
from ragstone.measure.metric import Mean, Metric, Quantile, Ratio, Statistic
from ragstone.report.words import share, value
from ragstone.suites.answers.rules import _GAP, LINES
from ragstone.suites.answers.suite import CHECKS
from ragstone.suites.metric_texts import MetricText, metric_text, worked_out
from ragstone.suites.signs import FEWEST_ROWS

PAGE = metrics_page.PAGE.read_text(encoding="utf-8")


def text_of(owned: tuple[str, Metric]) -> MetricText:
    text = metric_text(owned[0], owned[1].name)
    assert text is not None, owned
    return text


METRICS = [(suite, metric) for suite, metrics in metrics_by_suite().items() for metric in metrics]


def test_the_page_is_what_the_declarations_say():
    # `python scripts/metrics_page.py` writes it again.
    assert metrics_page.page() == PAGE


def test_check_tells_a_page_that_has_drifted(monkeypatch, tmp_path, capsys):
    assert metrics_page.main(["--check"]) == 0
    monkeypatch.setattr(metrics_page, "PAGE", tmp_path / "metrics.md")
    metrics_page.PAGE.write_text("old\n", encoding="utf-8")
    assert metrics_page.main(["--check"]) == 1
    assert "run scripts/metrics_page.py" in capsys.readouterr().err
    assert metrics_page.main([]) == 0
    assert metrics_page.main(["--check"]) == 0


@pytest.mark.parametrize(("suite", "metric"), METRICS)
def test_a_metric_has_a_heading_of_its_own_that_the_overview_links_to(suite: str, metric: Metric):
    name = f"{suite}.{metric.name}"
    assert PAGE.count(f"\n### {suite} `{metric.name}`\n\n**What it measures.** ") == 1
    link = f"](#{metrics_page.anchor(name)}) | {metric.title} | {metric.says} |"
    assert PAGE.count(link) == 1


def entry(suite: str, metric: Metric) -> str:
    return PAGE.partition(f"\n### {suite} `{metric.name}`\n")[2].partition("\n### ")[0]


HEADS = ("What it measures", "Why it matters", "Example", "When it misleads", "Gate")


@pytest.mark.parametrize(("suite", "metric"), METRICS)
def test_an_entry_has_the_same_headings_in_the_same_order(suite: str, metric: Metric):
    found = re.findall(r"^\*\*(.+?)\.\*\* |<summary>(\w+)", entry(suite, metric), re.MULTILINE)
    assert [head or fold for head, fold in found] == [*HEADS, "Definition"]


@pytest.mark.parametrize(("suite", "metric"), METRICS)
def test_an_example_gives_the_number_that_the_page_prints(suite: str, metric: Metric):
    """The page is written with the same call, so the number is also held against the rows."""
    text = metric_text(suite, metric.name)
    assert text is not None
    shown = text.example
    assert {len(row) for row in (*shown.rows, *shown.before)} == {len(shown.columns)}
    found = worked_out(metrics_page.engine(), metric, shown, metrics_by_suite()[suite])
    assert found.value is not None and found.denominator and not found.vacuous
    assert f"These rows give {value(found)} ({share(found)}):" in entry(suite, metric)
    for happened in shown.happened:
        assert happened in entry(suite, metric)


@pytest.mark.parametrize(("suite", "metric"), METRICS)
def test_a_text_is_plain_and_whole(suite: str, metric: Metric):
    text = metric_text(suite, metric.name)
    assert text is not None
    for said in (text.why, text.misleads):
        assert "{" not in said and "`" not in said
        for sentence in re.split(r"(?<=[.?!]) ", said):
            assert sentence[0].isupper() and sentence[-1] in ".?", sentence
            assert len(sentence.split()) <= 25, sentence


@pytest.mark.parametrize("suite", sorted({text.owner for text in map(text_of, METRICS) if text}))
def test_no_text_is_left_of_a_metric_that_is_gone(suite: str):
    """Every entry is that of a metric: with its text changed, the page would be another."""
    used = {
        key
        for owner, metric in METRICS
        for key in (metric.name, re.sub(r"@\d+", "@", metric.name))
        if text_of((owner, metric)).owner == suite
    }
    written = set(packaged(f"ragstone.suites.{suite}", "metrics.toml"))
    assert written <= used


def test_every_anchor_is_there_once():
    anchors = [metrics_page.anchor(f"{suite}.{metric.name}") for suite, metric in METRICS]
    assert len(set(anchors)) == len(anchors)
    assert "answers-missing" in anchors and "retrieval-missing" in anchors


def test_a_new_metric_is_shown_with_all_that_it_declares():
    quick = Quantile(
        name="p97", of="shipped", value="latency", q=0.95, better="lower", says="Slow.", gate="9"
    )
    told = metrics_page.section("latency", quick)
    for words in ("### latency `p97`", "Slow.", "`shipped`", "`latency`", "unmeasurable", "`9`"):
        assert words in told
    odd = Ratio(name="odd", of="a | b", hit="c", empty=0.5, better="higher", says="Odd.")
    assert r"`a \| b`" in metrics_page.section("answers", odd)
    assert "0.5, not tested" in metrics_page.section("answers", odd)


def test_every_check_that_a_row_can_fail_is_explained():
    names = {name.removesuffix("@k") for name in CHECKS}
    assert names <= set(metrics_page.CHECKS)


def own_words(metric: Metric) -> tuple[str, ...]:
    """The SQL of a declaration beside its set."""
    if isinstance(metric, Statistic):
        return metric.columns
    return (metric.value if isinstance(metric, Mean) else metric.hit,)


def test_every_word_of_a_declaration_is_explained():
    checks = [f"true as {name}" for name in metrics_page.CHECKS]
    counts = (
        *("gold_count", "gold_found", "gold_cited", "cited_ids", "cited_gold", "sentences"),
        *("bare_sentences", "nugget_count", "nuggets_found", "vital_count", "vital_found"),
    )
    numbers = [f"1 as {name}" for name in counts if f"`{name}`" in PAGE]
    said = [
        text
        for metric in metrics_by_suite()["answers"]
        if metric.over == "rows"
        for text in (metric.of, *own_words(metric))
    ]
    with Duck() as duck:
        duck.query(f"select {', '.join(said)} from (select {', '.join([*checks, *numbers])})")


def test_the_lines_of_the_readings_are_those_of_the_rules():
    told = " ".join(PAGE.partition("## Readings")[2].split())
    for name, line in LINES.items():
        assert f"{name} is low below {line.removeprefix('>= ')}" in told
    assert f"by more than {_GAP:.2f}" in told
    assert f"at least {FEWEST_ROWS} of them" in told
