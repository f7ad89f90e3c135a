"""Judge retrieved documents: recall and ranking, for one system or several side by side."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import (
    add_errors,
    add_everywhere,
    add_map,
    add_output,
    check_output,
    config_of,
    emit,
    mapping_in,
    must_not_replace,
    number,
    resolve_path,
    wants,
    whole,
)
from ragstone.errors import ConfigError
from ragstone.gates.config import Config

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.engine.lazy import LazyDuck
    from ragstone.engine.line_places import Place
    from ragstone.report.model import Report
    from ragstone.suites.context.options import Options
    from ragstone.suites.context.suite import Evaluation

EXAMPLE = """\
examples:
  ragstone context --results run.tsv --reference questions.tsv
  ragstone context --results bm25.tsv rm3.tsv --reference questions.tsv -o report.html
  ragstone context --results run.jsonl --reference qrels.txt --by question_factuality --out eval/
"""

EVALUATOR = "ContextRecall"
SHOWN = 10
# What `ragstone gate` leaves to the file.
ABSENT: dict[str, object] = {
    "results": [], "reference": None, "level": None, "id_pattern": None, "baseline": None,
    "out": None,
}  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    inputs = parser.add_argument_group("inputs")
    inputs.add_argument(
        "--results", metavar="FILE", nargs="+", action="extend", default=[],
        help="what each system retrieved: TSV, CSV, JSON, JSONL, Parquet, a LiveRAG answer file "
        "or a TREC run; several files are several systems",
    )  # fmt: skip
    inputs.add_argument(
        "--reference", metavar="FILE",
        help="the gold documents: TSV, CSV, JSON, JSONL, Parquet, TREC or BEIR qrels",
    )  # fmt: skip
    add_map(inputs)
    add_errors(inputs)
    inputs.add_argument(
        "--id-pattern", metavar="REGEX",
        help="the part of an id that names the document (default: <urn:uuid:...>)",
    )  # fmt: skip
    inputs.add_argument(
        "--evaluator", metavar="NAME", help="accepted: ContextRecall is all there is"
    )
    scoring = parser.add_argument_group("scoring")
    scoring.add_argument("--k", type=whole, metavar="K", help="the cut of the @k metrics (10)")
    scoring.add_argument(
        "-l", "--level", type=whole, metavar="N", help="the grade from which on qrels are gold (1)"
    )
    scoring.add_argument("--baseline", metavar="SYSTEM", help="whom to compare with (the first)")
    deciding = parser.add_argument_group("deciding")
    deciding.add_argument(
        "--gates", metavar="NAME=NUMBER", nargs="+", action="extend", default=[],
        help="thresholds, over the file's; NAME=off drops one",
    )  # fmt: skip
    deciding.add_argument(
        "--strict", action="store_true",
        help="a repeated id is an error, a vacuous gate unmeasurable",
    )  # fmt: skip
    deciding.add_argument(
        "--confidence", type=number, metavar="LEVEL",
        help="gate on the worse end of the interval at this level, as in 0.95",
    )  # fmt: skip
    showing = parser.add_argument_group("showing")
    showing.add_argument(
        "--by", metavar="FIELD", nargs="+", action="extend", default=[],
        help="also by a field of the reference, such as question_factuality",
    )  # fmt: skip
    showing.add_argument("--all", action="store_true", help="list every row, not just the first 10")
    files = parser.add_argument_group("files")
    files.add_argument(
        "--out", "--output-dir", metavar="DIR",
        help="write the averages and the rows of each system here, as TSV and JSONL",
    )  # fmt: skip
    files.add_argument("--output-prefix", metavar="NAME", default=EVALUATOR, help="in their names")
    files.add_argument("--output-format", choices=("tsv", "jsonl"), help="only one of the two")
    add_output(parser)
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    if arguments.evaluator and arguments.evaluator.rpartition(".")[2] != EVALUATOR:
        raise ConfigError(f"there is no evaluator {arguments.evaluator!r}; known: {EVALUATOR}")
    report = report_of(arguments, config_of(arguments))
    emit(report, arguments)
    return report.exit_code


def report_of(arguments: argparse.Namespace, config: Config) -> Report:
    """Reads, scores, compares and decides; writes the files of --out."""
    from ragstone.contracts.sources import find
    from ragstone.engine.lazy import LazyDuck

    options = options_of(arguments, config)
    results, reference = inputs_of(arguments, config)
    folder = _folder(arguments.out) if arguments.out else None
    with LazyDuck(arguments.threads) as engine:
        found = find(results, "results", engine.scratch)
        gold = find(reference, "reference", engine.scratch)
        if len(gold) > 1:
            raise ConfigError(f"{reference} matches {len(gold)} files; the reference is one")
        must_not_replace(arguments, (*found, *gold))
        limit = None if arguments.all else SHOWN
        report, evaluation = report_in(engine, found, gold[0], options, limit)
        if folder is not None:
            from ragstone.report.context_files import write_files

            kinds = (arguments.output_format,) if arguments.output_format else ("tsv", "jsonl")
            write_files(evaluation, folder, arguments.output_prefix, kinds)
        if wants(arguments, "sarif", "github"):
            report = replace(
                report, places=_places(engine, report, found[evaluation.baseline], gold[0], options)
            )
    return report


def report_in(
    engine: LazyDuck,
    results: Sequence[Source],
    reference: Source,
    options: Options,
    limit: int | None,
) -> tuple[Report, Evaluation]:
    """The report, and the evaluation it tells of; `limit` is how many rows each list shows."""
    from ragstone.ledger.digest import digest
    from ragstone.report import context
    from ragstone.suites.context import evidence, suite

    found = suite.evaluate(engine, results, reference, options, limit)
    rows, total = evidence.offenders(found, limit)
    settings = {**context.settings(found), "limit": limit}
    mark = digest("context", context.inputs(found), settings, found.gates, found.metrics)
    return context.build(found, context.Evidence(rows, total), mark), found


def options_of(arguments: argparse.Namespace, config: Config) -> Options:
    """The file's options under the flags'."""
    from ragstone.gates.judge import split_flags
    from ragstone.suites.context.options import Options

    table = config.suite("context")
    chosen: dict[str, object] = {
        name: value for name, value in table.options.items() if name not in ("results", "reference")
    }
    for name in ("k", "level", "id_pattern", "baseline", "confidence"):
        if getattr(arguments, name) is not None:
            chosen[name] = getattr(arguments, name)
    by = [name for item in arguments.by for name in item.split(",") if name]
    listed = chosen.pop("by", [])
    return Options(
        **chosen,  # type: ignore[arg-type]
        by=tuple(by or (listed if isinstance(listed, list) else [])),
        gates=(*table.gates, *split_flags(arguments.gates)),
        slices=table.slices,
        strict=arguments.strict,
        mapping=mapping_in(config, arguments.map),
    )


def inputs_of(arguments: argparse.Namespace, config: Config) -> tuple[list[str], str]:
    """The results files and the reference: flags win over the file."""
    table = config.suite("context").options
    listed = table.get("results", [])
    results = arguments.results or [
        resolve_path(str(name), config.path)
        for name in (listed if isinstance(listed, list) else [])
    ]
    reference = arguments.reference
    if reference is None and table.get("reference") is not None:
        reference = resolve_path(str(table["reference"]), config.path)
    if not results:
        raise ConfigError(
            "no results: give --results FILE, or set context.results in ragstone.toml"
        )
    if reference is None:
        raise ConfigError(
            "no reference: give --reference FILE, or set context.reference in ragstone.toml"
        )
    return results, reference


def _folder(given: str) -> Path:
    from ragstone.errors import InputError

    folder = Path(given)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror}") from None
    return folder


def _places(
    engine: LazyDuck, report: Report, results: Source, reference: Source, options: Options
) -> dict[str, tuple[Place | None, Place | None]]:
    """The reference line and the results line of each offender, where they have lines."""
    from ragstone.contracts.records.context_records import REFERENCE, RESULTS
    from ragstone.engine.line_places import Place
    from ragstone.report.places import accused
    from ragstone.suites.context.reading import places

    qids = {row.qid for row in accused(report)}
    found: dict[str, list[Place | None]] = {qid: [] for qid in sorted(qids)}
    for source, record in ((reference, REFERENCE), (results, RESULTS)):
        lines = places(engine, source, record, options, qids)
        for qid, at in found.items():
            at.append(Place(source.name, lines[qid]) if qid in lines else None)
    return {qid: (at[0], at[1]) for qid, at in found.items()}
