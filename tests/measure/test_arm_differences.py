"""Differences within each value of a column are those of the rows with that value alone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples

from ragstone.engine.duck import Duck
from ragstone.measure.arm_differences import difference, differences_by
from ragstone.measure.metric import Mean, Quantile, Ratio

METRICS = (
    Ratio(name="right", of="true", hit="value > 0.5", better="higher", says="…"),
    Mean(name="mean", of="true", value="value", better="higher", says="…"),
    Quantile(name="median", of="true", value="value", q=0.5, better="higher", says="…"),
)
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["live", "shadow"]),
        st.sampled_from("ABCDE"),
        st.sampled_from(["prose", "table", None]),
        st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    ),
    min_size=1,
    max_size=30,
)


def filled(duck: Duck, rows: list[tuple[str, str, str | None, float]]) -> None:
    duck.run("create or replace temp table rows (arm text, qid text, type text, value double)")
    for arm, qid, kind, value in rows:
        given = {"arm": arm, "qid": qid, "kind": kind, "value": value}
        duck.run("insert into rows values ($arm, $qid, $kind, $value)", given)


@settings(max_examples=examples(25, long=1000))
@given(ROWS)
def test_a_part_is_as_if_it_were_alone(rows: list[tuple[str, str, str | None, float]]) -> None:
    with Duck(1) as duck:
        for metric in METRICS:
            filled(duck, rows)
            found = differences_by(duck, "type", metric, "live", "shadow", 0.95)
            for kind in ("prose", "table"):
                filled(duck, [row for row in rows if row[2] == kind])
                alone = difference(duck, metric, "live", "shadow", 0.95)
                assert found.get(kind) == alone, (metric.name, kind)
