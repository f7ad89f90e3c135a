"""Compare two validators' labels: agreement beyond chance, and a decision on every item. With
--labels, compare the gate's own verdicts (right, wrong, refused) with what people said."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragstone.cli import suite_command
from ragstone.cli.common import check_output, config_of, emit
from ragstone.cli.flags import add_option, also_writes, flag
from ragstone.errors import ConfigError, InputError
from ragstone.suites.config_file import Config
from ragstone.suites.declaration import AnySuite
from ragstone.suites.option_fields import declared
from ragstone.suites.registry import find_suite

# The flags that only validators' labels come by.
VALIDATORS = ("pairs", "scholar", "auditor", "raters")


def configure(parser: argparse.ArgumentParser) -> None:
    suite_command.configure(parser, find_suite("agreement"))
    also_writes(parser, "a .tsv holds the disagreements")
    people = find_suite("people")
    group = parser.add_argument_group("people's labels")
    labels = people.input("labels")
    flag(group, "--labels FILE", labels.says, nargs="+", action="extend")
    says = "several systems side by side, each with its own files"
    flag(group, "--system NAME=FILE", says, nargs="+", action="append", default=[])
    for each in declared(people.options):
        if each.name == "label_map":
            add_option(group, each)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.files import write
    from ragstone.suites.agreement import shows as validators
    from ragstone.suites.people import shows as people

    tables = [*filter(_is_table, arguments.output)]
    arguments.output = [name for name in arguments.output if not _is_table(name)]
    check_output(arguments)
    config = config_of(arguments)
    suite = _suite(arguments, config)
    for name in tables:
        _check_table(name, suite_command.inputs_given(arguments, suite, config))
    with suite_command.one_bar(arguments):
        with suite_command.judging(arguments, suite, config) as (report, outcome, _):
            for name in tables:
                table = people.tsv if suite.name == "people" else validators.tsv
                write(name, table(outcome))
        emit(report, arguments)
    return report.exit_code


def _suite(arguments: argparse.Namespace, config: Config) -> AnySuite:
    """People's labels where they are given, or named by ragstone.toml and no others are given."""
    given = [name for name in VALIDATORS if getattr(arguments, name)]
    people = find_suite("people")
    if arguments.labels:
        if given:
            raise ConfigError(f"--labels and --{given[0]} cannot be given together")
        return people
    if not given and "labels" in config.inputs(people):
        return people
    for name in ("system", "label_map"):
        if getattr(arguments, name):
            flag_name = name.replace("_", "-")
            raise ConfigError(f"--{flag_name} goes with people's labels: give --labels FILE too")
    return find_suite("agreement")


def _is_table(name: str) -> bool:
    """Whether a file is for the disagreements, and not for the report."""
    return name.lower().endswith(".tsv")


def _check_table(name: str, inputs: Mapping[str, Any]) -> None:
    """The table has a place of its own, and there will be something to put into it."""
    from ragstone.files import target_of

    if not Path(name).parent.is_dir():
        raise InputError(f"{name}: the folder {Path(name).parent} does not exist")
    if target_of(name) in {
        Path(os.path.realpath(word)) for given in inputs.values() for word in _files(given)
    }:
        raise ConfigError(f"{name} is an input, and would be replaced")
    if len(inputs.get("raters", ())) > 2:
        raise ConfigError(f"-o {name}: only the labels of two validators are arbitrated")


def _files(given: Any) -> Iterator[str]:
    """The files of an input, which may be those of several systems by name."""
    for some in given.values() if isinstance(given, Mapping) else [given]:
        yield from some
