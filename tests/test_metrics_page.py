"""The page of metrics is what the declarations say, and says all of it."""

from __future__ import annotations

import metrics_page
import pytest

from ragstone.cli.explain import metrics_by_suite
from ragstone.engine.duck import Duck
from ragstone.measure.metric import Mean, Metric, Quantile, Ratio, Statistic
from ragstone.suites.answers.rules import _GAP, LINES
from ragstone.suites.answers.suite import CHECKS

PAGE = metrics_page.PAGE.read_text(encoding="utf-8")
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
    assert PAGE.count(f"\n### {name}\n\n{metric.says}\n") == 1
    assert PAGE.count(f"](#{metrics_page.anchor(name)}) | {metric.says} |") == 1


def test_a_new_metric_is_shown_with_all_that_it_declares():
    quick = Quantile(
        name="p95", of="shipped", value="latency", q=0.95, better="lower", says="Slow.", gate="9"
    )
    told = metrics_page.section("latency", quick)
    for words in ("### latency.p95", "Slow.", "`shipped`", "`latency`", "unmeasurable", "`9`"):
        assert words in told
    odd = Ratio(name="odd", of="a | b", hit="c", empty=0.5, better="higher", says="Odd.")
    assert r"`a \| b`" in metrics_page.section("answers", odd)
    assert "0.5, marked vacuous" in metrics_page.section("answers", odd)


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
