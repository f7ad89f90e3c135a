"""Score a gold set and traces, and decide: ship or do not ship."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from ragstone.cli.common import (
    add_config,
    add_engine,
    add_everywhere,
    add_output,
    check_output,
    config_of,
    emit,
    resolve_path,
    wants,
)
from ragstone.errors import ConfigError
from ragstone.gates.config import Config

if TYPE_CHECKING:
    from ragstone.report.model import Report
    from ragstone.suites.answers.options import Options

EXAMPLE = """\
examples:
  ragstone score --gold eval/gold.jsonl --trace 'runs/trace*.jsonl'
  ragstone score --gates precision=0.85,chr=0.8 under=0.02 --by tags -o report.html
  ragstone score --gold gold.jsonl --trace - --json < trace.jsonl
  ragstone score --map claim=answer.text citations=answer.sources --confidence 0.95
"""


def configure(parser: argparse.ArgumentParser) -> None:
    inputs = parser.add_argument_group("inputs")
    inputs.add_argument(
        "--gold", metavar="FILE", help="the gold set (JSONL, .gz, .zst, Parquet, -)"
    )
    inputs.add_argument(
        "--trace", metavar="FILE", nargs="+", action="extend", help="traces: files, globs, or -"
    )
    inputs.add_argument(
        "--map", metavar="FIELD=PATH", nargs="+", action="extend", default=[],
        help="read a field from another place, as in claim=answer.text",
    )  # fmt: skip
    scoring = parser.add_argument_group("scoring")
    scoring.add_argument("--k", type=int, metavar="K", help="how many retrieved ids count (5)")
    scoring.add_argument("--missing", choices=("fail", "answered"), help="what no answer is (fail)")
    scoring.add_argument(
        "--keep", choices=("last", "first", "error", "all"),
        help="which of several traces of a question is scored (last)",
    )  # fmt: skip
    scoring.add_argument(
        "--scu-enforced", "--scu_enforced", action="store_true",
        help="a broken constraint makes an answer wrong",
    )  # fmt: skip
    deciding = parser.add_argument_group("deciding")
    deciding.add_argument(
        "--gates", metavar="NAME=NUMBER", nargs="+", action="extend", default=[],
        help="thresholds, over the file's and the defaults; NAME=off drops one",
    )  # fmt: skip
    deciding.add_argument("--strict", action="store_true", help="a vacuous gate is unmeasurable")
    deciding.add_argument(
        "--confidence", type=float, metavar="LEVEL",
        help="gate on the worse end of the interval at this level, as in 0.95",
    )  # fmt: skip
    showing = parser.add_argument_group("showing")
    showing.add_argument(
        "--by", metavar="FIELD", nargs="+", action="extend", default=[],
        help="also by tags, or by any field of the gold items",
    )  # fmt: skip
    showing.add_argument("--all", action="store_true", help="list every row, not just the first 10")
    add_output(parser)
    add_config(parser)
    add_engine(parser)
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    report = report_of(arguments, config_of(arguments))
    emit(report, arguments)
    return report.exit_code


def report_of(arguments: argparse.Namespace, config: Config) -> Report:
    """Reads, scores and decides."""
    from ragstone.api import SHOWN, places_of, score_in
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck

    options = options_of(arguments, config)
    gold, trace = inputs_of(arguments, config)
    with Duck(arguments.threads) as duck:
        golds = find(gold, "gold", duck.scratch)
        traces = find(trace, "trace", duck.scratch)
        report = score_in(duck, golds, traces, options, None if arguments.all else SHOWN)
        places = {}
        # Lines are looked for only when something points at them.
        if wants(arguments, "sarif", "github"):
            places = places_of(duck, report, golds, traces, options)
        return replace(report, offending={}, places=places)


def options_of(arguments: argparse.Namespace, config: Config) -> Options:
    """The file's options under the flags'."""
    from ragstone.gates.judge import split_flags
    from ragstone.suites.answers.options import Options

    table = config.suite("answers")
    chosen: dict[str, object] = dict(table.options)
    for name in ("k", "missing", "keep", "confidence"):
        if getattr(arguments, name) is not None:
            chosen[name] = getattr(arguments, name)
    if arguments.scu_enforced:
        chosen["scu"] = True
    if "refusal" in chosen:
        chosen["refusal"] = tuple(chosen["refusal"])  # type: ignore[arg-type]
    return Options(
        **chosen,  # type: ignore[arg-type]
        gates=(*table.gates, *split_flags(arguments.gates)),
        slices=table.slices,
        by=tuple(name for item in arguments.by for name in item.split(",") if name),
        strict=arguments.strict,
        mapping={**config.mapping, **mapping_of(arguments.map)},
        rules=config.rules,
    )


def mapping_of(items: list[str]) -> dict[str, str]:
    found = {}
    for item in (part for text in items for part in text.split(",")):
        name, equals, path = item.partition("=")
        if not equals or not name.strip() or not path.strip():
            raise ConfigError(f"--map {item!r}: expected FIELD=PATH, such as claim=answer.text")
        found[name.strip()] = path.strip()
    return found


def inputs_of(arguments: argparse.Namespace, config: Config) -> tuple[str, list[str]]:
    """The gold file and the trace files: flags win over the file."""
    gold = arguments.gold
    if gold is None and config.gold is not None:
        gold = resolve_path(config.gold, config.path)
    trace = arguments.trace or [resolve_path(name, config.path) for name in config.trace]
    if gold is None:
        raise ConfigError("no gold set: give --gold FILE, or set paths.gold in ragstone.toml")
    if not trace:
        raise ConfigError("no traces: give --trace FILE, or set paths.trace in ragstone.toml")
    return gold, trace
