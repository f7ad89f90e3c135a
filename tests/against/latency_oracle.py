"""The latency numbers again, with the standard library and plain loops."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Linear interpolation, as `statistics.quantiles` calls inclusive."""
    if len(values) == 1:
        return dict.fromkeys(("p50", "p90", "p95", "p99"), values[0])
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {f"p{percent}": cuts[percent - 1] for percent in (50, 90, 95, 99)}


def frontier(choices: Sequence[tuple[str, float, float]]) -> set[str]:
    """(name, p95, precision): whoever nobody beats, by looking at everybody."""
    kept = set()
    for name, p95, precision in choices:
        beaten = False
        for _, other, exact in choices:
            if other <= p95 and exact >= precision and (other, exact) != (p95, precision):
                beaten = True
        if not beaten:
            kept.add(name)
    return kept
