"""Compare two validators' labels: agreement beyond chance, and an arbitration of every item."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragstone.cli import suite_command
from ragstone.cli.common import check_output, config_of, emit
from ragstone.cli.flags import flag
from ragstone.errors import ConfigError, InputError
from ragstone.suites.registry import find_suite


def configure(parser: argparse.ArgumentParser) -> None:
    suite_command.configure(parser, find_suite("agreement"))
    flag(parser, "--tsv FILE", "also write the disagreements as a table")


def run(arguments: argparse.Namespace) -> int:
    from ragstone.files import write
    from ragstone.suites.agreement.shows import tsv

    suite = find_suite("agreement")
    check_output(arguments)
    config = config_of(arguments)
    if arguments.tsv is not None:
        _check_tsv(arguments.tsv, suite_command.inputs_given(arguments, suite, config))
    with suite_command.judging(arguments, suite, config) as (report, outcome, _):
        if arguments.tsv is not None:
            write(arguments.tsv, tsv(outcome))
    emit(report, arguments)
    return report.exit_code


def _check_tsv(name: str, inputs: Mapping[str, Sequence[str]]) -> None:
    """The table has a place of its own, and there will be something to put into it."""
    from ragstone.files import target_of

    if not Path(name).parent.is_dir():
        raise InputError(f"{name}: the folder {Path(name).parent} does not exist")
    if target_of(name) in {
        Path(os.path.realpath(word)) for words in inputs.values() for word in words
    }:
        raise ConfigError(f"{name} is an input, and would be replaced")
    if len(inputs.get("raters", ())) > 2:
        raise ConfigError("--tsv: only the labels of two validators are arbitrated")
