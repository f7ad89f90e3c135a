"""The title tree: the coverage of every section that has a question, and of those above it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ragstone.contracts.plain_numbers import natural_key
from ragstone.engine.duck import Duck, quoted, real, text, whole


@dataclass(frozen=True, slots=True)
class Node:
    """A section of the title tree, with the questions anchored in it or below it."""

    section: str
    questions: int
    value: float | None

    @property
    def depth(self) -> int:
        return self.section.count(".")


def natural(section: str) -> tuple[tuple[int, int, str], ...]:
    """The key that puts 1.2 before 1.10, and S.9 before S.10.

    >>> sorted(["1.10", "1.2", "S.10.1", "S.9"], key=natural)
    ['1.2', '1.10', 'S.9', 'S.10.1']
    """
    parts = re.findall(r"[0-9]+|[^0-9.]+|\.", section)
    # Not `part.isdigit()`: that is true of ², which is no number to `int`.
    return tuple(
        (1, *natural_key(part)) if part[0] in "0123456789" else (0 if part == "." else 2, 0, part)
        for part in parts
    )


def title_tree(duck: Duck, arm: str, answers: int) -> tuple[Node, ...]:
    """Sections with their coverage, in natural order.

    Without answers nothing is covered, and the share found in the first five stands for it.
    """
    value = "coverage" if answers else "found_5"
    # Added up in order of size, each value as often as there are questions with it.
    each = f"list({value})"
    if duck.condensed:
        each = f"flatten(list(list_transform(range(times), lambda nth: {value})))"
    found = duck.query(f"""
        select anchor, {duck.tally()}, list_sum(list_sort({each}))
        from rows where anchor is not null and arm = {quoted(arm)} group by anchor
    """)
    sums: dict[str, list[tuple[int, float]]] = {}
    for anchor, questions, total in found:
        steps = text(anchor).split(".")
        for depth in range(1, len(steps) + 1):
            into = sums.setdefault(".".join(steps[:depth]), [])
            into.append((whole(questions), real(total)))
    nodes = []
    for section in sorted(sums, key=lambda name: (natural(name), name)):
        parts = sums[section]
        size = sum(questions for questions, _ in parts)
        share = math.fsum(total for _, total in parts) / size if size else None
        nodes.append(Node(section, size, share))
    return tuple(nodes)
