"""The bench of intervals: its tables, and cells of it with few samples."""

from __future__ import annotations

from types import ModuleType

import coverage_clusters
import coverage_means
import coverage_quantiles
import coverage_ratios
import pytest
from coverage import BEGIN, END, PAGE, main, parts, tables, with_tables
from coverage_cell import Cell


def test_a_table_has_a_row_for_each_size_and_marks_what_is_too_low() -> None:
    cells = [
        Cell("ratio", 30, "p = 0.5", 0.9567, 0.93),
        Cell("ratio", 30, "p = 0.9", 0.9, 0.93),
        Cell("ratio", 100, "p = 0.5", 0.943, 0.93),
    ]
    assert tables(cells).splitlines() == [
        "| interval | n | p = 0.5 | p = 0.9 |",
        "|---|--:|--:|--:|",
        "| ratio | 30 | 0.957 | **0.900** |",
        "| ratio | 100 | 0.943 | – |",
    ]


def test_the_tables_go_between_the_marks_of_the_page() -> None:
    page = "before\n<!-- coverage begins -->\nold\n<!-- coverage ends -->\nafter\n"
    once = with_tables(page, "| new |")
    assert "old" not in once and "| new |" in once
    assert once.startswith("before\n") and once.endswith("\nafter\n")
    assert with_tables(once, "| new |") == once


def test_a_cell_that_is_too_low_fails_the_bench(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--only", "ratios"]) == 0
    low = [Cell("ratio", 30, "p = 0.5", 0.5, 0.93)]
    monkeypatch.setattr(coverage_ratios, "cells", lambda runs: low)
    assert main(["--only", "ratios"]) == 1
    assert "too low: ratio, n = 30, p = 0.5: 0.5000" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("n", "p", "known"),
    # Known from tables of exact coverage (Brown, Cai and DasGupta, 2001, and by enumeration).
    [(30, 0.5, 0.957), (100, 0.1, 0.936), (500, 0.98, 0.964)],
)
def test_enumeration_finds_the_known_coverage_of_wilson(n: int, p: float, known: float) -> None:
    found = {(c.kind, c.n, c.case): c.found for c in coverage_ratios.cells(0)}
    assert found["ratio", n, f"p = {p}"] == pytest.approx(known, abs=5e-4)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    # As tables of exact limits for a proportion print them.
    [(0, 10, 0.0, 0.3085), (4, 20, 0.0573, 0.4366), (10, 10, 0.6915, 1.0)],
)
def test_clopper_pearson_has_its_published_ends(hits: int, n: int, low: float, high: float) -> None:
    assert coverage_ratios.clopper_pearson(n)[hits] == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("module", [coverage_clusters, coverage_means])
def test_few_samples_come_near_to_what_is_asked(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 200 samples the share strays by 0.05: a method that does not cover strays further."""
    monkeypatch.setattr(module, "SIZES", (30,))
    cells = module.cells(200)
    assert len({cell.kind for cell in cells}) >= 12
    assert [cell for cell in cells if cell.found < cell.least - 0.05] == []


def test_the_samples_are_the_same_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage_clusters, "SIZES", (30,))
    monkeypatch.setattr(coverage_clusters, "RATES", (0.1,))
    assert coverage_clusters.cells(40) == coverage_clusters.cells(40)


def test_student_t_would_be_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval that bounded means had before misses most of the time near 0."""
    monkeypatch.setattr(coverage_means, "SIZES", (30,))
    monkeypatch.setattr(coverage_means, "RATES", (0.02,))
    monkeypatch.setattr(coverage_means, "BOUNDS", None)
    found = {cell.kind: cell for cell in coverage_means.cells(200)}
    assert found["mean of recall in {0, 0.5, 1}"].found < 0.8


def test_quantiles_hold_the_truth_wherever_an_end_is_open() -> None:
    found = {(cell.kind, cell.n, cell.case): cell for cell in coverage_quantiles.cells(0)}
    assert all(cell.holds for cell in found.values())
    # The largest of 30 values would be above the true p99 in 0.26 of samples only.
    assert found["quantile", 30, "p99"].found > 0.97


def test_the_page_holds_a_table_for_every_kind() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert {"ratios", "clusters", "means", "quantiles"} <= set(parts())
    kinds = {cell.kind for cell in (*coverage_ratios.cells(0), *coverage_quantiles.cells(0))}
    for kind in kinds:
        assert f"| {kind} | 500 |" in text
    assert "**" not in text.partition(BEGIN)[2].partition(END)[0], "a cell is too low"
