"""Compare two validators' labels: agreement beyond chance, and an arbitration of every item."""

from __future__ import annotations

import argparse
import dataclasses
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
    resolve_path,
)
from ragstone.cli.deciding import add_deciding, deciding_of, shown_of
from ragstone.errors import ConfigError, InputError
from ragstone.gates.config import Config

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.engine.duck import Duck
    from ragstone.report.model import Report
    from ragstone.suites.deciding import Deciding

EXAMPLE = """\
examples:
  ragstone agreement --pairs runs/pairs.jsonl --tsv disagreements.tsv
  ragstone agreement --scholar scholar.jsonl --auditor auditor.jsonl -o report.html
  ragstone agreement --raters ann.jsonl ben.jsonl cy.jsonl
  ragstone agreement --gold eval/gold.jsonl --trace 'runs/trace*.jsonl'
"""

# What the labels can come from, and the flags each way needs.
WAYS = (("pairs",), ("scholar", "auditor"), ("raters",), ("trace", "gold"))


def configure(parser: argparse.ArgumentParser) -> None:
    inputs = parser.add_argument_group("inputs, one of four ways")
    inputs.add_argument("--pairs", metavar="FILE", help="both labels of each item on one line")
    inputs.add_argument("--scholar", metavar="FILE", help="the first validator's labels")
    inputs.add_argument("--auditor", metavar="FILE", help="the second validator's labels")
    inputs.add_argument(
        "--raters", metavar="FILE", nargs="+", action="extend", help="any number of validators"
    )
    inputs.add_argument("--gold", metavar="FILE", help="with --trace: derive both labels")
    inputs.add_argument(
        "--trace", metavar="FILE", nargs="+", action="extend", help="traces to derive labels from"
    )
    add_map(inputs)
    parser.add_argument("--tsv", metavar="FILE", help="also write the disagreements as a table")
    add_deciding(parser)
    add_output(parser)
    add_errors(parser)
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    if arguments.tsv is not None and not Path(arguments.tsv).parent.is_dir():
        raise InputError(f"{arguments.tsv}: the folder {Path(arguments.tsv).parent} does not exist")
    config = config_of(arguments)
    config = dataclasses.replace(config, mapping=mapping_in(config, arguments.map))
    report = report_of(arguments, config)
    emit(report, arguments)
    return report.exit_code


def report_of(arguments: argparse.Namespace, config: Config) -> Report:
    """Reads, arbitrates and decides."""
    from ragstone.engine.duck import Duck

    way, files = way_of(arguments, config)
    _must_not_replace(arguments, [name for names in files.values() for name in names])
    deciding = deciding_of(arguments, config, "agreement")
    limit = shown_of(arguments)
    with Duck(arguments.threads) as duck:
        if way == ("raters",) and len(files["raters"]) > 2:
            return _many(duck, files["raters"], deciding, limit, config)
        return _two(duck, way, files, deciding, limit, config, getattr(arguments, "tsv", None))


def _must_not_replace(arguments: argparse.Namespace, inputs: list[str]) -> None:
    """Neither a report nor the table may be written over the labels it is about."""
    held = {Path(name).resolve() for name in inputs}
    for name in (*arguments.output, getattr(arguments, "tsv", None) or ""):
        if name and Path(name).resolve() in held:
            raise ConfigError(f"{name} is an input, and would be replaced")


def way_of(
    arguments: argparse.Namespace, config: Config
) -> tuple[tuple[str, ...], dict[str, list[str]]]:
    """Which way the labels come, and the files: flags win over the file's table, over its paths."""
    given = {name: getattr(arguments, name, None) for way in WAYS for name in way}
    table = config.suite("agreement").options
    written = {name: table.get(name) for name in given}
    paths: dict[str, object] = {"gold": config.gold, "trace": list(config.trace) or None}
    for source, base in ((given, None), (written, config.path), (paths, config.path)):
        chosen = [way for way in WAYS if source.get(way[0]) or source.get(way[-1])]
        if source is given and chosen == [("trace", "gold")]:
            # Either of the two may be left to the file.
            source = {name: given[name] or paths[name] for name in ("trace", "gold")}
        if len(chosen) > 1:
            flags = " and ".join(f"--{way[0]}" for way in chosen)
            raise ConfigError(f"{flags} cannot be given together: labels come one way")
        if chosen:
            return chosen[0], {name: _files(source, name, base) for name in chosen[0]}
    raise ConfigError(
        "no labels: give --pairs FILE, --scholar FILE --auditor FILE, --raters FILE FILE ..., "
        "or --trace FILE --gold FILE"
    )


def _files(source: dict[str, object], name: str, base: Path | None) -> list[str]:
    found = source.get(name)
    if not found:
        raise ConfigError(f"--{name} FILE is missing: the two belong together")
    names = [found] if isinstance(found, str) else list(found)  # type: ignore[call-overload]
    return [resolve_path(str(each), base) for each in names]


def _two(
    duck: Duck,
    way: tuple[str, ...],
    files: dict[str, list[str]],
    deciding: Deciding,
    limit: int | None,
    config: Config,
    table: str | None,
) -> Report:
    from ragstone.contracts.sources import find
    from ragstone.ledger.digest import digest
    from ragstone.report import agreement
    from ragstone.report.formats import write
    from ragstone.suites.agreement import suite

    only = None
    if way == ("pairs",):
        suite.read_pairs(duck, find(files["pairs"], "pairs", duck.scratch), config.mapping)
    elif way == ("trace", "gold"):
        _derive(duck, files, config)
    else:
        names = files["raters"] if way == ("raters",) else [files[name][0] for name in way]
        if len(names) != 2:
            raise ConfigError("--raters: expected at least two files")
        one, two = (find(name, f"rater {n}", duck.scratch) for n, name in enumerate(names))
        only = suite.read_two(duck, one, two, config.mapping)
    found = suite.evaluate(duck, deciding, only)
    source = "+".join(way)
    shown = {**agreement.settings(deciding, source), "limit": limit}
    mark = digest("agreement", agreement.inputs(found), shown, found.gates, found.metrics)
    if table is not None:
        write(table, agreement.tsv(found.disagreements))
    return agreement.build(found, mark, source, limit)


def _derive(duck: Duck, files: dict[str, list[str]], config: Config) -> None:
    """The answers suite's rows, and the two deterministic validators' labels from them."""
    from ragstone.cli.deciding import answers_options
    from ragstone.contracts.sources import find
    from ragstone.suites.agreement import suite
    from ragstone.suites.answers.suite import evaluate

    gold = find(files["gold"], "gold", duck.scratch)
    trace = find(files["trace"], "trace", duck.scratch)
    evaluate(duck, gold, trace, answers_options(config))
    suite.derive(duck)


def _many(
    duck: Duck, files: list[str], deciding: Deciding, limit: int | None, config: Config
) -> Report:
    from ragstone.contracts.sources import find
    from ragstone.ledger.digest import digest
    from ragstone.report import agreement
    from ragstone.suites.agreement.raters import evaluate_many
    from ragstone.suites.agreement.suite import read_labels

    raters: tuple[tuple[Source, ...], ...] = tuple(
        find(name, f"rater {n}", duck.scratch) for n, name in enumerate(files)
    )
    read_labels(duck, raters, config.mapping)
    found = evaluate_many(duck, names_of(files), deciding)
    shown = {**agreement.settings(deciding, "raters"), "limit": limit}
    mark = digest("agreement", agreement.inputs(found), shown, found.gates, found.metrics)
    return agreement.build_many(found, mark, limit)


def names_of(files: list[str]) -> tuple[str, ...]:
    """What the raters are called: the names of their files, numbered where these are the same.

    >>> names_of(["a/ann.jsonl", "b/ann.jsonl", "cy.jsonl.gz"])
    ('ann 1', 'ann 2', 'cy')
    """
    stems = [Path(name).name.split(".")[0] or name for name in files]
    return tuple(
        stem if stems.count(stem) == 1 else f"{stem} {stems[: n + 1].count(stem)}"
        for n, stem in enumerate(stems)
    )
