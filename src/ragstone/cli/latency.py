"""Measure speed against accuracy under load, and show which configurations are worth having."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli import suite_command
from ragstone.cli.common import as_json, config_of, gold_of, say, say_each, was_kept
from ragstone.cli.endpoint_flags import endpoint_in
from ragstone.cli.flags import flag, seconds
from ragstone.cli.run import NOTHING_WRITTEN, UNANSWERED, add_target, count
from ragstone.errors import InputError
from ragstone.files import make_folder_of
from ragstone.suites.config_file import Config, mapping_in
from ragstone.suites.registry import find_suite

if TYPE_CHECKING:
    from ragstone.targets.sweep import Sweep

OUTPUT = "runs/samples.jsonl"


def _configure_sweep(parser: argparse.ArgumentParser) -> None:
    add_target(parser)
    load = parser.add_argument_group("the load")
    axes = "ask with each configuration of a grid; a list in it is an axis"
    flag(load, "--grid --knobs GRID.TOML", axes, dest="knobs")
    rates = "requests a second, one load after the other (1 5 20)"
    flag(load, "--rps N", rates, type=seconds, nargs="+", default=[1.0, 5.0, 20.0])
    flag(load, "--duration SECONDS", "how long each load lasts", type=seconds, default=30.0)
    asked = "how long to ask before each load without measuring"
    flag(load, "--warmup SECONDS", asked, type=warmup, default=2.0)
    limit = "the limit for one request, from its planned start"
    flag(load, "--timeout SECONDS", limit, type=seconds, default=30.0)
    flag(load, "--concurrency N", "at most this many requests at a time", type=count, default=256)
    written = f"the samples ({OUTPUT}); the traces go beside it, as NAME.traces.jsonl"
    flag(parser, "-o --output FILE", written)


def warmup(text: str) -> float:
    """Seconds, of which there may be none."""
    return 0.0 if text.strip() in ("0", "0.0") else seconds(text)


def _sweep(arguments: argparse.Namespace) -> int:
    """Measures, writes the samples and the traces, and says what to do next."""
    from ragstone.targets.sweep import run_sweep

    sweep = sweep_of(arguments, config_of(arguments))

    def tell(text: str) -> None:
        if not arguments.quiet:
            print(text, file=sys.stderr)

    tell(f"at most {sweep.seconds:,.0f} s")
    found, kept_as = run_sweep(sweep, tell)
    failed = sum(arrival.reply.failure is not None for *_, arrival in found)
    answered = failed < len(found)
    if arguments.json:
        files = {"output": str(sweep.output), "traces": str(sweep.traces)} if answered else {}
        counts = {"samples": len(found), "failed": failed}
        say(as_json({**counts, "files": files, "kept_as": kept_as}))
    elif not arguments.quiet and answered:
        say_each(was_kept(kept_as))
        say(f"wrote {sweep.output} ({len(found):,} samples) and {sweep.traces}")
        say(f"next: ragstone latency score --samples {sweep.output}")
    elif not arguments.quiet:
        say(NOTHING_WRITTEN)
    return 0 if answered else UNANSWERED


def sweep_of(arguments: argparse.Namespace, config: Config) -> Sweep:
    """The flags, checked before anything is asked."""
    from ragstone.files import target_of
    from ragstone.targets.endpoint import endpoint_of
    from ragstone.targets.grid import Configuration, read_grid
    from ragstone.targets.session import questions_in
    from ragstone.targets.sweep import Load, Sweep

    output = Path(arguments.output or OUTPUT)
    if arguments.output is None:
        make_folder_of(output)
    if not output.parent.is_dir() or output.is_dir():
        raise InputError(f"{output}: expected a file in a folder that exists")
    target_of(output)
    loads = [
        Load(rps, arguments.duration, arguments.warmup, arguments.timeout, arguments.concurrency)
        for rps in sorted(set(arguments.rps))
    ]
    given = mapping_in(config, arguments, arguments.cite_base)
    return Sweep(
        questions_in(gold_of(arguments, config), given),
        arguments.target,
        read_grid(arguments.knobs) if arguments.knobs else (Configuration("default", {}),),
        loads,
        output,
        output.with_name(f"{output.name.split('.')[0]}.traces.jsonl"),
        arguments.evidence,
        endpoint_of(
            **endpoint_in(arguments),
            ids=given.ids,
            cite_base=given.cite_base,
            allow_key=given.allowed,
        ),
        arguments.guard_support,
    )


ACTIONS = {
    "score": suite_command.score_action(find_suite("latency"), "judge the samples of a sweep"),
    "sweep": (
        "ask every configuration under every load, whether or not it keeps up",
        _configure_sweep,
        _sweep,
    ),
}
