"""Judge retrieved documents: recall and ranking, for one system or several side by side."""

from __future__ import annotations

import argparse
from pathlib import Path

from ragstone.cli import suite_command
from ragstone.cli.common import check_output, config_of, emit
from ragstone.cli.flags import flag
from ragstone.errors import ConfigError, InputError
from ragstone.suites.context.suite import CONTEXT

EVALUATOR = "ContextRecall"


def configure(parser: argparse.ArgumentParser) -> None:
    suite_command.configure(parser, CONTEXT)
    files = parser.add_argument_group("files")
    written = "write the averages and the rows of each system here, as TSV and JSONL"
    flag(files, "--out --output-dir DIR", written)
    flag(files, "--output-prefix NAME", "in their names", default=EVALUATOR)
    flag(files, "--output-format", "only one of the two", choices=("tsv", "jsonl"))
    flag(files, "--evaluator NAME", "accepted: ContextRecall is all there is")


def run(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    if arguments.evaluator and arguments.evaluator.rpartition(".")[2] != EVALUATOR:
        raise ConfigError(f"there is no evaluator {arguments.evaluator!r}; known: {EVALUATOR}")
    config = config_of(arguments)
    folder = _folder(arguments.out) if arguments.out else None
    needs_rows = "" if folder is None else "--out"
    with suite_command.judging(arguments, CONTEXT, config, needs_rows=needs_rows) as judged:
        report, outcome, duck = judged
        if folder is not None:
            from ragstone.suites.context.liverag_files import write_files

            kinds = (arguments.output_format,) if arguments.output_format else ("tsv", "jsonl")
            write_files(duck, outcome, folder, arguments.output_prefix, kinds)
    emit(report, arguments)
    return report.exit_code


def _folder(given: str) -> Path:
    folder = Path(given)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror}") from None
    return folder
