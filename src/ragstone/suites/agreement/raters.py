"""More than two validators: how each pair of them agrees, and on which items not all do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from ragstone.engine.duck import Duck, text, whole
from ragstone.report.document.blocks import Block, Table
from ragstone.suites.agreement.coefficients import kappa, matrix_of
from ragstone.suites.standard_blocks import first_of

Labels = dict[str, list[str | None]]
"""From item to the label of each validator, None where there is none."""


def facts_of(duck: Duck, raters: Sequence[str]) -> dict[str, Any]:
    """What the table `given` says, items in order; `unpaired` are those that only one labelled."""
    labels: Labels = {}
    for rater, qid, label in duck.query("select rater, qid, label from given order by qid, rater"):
        labels.setdefault(text(qid), [None] * len(raters))[whole(rater)] = text(label)
    said = {qid: [label for label in given if label is not None] for qid, given in labels.items()}
    return {
        "raters": raters,
        "items": len(labels),
        "pairwise": _pairwise(raters, labels),
        "abstained": {
            name: sum(given[place] == "ABSTAIN" for given in labels.values())
            for place, name in enumerate(raters)
        },
        "splits": [
            {"qid": qid, "labels": dict(zip(raters, given, strict=True))}
            for qid, given in labels.items()
            if len(set(said[qid])) > 1
        ],
        "unpaired": [qid for qid, given in said.items() if len(given) < 2],
    }


def _pairwise(raters: Sequence[str], labels: Labels) -> list[dict[str, Any]]:
    """How each two of them agree on the items that both labelled."""
    made = []
    for (one, first), (two, second) in combinations(enumerate(raters), 2):
        matrix = matrix_of(Counter((given[one], given[two]) for given in labels.values()))
        items = sum(map(sum, matrix))
        made.append(
            {
                "raters": [first, second],
                "items": items,
                "agreed": sum(row[place] for place, row in enumerate(matrix)),
                "kappa": kappa(matrix) if items else None,
            }
        )
    return made


def blocks_of(facts: Mapping[str, Any], limit: int | None) -> list[Block]:
    rows = tuple(
        (
            ", ".join(pair["raters"]),
            pair["items"],
            pair["agreed"] / pair["items"] if pair["items"] else None,
            pair["kappa"],
        )
        for pair in facts["pairwise"]
    )
    made: list[Block] = [Table("Pair by pair", ("raters", "items", "agreement", "kappa"), rows)]
    if facts["splits"]:
        cells = tuple((item["qid"], *item["labels"].values()) for item in facts["splits"][:limit])
        says = first_of(len(cells), len(facts["splits"]))
        made.append(Table("Items they disagree on", ("qid", *facts["raters"]), cells, says))
    return made
