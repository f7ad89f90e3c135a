"""The flags and file entries that latency, agreement and stability share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragstone.cli.common import number, resolve_path
from ragstone.errors import ConfigError
from ragstone.gates.config import Config

if TYPE_CHECKING:
    from ragstone.suites.answers.options import Options
    from ragstone.suites.deciding import Deciding

SHOWN = 10


def add_deciding(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("deciding")
    group.add_argument(
        "--gates", metavar="NAME=NUMBER", nargs="+", action="extend", default=[],
        help="thresholds, over the file's and the defaults; NAME=off drops one",
    )  # fmt: skip
    group.add_argument("--strict", action="store_true", help="a vacuous gate is unmeasurable")
    group.add_argument(
        "--confidence", type=number, metavar="LEVEL",
        help="gate on the worse end of the interval at this level, as in 0.95",
    )  # fmt: skip
    group.add_argument("--all", action="store_true", help="list every row, not just the first 10")


def deciding_of(arguments: argparse.Namespace, config: Config, suite: str) -> Deciding:
    """The file's gates under the flags'."""
    from ragstone.gates.judge import split_flags
    from ragstone.suites.deciding import Deciding

    return Deciding(
        gates=(*config.suite(suite).gates, *split_flags(arguments.gates)),
        strict=arguments.strict,
        confidence=arguments.confidence,
    )


def shown_of(arguments: argparse.Namespace) -> int | None:
    """How many rows each list of the report shows."""
    return None if arguments.all else SHOWN


def answers_options(config: Config) -> Options:
    """What the answers suite's checks need from the file: refusals, gates, field names, rules."""
    from ragstone.suites.answers.options import REFUSAL, Options

    table = config.suite("answers").options
    refusal = table.get("refusal")
    tokens = tuple(refusal) if isinstance(refusal, list) else (REFUSAL,)
    return Options(
        refusal=tokens,
        gates=config.suite("answers").gates,
        mapping=dict(config.mapping),
        rules=config.rules,
    )


def gold_of(arguments: argparse.Namespace, config: Config) -> str:
    """The gold file: the flag wins over the file."""
    given = getattr(arguments, "gold", None)
    if given is not None:
        return str(given)
    if config.gold is None:
        raise ConfigError("no gold set: give --gold FILE, or set paths.gold in ragstone.toml")
    return resolve_path(config.gold, config.path)


def file_of(arguments: argparse.Namespace, config: Config, suite: str, name: str) -> str | None:
    """A suite's own input: the flag wins over the file's table."""
    given = getattr(arguments, name, None)
    if given is not None:
        return str(given)
    written = config.suite(suite).options.get(name)
    return None if written is None else resolve_path(str(written), config.path)
