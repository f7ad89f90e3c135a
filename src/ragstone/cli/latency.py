"""Measure speed against accuracy: a load in open loop, and the configurations worth having."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import (
    add_errors,
    add_everywhere,
    add_output,
    check_output,
    config_of,
    emit,
    mapping_in,
    must_not_replace,
    say,
)
from ragstone.cli.deciding import add_deciding, answers_options, deciding_of, file_of, gold_of
from ragstone.cli.run import add_shared, add_target, count, questions_in, seconds
from ragstone.errors import ConfigError, InputError
from ragstone.gates.config import Config

if TYPE_CHECKING:
    from ragstone.report.model import Report
    from ragstone.suites.latency.suite import Samples
    from ragstone.targets.sweep import Sweep

    Actions = argparse._SubParsersAction[argparse.ArgumentParser]

OUTPUT = "runs/samples.jsonl"

EXAMPLE = """\
examples:
  ragstone latency sweep --target http://localhost:8000/ask --grid grid.toml --rps 1 5 20
  ragstone latency score --gold eval/gold.jsonl --samples runs/sweep.jsonl -o report.html
  ragstone latency score --samples runs/sweep.jsonl --baseline runs/last.jsonl --only fast
"""


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    score = actions.add_parser(
        "score",
        help="judge samples that are on file",
        epilog=EXAMPLE,
    )
    _configure_sweep(actions)
    inputs = score.add_argument_group("inputs")
    inputs.add_argument("--gold", metavar="FILE", help="the gold set")
    inputs.add_argument("--samples", metavar="FILE", help="the samples: a file, a glob, or -")
    inputs.add_argument("--baseline", metavar="FILE", help="samples to compare with")
    inputs.add_argument("--only", metavar="CONFIG", help="judge this configuration alone")
    add_deciding(score)
    add_output(score)
    add_errors(score)
    add_everywhere(score)


def _configure_sweep(actions: Actions) -> None:
    sweep = actions.add_parser(
        "sweep",
        help="put every configuration under every load, in open loop",
        epilog=EXAMPLE,
    )
    add_target(sweep)
    load = sweep.add_argument_group("the load")
    load.add_argument("--grid", metavar="FILE", help="a TOML file of knobs; a list is an axis")
    load.add_argument(
        "--rps", metavar="N", type=seconds, nargs="+", default=[1.0, 5.0, 20.0],
        help="requests a second, one load after the other (1 5 20)",
    )  # fmt: skip
    load.add_argument(
        "--duration", metavar="SECONDS", type=seconds, default=30.0, help="of each load (30)"
    )
    load.add_argument(
        "--warmup", metavar="SECONDS", type=warmup, default=2.0,
        help="asked before each load and not measured (2)",
    )  # fmt: skip
    load.add_argument(
        "--timeout", metavar="SECONDS", type=seconds, default=30.0,
        help="for one request, from its planned arrival (30)",
    )  # fmt: skip
    load.add_argument(
        "--concurrency", metavar="N", type=count, default=256, help="most requests in flight (256)"
    )
    sweep.add_argument(
        "-o", "--output", metavar="FILE",
        help=f"the samples ({OUTPUT}); the traces go beside it, as NAME.traces.jsonl",
    )  # fmt: skip
    add_shared(sweep)


def warmup(text: str) -> float:
    """Seconds, of which there may be none."""
    return 0.0 if text.strip() in ("0", "0.0") else seconds(text)


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "sweep":
        return _sweep(arguments)
    check_output(arguments)
    report = report_of(arguments, config_of(arguments))
    emit(report, arguments)
    return report.exit_code


def _sweep(arguments: argparse.Namespace) -> int:
    """Measures, writes the samples and the traces, and says what to do next."""
    from ragstone.targets.sweep import run_sweep

    sweep = sweep_of(arguments, config_of(arguments))
    told = (lambda _: None) if arguments.quiet else (lambda text: print(text, file=sys.stderr))
    if not arguments.quiet:
        print(f"at most {sweep.seconds:,.0f} s", file=sys.stderr)
    found = run_sweep(sweep, told)
    failed = sum(each.arrival.reply.failure is not None for each in found)
    if arguments.json:
        made = {"samples": len(found), "failed": failed,
                "files": {"output": str(sweep.output), "traces": str(sweep.traces)}}  # fmt: skip
        say(json.dumps(made, ensure_ascii=False, indent=2))
    elif not arguments.quiet:
        say(f"wrote {sweep.output} ({len(found):,} samples) and {sweep.traces}")
        say(f"next: ragstone latency score --samples {sweep.output}")
    return 0


def sweep_of(arguments: argparse.Namespace, config: Config) -> Sweep:
    """The flags, checked before anything is asked."""
    from ragstone.targets.knobs import Configuration, read_grid
    from ragstone.targets.open_loop import Load
    from ragstone.targets.sweep import Sweep

    output = Path(arguments.output or OUTPUT)
    if arguments.output is None:
        output.parent.mkdir(exist_ok=True)
    if not output.parent.is_dir() or output.is_dir():
        raise InputError(f"{output}: expected a file in a folder that exists")
    loads = [
        Load(rps, arguments.duration, arguments.warmup, arguments.timeout, arguments.concurrency)
        for rps in sorted(set(arguments.rps))
    ]
    return Sweep(
        questions_in(gold_of(arguments, config), mapping_in(config, arguments.map)),
        arguments.target,
        read_grid(arguments.grid) if arguments.grid else (Configuration("default", {}),),
        loads,
        output,
        output.with_name(f"{output.name.split('.')[0]}.traces.jsonl"),
        arguments.evidence,
    )


def report_of(arguments: argparse.Namespace, config: Config) -> Report:
    """Reads the samples, and the baseline's if there is one, scores them and decides."""
    from ragstone.ledger.digest import digest
    from ragstone.report import latency
    from ragstone.suites.latency.metrics import METRICS
    from ragstone.suites.latency.suite import evaluate

    samples = file_of(arguments, config, "latency", "samples")
    if samples is None:
        raise ConfigError("no samples: give --samples FILE, or set latency.samples")
    baseline = file_of(arguments, config, "latency", "baseline")
    only = getattr(arguments, "only", None) or config.suite("latency").options.get("only")
    only = None if only is None else str(only)
    found = evaluate(
        _samples(arguments, config, samples, only),
        None if baseline is None else _samples(arguments, config, baseline, None),
        answers_options(config),
        deciding_of(arguments, config, "latency"),
        only,
    )
    mark = digest("latency", latency.inputs(found), latency.settings(found), found.gates, METRICS)
    return latency.build(found, mark)


def _samples(
    arguments: argparse.Namespace, config: Config, given: str, only: str | None
) -> Samples:
    """One file of samples, each in an engine of its own."""
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck
    from ragstone.suites.latency.suite import read_samples

    level = deciding_of(arguments, config, "latency").level
    with Duck(arguments.threads) as duck:
        gold = find(gold_of(arguments, config), "gold", duck.scratch)
        sources = find(given, "samples", duck.scratch)
        must_not_replace(arguments, (*gold, *sources))
        return read_samples(duck, gold, sources, answers_options(config), level, only)
