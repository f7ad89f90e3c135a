"""Extra metrics are for those who ask: nothing is spent on them, or shown of them, unasked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from ragstone.engine.duck import Duck, Row
from ragstone.gates.gate import Judged, Status, Threshold
from ragstone.measure.measure import measure
from ragstone.measure.metric import Mean, Metric, Ratio
from ragstone.suites.offenders import costly_metrics

PLAIN = Ratio(name="plain", hit="correct", says="")
EXTRA = Mean(name="extra", value="part", tested="part is not null", says="", extra=True)


class CountingDuck(Duck):
    """The engine, which also counts the statements it is asked."""

    asked = 0

    def query(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        self.asked += 1
        return super().query(sql, parameters)


@pytest.fixture
def duck() -> Iterator[CountingDuck]:
    with CountingDuck(threads=1) as duck:
        duck.run("create temp table rows (correct boolean, part double)")
        duck.run("insert into rows values (true, null), (false, null)")
        yield duck


def test_values_are_not_read_where_nothing_is_tested(duck: CountingDuck) -> None:
    found = measure(duck, [PLAIN, EXTRA])[""]
    assert duck.asked == 1
    assert (found["extra"].denominator, found["extra"].vacuous) == (0, True)


def test_values_are_read_where_something_is_tested(duck: CountingDuck) -> None:
    duck.run("insert into rows values (true, 0.5)")
    found = measure(duck, [PLAIN, EXTRA])[""]
    assert duck.asked == 2
    assert (found["extra"].value, found["extra"].tested) == (0.5, 1)


def failed(metric: Metric) -> Judged:
    return Judged(metric.name, metric.name, Threshold(">=", 0.5), 0.4, 0.4, None, Status.FAIL)


def test_a_row_is_charged_with_an_extra_metric_only_where_it_is_gated() -> None:
    assert set(costly_metrics([PLAIN, EXTRA], None, [])) == {"plain"}
    assert set(costly_metrics([PLAIN, EXTRA], None, [failed(EXTRA)])) == {"plain", "extra"}
    assert set(costly_metrics([PLAIN, EXTRA], ("extra",), [])) == {"extra"}
