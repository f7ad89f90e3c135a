"""The bench of intervals: its tables, and cells of it with few samples."""

from __future__ import annotations

import coverage_ratios
import pytest
from coverage import PAGE, main, parts, tables, with_tables
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
    # Clopper and Pearson's interval as the R manual (binom.test) and Agresti print it.
    [(0, 10, 0.0, 0.3085), (682, 925, 0.7076683, 0.7654066), (10, 10, 0.6915, 1.0)],
)
def test_clopper_pearson_has_its_published_ends(hits: int, n: int, low: float, high: float) -> None:
    assert coverage_ratios.clopper_pearson(n)[hits] == pytest.approx((low, high), abs=5e-5)


def test_the_page_holds_a_table_for_every_kind() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert "ratios" in parts()
    for kind in {cell.kind for cell in coverage_ratios.cells(0)}:
        assert f"| {kind} | 500 |" in text
