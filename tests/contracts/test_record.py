"""Lines are checked alike with a mapping of fields and without one."""

from __future__ import annotations

from typing import Any

import pytest
from good_lines import GOOD, mapped
from hypothesis import given
from hypothesis import strategies as st

from ragstone.contracts.record import Record, problems
from ragstone.suites.registry import records

pytestmark = pytest.mark.python

WORDS = st.sampled_from(["", "a", "VALID", "2024-01-01"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | WORDS,
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(st.sampled_from(["id", "label", "llm", "claim"]), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip


@pytest.mark.parametrize("record", records().values(), ids=lambda record: record.name)
@given(data=st.data())
def test_a_mapping_that_changes_nothing_changes_nothing(
    record: Record, data: st.DataObject
) -> None:
    plain = [lines for each, lines, mapping in GOOD if each is record and not mapping]
    good = [line for lines in plain for line in lines] or [{}]
    line: dict[str, Any] = dict(data.draw(st.sampled_from(good)))
    names = st.sampled_from([field.path[0] for field in record.fields])
    line.update(data.draw(st.dictionaries(names, VALUES, max_size=2)))
    for name in data.draw(st.lists(names, max_size=1)):
        line.pop(name, None)
    first = record.fields[0].name
    assert list(problems(record, line, {})) == list(
        problems(record, line, mapped(record, **{first: first}))
    )
