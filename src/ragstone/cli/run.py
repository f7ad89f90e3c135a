"""Ask a pipeline every question of a gold set, and write the traces that the suites judge."""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import (
    add_errors,
    add_everywhere,
    add_map,
    as_json,
    config_of,
    mapping_in,
    number,
    say,
    whole,
)
from ragstone.cli.deciding import gold_of
from ragstone.errors import ConfigError, InputError
from ragstone.gates.config import Config

if TYPE_CHECKING:
    from ragstone.contracts.questions import Question
    from ragstone.contracts.sources import Source
    from ragstone.targets.asks import Grid
    from ragstone.targets.session import Plan, Summary

EXAMPLE = """\
examples:
  ragstone run --target py:pipeline:answer --gold eval/gold.jsonl -o runs/trace.jsonl
  ragstone run --target http://localhost:8000/ask --concurrency 16 --timings runs/timings.jsonl
  ragstone run --target 'cmd:./pipeline --model small' --seeds 0-4 --jitters none,ws,punct
  ragstone run --target index:docs.index --paraphrases --seeds 0-1 -f log -o runs/log.jsonl

The same command again goes on where a run stopped: it asks only what has no recorded answer.
"""

OUTPUT = "runs/trace.jsonl"
INTERRUPTED = 3
# A mistyped number must not open a hundred thousand sockets.
MOST_IN_FLIGHT = 10_000


def configure(parser: argparse.ArgumentParser) -> None:
    add_target(parser)
    grid = parser.add_argument_group("what is varied")
    grid.add_argument("--paraphrases", action="store_true", help="ask every paraphrase")
    grid.add_argument("--seeds", metavar="SEEDS", help="ask under each of these, as 0-4 or 1,7")
    grid.add_argument("--jitters", metavar="NAMES", help="ask under each, as none,ws,punct")
    grid.add_argument("--knobs", metavar="GRID.TOML", help="ask under each configuration of a grid")
    add_policy(parser)
    add_journal(parser, OUTPUT).add_argument(
        "-f",
        "--format",
        choices=("trace", "log"),
        default="trace",
        help="traces, or the log of the retrieval suite (trace)",
    )
    add_shared(parser)


def add_target(parser: argparse.ArgumentParser) -> None:
    """Adds the flags that say who is asked, and which questions."""
    known = "py:module:function, http://host/path, cmd:PROGRAM ARGS, index:PATH, openai:URL#model"
    parser.add_argument("--target", metavar="TARGET", required=True, help=known)
    parser.add_argument("--gold", metavar="FILE", help="the gold set (paths.gold)")
    add_map(parser)
    evidence = "where openai: gets its evidence: a target whose topk carries text, as index:PATH"
    parser.add_argument("--evidence", metavar="TARGET", help=evidence)


def add_policy(parser: argparse.ArgumentParser) -> None:
    """Adds the flags that say how fast and how patiently a target is asked."""
    how = parser.add_argument_group("how it is asked")
    how.add_argument(
        "--concurrency", metavar="N", type=count, default=8, help="questions in flight (8)"
    )
    how.add_argument(
        "--timeout", metavar="SECONDS", type=seconds, default=60.0, help="for one question (60)"
    )
    again = "more attempts after a transport error, 429 or 5xx (3)"
    how.add_argument("--retries", metavar="N", type=whole, default=3, help=again)
    how.add_argument("--rate", metavar="N", type=seconds, help="at most this many a second")


def add_journal(parser: argparse.ArgumentParser, output: str) -> argparse._ArgumentGroup:
    """Adds the flags that name the files of a run that can be resumed."""
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", metavar="FILE", help=f"the finished file ({output})")
    group.add_argument(
        "--timings", metavar="FILE", help="move ts, latency_ms and stage_ms to this file"
    )
    group.add_argument("--journal", metavar="FILE", help="the journal (the output, with .journal)")
    group.add_argument(
        "--fresh", action="store_true", help="forget what was recorded, and ask everything again"
    )
    return group


def add_shared(parser: argparse.ArgumentParser) -> None:
    """Adds the flags that every command has that asks a target."""
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    add_errors(parser)
    add_everywhere(parser)


def count(text: str) -> int:
    """Parses how many questions may be in flight."""
    found = whole(text)
    if not 1 <= found <= MOST_IN_FLIGHT:
        raise argparse.ArgumentTypeError(
            f"expected a whole number from 1 to {MOST_IN_FLIGHT}, found {text!r}"
        )
    return found


def seconds(text: str) -> float:
    """Parses a duration, or a number a second: above 0."""
    found = number(text)
    if not 0 < found < 1e9:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text!r}")
    return found


def run(arguments: argparse.Namespace) -> int:
    from ragstone.targets.session import carry_out

    plan = plan_of(arguments, config_of(arguments))
    summary = carry_out(plan, None if arguments.quiet else sys.stderr)
    if arguments.json:
        say(as_json(_object(plan, summary)))
    elif not arguments.quiet:
        say(sentence(plan, summary))
    return 0 if summary.complete else INTERRUPTED


def plan_of(arguments: argparse.Namespace, config: Config) -> Plan:
    """Checks the flags before anything is asked."""
    from ragstone.targets.pace import Policy
    from ragstone.targets.session import Plan

    if arguments.retries < 0:
        raise ConfigError(f"--retries {arguments.retries}: expected 0 or more")
    gold = gold_of(arguments, config)
    if arguments.output is None:
        Path(OUTPUT).parent.mkdir(exist_ok=True)
    output = Path(arguments.output or OUTPUT)
    timings, journal = (
        None if path is None else Path(path) for path in (arguments.timings, arguments.journal)
    )
    _check_files([path for path in (output, timings, journal) if path is not None], gold)
    return Plan(
        questions_in(gold, mapping_in(config, arguments.map)),
        arguments.target,
        output,
        grid_of(arguments),
        Policy(arguments.concurrency, arguments.timeout, arguments.retries, arguments.rate),
        timings=timings,
        journal=journal,
        form=arguments.format,
        fresh=arguments.fresh,
        evidence=arguments.evidence,
    )


def _check_files(written: Sequence[Path], gold: str) -> None:
    """Finds out now, not after an hour of asking, that a file cannot be written."""
    if len({path.resolve() for path in (*written, Path(gold))}) <= len(written):
        raise ConfigError("--gold, -o, --timings and --journal must be different files")
    for path in written:
        if not path.parent.is_dir():
            raise InputError(f"{path}: the folder {path.parent} does not exist")
        if path.is_dir():
            raise InputError(f"{path} is a folder; give a file name")


def questions_in(gold: str, mapping: dict[str, str]) -> tuple[Question, ...]:
    """Reads the questions of one gold file; ContractError lists every bad line."""
    from ragstone.contracts.questions import questions_of
    from ragstone.contracts.sources import find, open_bytes

    with tempfile.TemporaryDirectory(prefix="ragstone-") as scratch:
        sources = find(gold, "gold", Path(scratch))
        if len(sources) > 1:
            raise InputError(f"{gold} matches {len(sources)} files; run one gold set at a time")
        (source,) = sources
        if source.parquet or source.compression == "zstd":
            return questions_of(source.name, _unpacked(source), mapping)
        with open_bytes(source) as file:
            return questions_of(source.name, file, mapping)


def _unpacked(source: Source) -> list[bytes]:
    """Reads Parquet and zstd with the engine; for plain files its start costs more than the run."""
    from ragstone.engine.duck import Duck
    from ragstone.engine.read_lines import as_jsonl, lines_of

    with Duck() as duck:
        return list(lines_of(duck, as_jsonl(duck, source)))


def grid_of(arguments: argparse.Namespace) -> Grid:
    """Reads which wordings, seeds, jitters and knobs are multiplied out."""
    from ragstone.targets.asks import Grid, parse_seeds
    from ragstone.targets.jitters import jitters_of
    from ragstone.targets.knobs import read_grid

    return Grid(
        arguments.paraphrases,
        parse_seeds(arguments.seeds) if arguments.seeds else (),
        jitters_of(arguments.jitters) if arguments.jitters else None,
        tuple(each.knobs for each in read_grid(arguments.knobs)) if arguments.knobs else (),
    )


def _object(plan: Plan, summary: Summary) -> dict[str, object]:
    files = {"output": str(plan.output), "journal": str(plan.journal_path)}
    if plan.timings is not None:
        files["timings"] = str(plan.timings)
    digest = None
    if summary.complete:
        with plan.output.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    good = summary.complete and not summary.failed
    return {**dataclasses.asdict(summary), "files": files, "pass": good, "digest": digest}


def sentence(plan: Plan, summary: Summary) -> str:
    """Says what happened, and what to do next."""
    from ragstone.report.text import shown

    lines = []
    if summary.kept:
        lines.append(f"{summary.kept:,} were answered before ({plan.journal_path})")
        if not summary.asked and summary.complete:
            lines.append("nothing was asked; --fresh asks everything again")
    lines.append(f"{summary.answered:,} of {summary.runs:,} answered")
    for reason, failures in summary.reasons.items():
        example = shown(summary.examples[reason], 160)
        lines.append(f"{failures:,} without an answer: {reason} ({example})")
    if not summary.complete:
        lines.append("interrupted; the same command goes on from here")
    else:
        if summary.failed:
            lines.append("the same command asks those without an answer again")
        written = plan.output if plan.timings is None else f"{plan.output}, {plan.timings}"
        lines.append(f"wrote {written}")
    return "\n".join(lines)
