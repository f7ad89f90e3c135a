"""Score a gold set and traces, and decide: ship or do not ship."""

from __future__ import annotations

import argparse
from dataclasses import replace
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
    from ragstone.report.model import Report
    from ragstone.suites.answers.options import Options

EXAMPLE = """\
examples:
  ragstone score --gold eval/gold.jsonl --trace 'runs/trace*.jsonl'
  ragstone score --gates precision=0.85,chr=0.8 under=0.02 --by tags -o report.html
  ragstone score --gold gold.jsonl --trace - --json < trace.jsonl
  ragstone score --map claim=answer.text citations=answer.sources --confidence 0.95
"""


def add_inputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("inputs")
    group.add_argument("--gold", metavar="FILE", help="the gold set (JSONL, .gz, .zst, Parquet, -)")
    group.add_argument(
        "--trace", metavar="FILE", nargs="+", action="extend", help="traces: files, globs, or -"
    )
    add_map(group)
    add_errors(group)


def configure(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    scoring = parser.add_argument_group("scoring")
    scoring.add_argument("--k", type=whole, metavar="K", help="how many retrieved ids count (5)")
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
        "--confidence", type=number, metavar="LEVEL",
        help="gate on the worse end of the interval at this level, as in 0.95",
    )  # fmt: skip
    showing = parser.add_argument_group("showing")
    showing.add_argument(
        "--by", metavar="FIELD", nargs="+", action="extend", default=[],
        help="also by tags, or by any field of the gold items",
    )  # fmt: skip
    showing.add_argument("--all", action="store_true", help="list every row, not just the first 10")
    add_output(parser)
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
        must_not_replace(arguments, (*golds, *traces))
        report = score_in(duck, golds, traces, options, None if arguments.all else SHOWN)
        places = {}
        # Lines are looked for only when something points at them.
        if wants(arguments, "sarif", "github"):
            places = places_of(duck, report, golds, traces, options)
        return replace(report, offending={}, places=places)


def options_of(arguments: argparse.Namespace, config: Config) -> Options:
    """The file's options under the flags'."""
    from ragstone.gates.judge import split_flags

    file = file_options(config)
    chosen: dict[str, object] = {
        name: getattr(arguments, name)
        for name in ("k", "missing", "keep", "confidence")
        if getattr(arguments, name) is not None
    }
    return replace(
        file,
        **chosen,  # type: ignore[arg-type]
        scu=file.scu or arguments.scu_enforced,
        gates=(*file.gates, *split_flags(arguments.gates)),
        by=tuple(name for item in arguments.by for name in item.split(",") if name),
        strict=arguments.strict,
        mapping=mapping_in(config, arguments.map),
    )


def file_options(config: Config) -> Options:
    """What the file alone says, checked, so that a mistake in it is told with its name."""
    from ragstone.gates.judge import merge
    from ragstone.suites.answers.metrics import metrics
    from ragstone.suites.answers.options import Options
    from ragstone.suites.answers.scu import Rule, compile_rules

    table = config.suite("answers")
    options: dict[str, object] = dict(table.options)
    if "refusal" in options:
        options["refusal"] = tuple(options["refusal"])  # type: ignore[arg-type]
    try:
        made = Options(
            **options,  # type: ignore[arg-type]
            gates=table.gates,
            slices=table.slices,
            rules=config.rules,
        )
        for gates in (table.gates, *(part.gates for part in table.slices)):
            # A flag may set k, and so decide whether `recall@10` is right: that is judged later.
            merge({}, [pair for pair in gates if "@" not in pair[0]], metrics(made.scu), None)
        compile_rules([Rule(*pair) for pair in config.rules])
    except ConfigError as error:
        raise ConfigError(f"{config.path}: {error}") from None
    return made


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
