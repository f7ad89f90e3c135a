"""The files that teams know from the LiveRAG scripts: averages and rows, as TSV and JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragstone.report.formats import write
from ragstone.suites.context.evidence import rows
from ragstone.suites.context.suite import Evaluation
from ragstone.suites.context.systems import averages

EVALUATOR = "ContextRecall"


def write_files(
    evaluation: Evaluation, folder: Path, prefix: str, kinds: Sequence[str]
) -> list[Path]:
    """`<results>.<prefix>.eval.aggregated.tsv` and its three companions, for every system."""
    written = []
    stems = _stems(evaluation)
    for number, (system, stem) in enumerate(zip(evaluation.systems, stems, strict=True)):
        average = {
            "evaluator_name": EVALUATOR,
            "sample_count": evaluation.scored,
            "system_name": system.name,
            "is_aggregated": True,
            **averages(system),
            "missing": system.missing,
        }
        each = [
            {**row, "evaluator_name": EVALUATOR, "is_aggregated": False, "system_name": system.name}
            for row in rows(evaluation, number)
        ]
        for kind in kinds:
            for name, table in (("aggregated", [average]), ("rows", each)):
                path = folder / f"{stem}.{prefix}.eval.{name}.{kind}"
                write(path, _tsv(table) if kind == "tsv" else _jsonl(table))
                written.append(path)
    return written


def _stems(evaluation: Evaluation) -> list[str]:
    """The results files' names without folder and extension; the system's where two are alike."""
    stems = [Path(system.source.strip("<>")).stem for system in evaluation.systems]
    names = [system.name for system in evaluation.systems]
    clear = [
        stem if stems.count(stem) == 1 else f"{stem}.{name}"
        for stem, name in zip(stems, names, strict=True)
    ]
    return [stem.replace("/", "_").replace("\0", "_") for stem in clear]


def _tsv(table: Sequence[Mapping[str, object]]) -> str:
    """As pandas writes it: a header, minimal quoting, an empty cell for what is absent."""
    if not table:
        return ""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table[0]), delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return out.getvalue()


def _jsonl(table: Sequence[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in table)
