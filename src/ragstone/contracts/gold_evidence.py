"""The evidence that a gold item names, in Python; the engine's way is suites/answers/gold.sql."""

from __future__ import annotations

from collections.abc import Mapping

# The least grade that makes an id evidence.
LEAST_GRADE = 1


def gold_ids(item: Mapping[str, object]) -> list[str]:
    """The ids of `gold_citations`: all of a list, of an object those with a grade of 1 or more.

    >>> gold_ids({"gold_citations": {"p1": 2, "p2": 0.5, "p3": None}})
    ['p1']
    """
    found = item.get("gold_citations")
    if isinstance(found, dict):
        return [
            str(id) for id, grade in found.items() if grade is not None and grade >= LEAST_GRADE
        ]
    return [str(id) for id in found] if isinstance(found, list) else []


def gold_groups(item: Mapping[str, object]) -> list[list[str]]:
    """Groups of ids of which one is enough: each id of `gold_citations` is one of its own.

    >>> gold_groups({"gold_citations": ["p1"], "gold_citations_any": [["p2", "p3"]]})
    [['p1'], ['p2', 'p3']]
    """
    groups = item.get("gold_citations_any")
    listed = groups if isinstance(groups, list) else []
    return [*([id] for id in gold_ids(item)), *(list(map(str, group)) for group in listed)]
