"""Judge retrieved documents: recall and ranking, for one system or several side by side."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ragstone.cli import suite_command
from ragstone.cli.common import check_output, config_of, emit
from ragstone.cli.flags import also_writes, flag
from ragstone.errors import ConfigError, InputError
from ragstone.suites.context.suite import CONTEXT

EVALUATOR = "ContextRecall"


def configure(parser: argparse.ArgumentParser) -> None:
    suite_command.configure(parser, CONTEXT)
    also_writes(parser, "DIR/ gets the averages and the rows of each system, as TSV and JSONL")
    files = parser.add_argument_group("files of each system, with -o DIR/")
    flag(files, "--output-prefix NAME", "the middle of the files' names", default=EVALUATOR)
    only = "write only this kind of file; both by default"
    flag(files, "--output-format", only, choices=("tsv", "jsonl"))
    folder = "the same as -o DIR/, as the LiveRAG scripts call it"
    flag(files, "--out --output-dir DIR", folder, action="append", default=[])
    flag(files, "--evaluator NAME", f"what the LiveRAG scripts are asked for: {EVALUATOR}")


def run(arguments: argparse.Namespace) -> int:
    folders = [*filter(_is_folder, arguments.output), *arguments.out]
    arguments.output = [name for name in arguments.output if not _is_folder(name)]
    check_output(arguments)
    if len(folders) > 1:
        raise ConfigError(f"-o: averages and rows go into one folder, and not {len(folders)}")
    if arguments.evaluator and arguments.evaluator.rpartition(".")[2] != EVALUATOR:
        raise ConfigError(f"there is no evaluator {arguments.evaluator!r}; known: {EVALUATOR}")
    config = config_of(arguments)
    folder = _folder(folders[0]) if folders else None
    needs_rows = "" if folder is None else "-o DIR/"
    with suite_command.one_bar(arguments):
        with suite_command.judging(arguments, CONTEXT, config, needs_rows=needs_rows) as judged:
            report, outcome, duck = judged
            if folder is not None:
                from ragstone.suites.context.liverag_files import write_files

                kinds = (arguments.output_format,) if arguments.output_format else ("tsv", "jsonl")
                write_files(duck, outcome, folder, arguments.output_prefix, kinds)
        emit(report, arguments)
    return report.exit_code


def _is_folder(name: str) -> bool:
    return name.endswith(os.sep) or Path(name).is_dir()


def _folder(given: str) -> Path:
    folder = Path(given)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror}") from None
    return folder
