"""The agreement suite against independent implementations, on generated labels."""

from __future__ import annotations

import math
from collections import Counter

from against import agreement_oracle as oracle
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_runs import examples

from ragstone.api import agreement
from ragstone.contracts.records.label_records import LABELS, SPELLINGS
from ragstone.suites.agreement.coefficients import alpha, kappa

labels = st.sampled_from(LABELS)
ids = st.lists(st.sampled_from(["p1", "p2", "é"]), max_size=2)
flags = st.fixed_dictionaries(
    {}, optional={"provenance_violation": st.booleans(), "constraints_mismatch": st.booleans()}
)
said = st.fixed_dictionaries({"label": st.sampled_from(SPELLINGS)})
pairs = st.fixed_dictionaries(
    {"scholar": said, "auditor": said},
    optional={
        "answer_json": st.fixed_dictionaries({"citations": ids}) | st.none(),
        "retrieved_ids": ids | st.none(),
        "flags": flags | st.none(),
    },
)


def close(one: float | None, two: float | None) -> bool:
    if one is None or two is None:
        return one is two
    return math.isclose(one, two, rel_tol=1e-12, abs_tol=1e-12)


@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=60))
def test_kappa_is_the_textbooks(given_labels: list[tuple[str, str]]) -> None:
    counts = Counter(given_labels)
    matrix = [[counts[one, two] for two in LABELS] for one in LABELS]
    assert close(kappa(matrix), oracle.kappa(given_labels))


@given(st.lists(st.lists(labels | st.none(), min_size=2, max_size=5), max_size=40))
def test_alpha_is_that_of_the_coincidence_matrix(items: list[list[str | None]]) -> None:
    units = Counter(
        tuple(sorted(Counter(x for x in item if x is not None).items())) for item in items
    )
    assert close(alpha(units), oracle.alpha(items))


@settings(
    max_examples=examples(10, long=250), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.lists(pairs, max_size=40))
def test_every_row_is_arbitrated_as_the_rules_say(found: list[dict[str, object]]) -> None:
    lines = [{"qid": f"q{number}", **pair} for number, pair in enumerate(found)]
    rows = agreement(pairs=lines).data["arbitration"]
    assert {row["qid"]: (row["final"], row["why"]) for row in rows} == {
        str(line["qid"]): oracle.arbitrate(line) for line in lines
    }
