"""Labels grouped by item: what Krippendorff's alpha is computed from."""

from __future__ import annotations

from collections import Counter

from ragstone.engine.duck import Duck
from ragstone.measure.metric import Measured, Metric
from ragstone.suites.agreement.coefficients import Unit, alpha, alpha_interval


def units_of(duck: Duck, labels: str) -> dict[Unit, int]:
    """The kinds of unit with their counts, from a query of (qid, label)."""
    found = duck.query(f"""
        select qid, label, count(*) from ({labels}) group by qid, label order by qid, label
    """)
    by_qid: dict[str, list[tuple[str, int]]] = {}
    for qid, label, count in found:
        by_qid.setdefault(str(qid), []).append((str(label), int(str(count))))
    return dict(Counter(tuple(unit) for unit in by_qid.values()))


def measured_alpha(metric: Metric, units: dict[Unit, int], level: float) -> Measured:
    paired = sum(times for unit, times in units.items() if sum(n for _, n in unit) > 1)
    value = alpha(units)
    interval = None if value is None else alpha_interval(units, level)
    return Measured(metric, value, None, paired, interval, False)
