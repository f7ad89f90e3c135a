"""The bench of intervals: its tables, and cells of it with few samples."""

from __future__ import annotations

from types import ModuleType

import coverage_agreement
import coverage_clusters
import coverage_means
import coverage_pairs
import coverage_quantiles
import coverage_ratios
import numpy as np
import pytest
from coverage import PAGE, main, parts, tables, with_tables
from coverage_cell import Cell, held_and_right

from ragstone.measure.paired import Moves, tango


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
    page = "before\n<!-- means -->\nold\n<!-- /means -->\nafter\n<!-- ratios --><!-- /ratios -->\n"
    once = with_tables(page, "means", "| new |")
    assert "old" not in once and "| new |" in once
    assert once.startswith("before\n") and once.endswith(
        "\nafter\n<!-- ratios --><!-- /ratios -->\n"
    )
    assert with_tables(once, "means", "| new |") == once


def test_a_cell_that_is_too_low_fails_the_bench(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--only", "ratios"]) == 0
    low = [Cell("ratio", 30, "p = 0.5", 0.5, 0.93)]
    monkeypatch.setattr(coverage_ratios, "cells", lambda runs: low)
    assert main(["--only", "ratios"]) == 1
    assert "too low: ratio, n = 30, p = 0.5: 0.5000" in capsys.readouterr().err


def test_either_side_that_is_wrong_counts_and_the_worse_is_shown() -> None:
    samples = [(0.7, (0.1, 0.9)), (0.2, (0.1, 0.4)), (0.06, (0.6, 0.9)), (0.04, (None, 0.4))]
    held, right = held_and_right("ratio", 30, "p = 0.5", 0.5, samples)
    assert (held.found, right.found) == (pytest.approx(0.7), pytest.approx(0.76))
    _, other = held_and_right("ratio", 30, "p = 0.5", 0.5, [(0.9, (0.1, None)), (0.1, (0.6, 0.9))])
    assert other.found == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("n", "p", "known"),
    # Enumerated apart from the bench, with the ends of scipy 1.17.
    [(30, 0.5, 0.957), (100, 0.1, 0.956), (500, 0.98, 0.977)],
)
def test_enumeration_finds_the_known_coverage(n: int, p: float, known: float) -> None:
    found = {(c.kind, c.n, c.case): c.found for c in RATIOS}
    assert found["ratio", n, f"p = {p}"] == pytest.approx(known, abs=5e-4)


def test_no_ratio_is_wrongly_proven_more_than_once_in_forty_times() -> None:
    every = [cell for cell in RATIOS if cell.kind.startswith("right proofs")]
    assert min(cell.n for cell in every) == 1
    assert all(cell.found >= 0.975 - 1e-9 for cell in every)


RATIOS = coverage_ratios.cells(0)


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


def test_kappa_and_alpha_near_1_are_wrong_at_most_once_in_twenty_times_a_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(coverage_agreement, "SIZES", (30,))
    monkeypatch.setattr(coverage_agreement, "TRUTHS", (0.95,))
    monkeypatch.setattr(coverage_agreement, "UNEQUAL", {})
    assert [cell for cell in coverage_agreement.cells(1_000) if not cell.holds] == []


def test_the_kappa_of_a_table_is_what_cohen_says() -> None:
    # Cohen (1960) and every page about it: 20 yes and 15 no of 50 agree, 25 and 30 say yes.
    assert coverage_agreement.kappa(np.array([[0.4, 0.1], [0.2, 0.3]])) == pytest.approx(0.4)


def test_a_truth_that_the_interval_is_above_counts_as_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert coverage_pairs.wrongly_above(4, 0.5, 0.5) == 0.0
    monkeypatch.setattr(coverage_pairs, "leaves_out", tango_alone)
    # Four gains of four that moved, each with the chance of a coin.
    assert coverage_pairs.wrongly_above(4, 0.5, 0.5) == pytest.approx(1 / 16)


def tango_alone(moves: Moves, edge: float, level: float, *, up: bool) -> bool:
    assert up
    return tango(moves.gained, moves.lost, moves.of, level)[0] > edge


@pytest.mark.parametrize("name", parts())
def test_every_part_of_the_page_counts_both_sides(name: str) -> None:
    _, _, after = PAGE.read_text(encoding="utf-8").partition(f"<!-- {name} -->")
    assert "| right proofs: " in after.partition(f"<!-- /{name} -->")[0]


def test_the_page_holds_a_table_for_every_kind() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert {"ratios", "clusters", "means", "quantiles"} <= set(parts())
    kinds = {cell.kind for cell in (*RATIOS, *coverage_quantiles.cells(0)) if cell.n == 500}
    for kind in kinds:
        assert f"| {kind} | 500 |" in text
    assert "| **0." not in text, "a cell is too low"
