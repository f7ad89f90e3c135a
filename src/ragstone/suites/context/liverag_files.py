"""The rows and averages of each system as LiveRAG teams know them: in Python, and as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragstone.engine.duck import Duck, identifier, quoted
from ragstone.files import write_set
from ragstone.suites.context import shows
from ragstone.suites.context.metrics import ROW_COLUMNS
from ragstone.suites.declaration import Outcome
from ragstone.suites.spreadsheet_cells import cell

EVALUATOR = "ContextRecall"


def scored_rows(duck: Duck, arm: str) -> tuple[dict[str, object], ...]:
    """Every question of a system that has gold, under the columns of the files, by qid."""
    columns = ", ".join(f"{identifier(own)} as {name}" for name, own in ROW_COLUMNS.items())
    return tuple(
        duck.dicts(f"select {columns} from rows where arm = {quoted(arm)} and scored order by qid")
    )


def write_files(
    duck: Duck, outcome: Outcome[Any], folder: Path, prefix: str, kinds: Sequence[str]
) -> None:
    """`<results>.<prefix>.eval.aggregated.tsv` and its three companions, for every system.

    They are one set: a killed run leaves the files of the run before, or all of its own.
    """
    files: dict[str, bytes] = {}
    for arm, stem in zip(outcome.arms, _stems(outcome), strict=True):
        average = {
            "evaluator_name": EVALUATOR,
            "sample_count": shows.scored(outcome),
            "system_name": arm,
            "is_aggregated": True,
            **shows.averages(outcome.measured[arm]),
            "missing": outcome.facts["ranked"][arm].missing,
        }
        each = [
            {**row, "evaluator_name": EVALUATOR, "is_aggregated": False, "system_name": arm}
            for row in scored_rows(duck, arm)
        ]
        for kind in kinds:
            for name, table in (("aggregated", [average]), ("rows", each)):
                text = _tsv(table) if kind == "tsv" else _jsonl(table)
                # Ids may hold lone surrogates, which UTF-8 has no bytes for.
                data = text.encode("utf-8", errors="backslashreplace")
                files[f"{stem}.{prefix}.eval.{name}.{kind}"] = data
    write_set(folder, files)


def _stems(outcome: Outcome[Any]) -> list[str]:
    """The results files' names without folder and extension; the system's where two are alike."""
    stems = [Path(outcome.files[arm][0].name.strip("<>")).stem for arm in outcome.arms]
    clear = [
        stem if stems.count(stem) == 1 else f"{stem}.{arm}"
        for stem, arm in zip(stems, outcome.arms, strict=True)
    ]
    return [stem.replace("/", "_").replace("\0", "_") for stem in clear]


def _tsv(table: Sequence[Mapping[str, object]]) -> str:
    """As pandas writes it: a header, minimal quoting, an empty cell for what is absent."""
    if not table:
        return ""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table[0]), delimiter="\t", lineterminator="\n")
    writer.writeheader()
    for row in table:
        writer.writerow({name: cell(it) if isinstance(it, str) else it for name, it in row.items()})
    return out.getvalue()


def _jsonl(table: Sequence[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in table)
