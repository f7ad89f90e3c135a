"""Ask a pipeline every question of a gold set, and write the traces that the suites judge."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterator
from inspect import signature
from typing import TYPE_CHECKING, Any

from ragstone.cli.common import as_json, config_of, gold_of, say, was_kept
from ragstone.cli.endpoint_flags import add_endpoint, endpoint_in
from ragstone.cli.flags import (
    add_errors,
    add_json,
    add_map,
    flag,
    seconds,
    share,
    utf8,
    whole,
    within,
)
from ragstone.errors import ConfigError
from ragstone.suites.config_file import mapping_in

if TYPE_CHECKING:
    from ragstone.targets.session import Plan, Summary


OUTPUT = "runs/trace.jsonl"
INTERRUPTED = 3
UNANSWERED = 3
_ROOM = 1e-9
NOTHING_WRITTEN = "nothing was answered, so nothing was written"
# A mistyped number must not open a hundred thousand sockets.
MOST_IN_FLIGHT = 10_000


def configure(parser: argparse.ArgumentParser) -> None:
    grid, files = add_asking(parser, OUTPUT)
    flag(grid, "--knobs GRID.TOML", "ask with each configuration of a grid")
    forms = "traces, or the log of the retrieval suite"
    flag(files, "-f --format", forms, choices=("trace", "log"), default="trace")


def add_asking(
    parser: argparse.ArgumentParser,
    output: str,
    seeds: str | None = None,
    jitters: str | None = None,
) -> tuple[argparse._ArgumentGroup, argparse._ArgumentGroup]:
    """Adds the flags of a run that can be resumed; more can be added to the groups returned."""
    add_target(parser)
    which = parser.add_argument_group("which questions")
    several: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
    flag(which, "--qid QID", "ask only these questions", **several)
    flag(which, "--tag TAG", "ask only questions with one of these tags", **several)
    flag(which, "--limit N", "ask only the first N of them", type=whole)
    flag(which, "--failed", "ask again what failed before, and nothing else")
    grid = parser.add_argument_group("what is varied")
    flag(grid, "--paraphrases", "ask every paraphrase")
    flag(grid, "--seeds SEEDS", "ask with each of these seeds, as in 0-4 or 1,7", default=seeds)
    flag(
        grid,
        "--jitters NAMES",
        "ask with each of these small changes, as in none,ws,punct",
        default=jitters,
    )
    how = parser.add_argument_group("how it is asked")
    flag(how, "--concurrency N", "at most this many questions at a time", type=count, default=8)
    flag(how, "--timeout SECONDS", "the limit for one question", type=seconds, default=60.0)
    again = "more attempts after a transport error, 429 or 5xx"
    flag(how, "--retries N", again, type=whole, default=3)
    most = "exit with 0 where at most this share of what is asked has no answer"
    flag(how, "--max-failed SHARE", most, type=share, default=0.0)
    flag(how, "--rate N", "ask at most this many questions a second", type=seconds)
    files = parser.add_argument_group("output")
    flag(files, "-o --output FILE", f"the file to write ({output}); - is standard output")
    flag(files, "--timings FILE", "move ts, latency_ms and stage_ms to this file")
    flag(
        files, "--journal FILE", "what was asked so far, to go on from (default: beside the output)"
    )
    flag(files, "--fresh", "forget earlier answers, and ask everything again")
    return grid, files


def add_target(parser: argparse.ArgumentParser) -> None:
    """Adds the flags of every command that asks: who is asked, and which questions."""
    known = (
        "what to ask: py:module:function, http://host/path, cmd:PROGRAM ARGS, index:PATH or "
        "openai:URL#model"
    )
    flag(parser, "--target TARGET", known, required=True, type=utf8)
    flag(parser, "--gold FILE", "the gold set (paths.gold)")
    add_map(parser)
    evidence = "with openai: the target that retrieves the evidence, such as index:PATH"
    flag(parser, "--evidence TARGET", evidence, type=utf8)
    support = (
        "with openai: also refuse numbers and quotations that the cited evidence does not hold"
    )
    flag(parser, "--guard-support", support)
    add_endpoint(parser)
    add_json(parser)
    add_errors(parser)


def count(text: str) -> int:
    """Parses how many questions may be in flight."""
    return within(text, MOST_IN_FLIGHT)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.targets.session import STANDARD_OUTPUT, carry_out, plan

    if arguments.json and arguments.output == STANDARD_OUTPUT:
        raise ConfigError("--json and -o - cannot be given together: both write to standard output")
    config = config_of(arguments)
    given = mapping_in(config, arguments, arguments.cite_base)
    ours = {"gold", "map", "ids", "cite_base", "allow_key"}
    names = signature(plan).parameters.keys() & vars(arguments).keys() - ours
    planned = plan(
        gold=gold_of(arguments, config),
        form=arguments.format,
        map=given.map,
        ids=given.ids,
        cite_base=given.cite_base,
        allow_key=given.allowed,
        **endpoint_in(arguments),
        **{name: getattr(arguments, name) for name in names},
    )
    summary = carry_out(planned, None if arguments.quiet else sys.stderr)
    code = exit_code(summary, arguments.max_failed)
    if arguments.json:
        say(as_json(_object(planned, summary, code)))
    elif not arguments.quiet and planned.output is not None:
        say(sentence(planned, summary, code))
    elif not arguments.quiet:
        print(sentence(planned, summary, code), file=sys.stderr)
    return code


def exit_code(summary: Summary, max_failed: float) -> int:
    """0 where everything is answered, or all but the share that the user allows to fail."""
    if not summary.complete:
        return INTERRUPTED
    too_many = summary.unanswered > max_failed + _ROOM
    return UNANSWERED if too_many or not summary.answered else 0


def _object(plan: Plan, summary: Summary, code: int) -> dict[str, object]:
    files = {"output": str(plan.output), "journal": str(plan.journal_path)}
    if plan.timings is not None:
        files["timings"] = str(plan.timings)
    digest = None
    if summary.complete and summary.answered and plan.output is not None:
        from ragstone.files import sha256_of

        digest = sha256_of(plan.output)
    return {**dataclasses.asdict(summary), "files": files, "pass": code == 0, "digest": digest}


def sentence(plan: Plan, summary: Summary, code: int) -> str:
    """Says what happened, and what to do next."""
    from ragstone.report.text import shown

    lines = []
    if summary.kept:
        lines.append(f"{summary.kept:,} were answered before ({plan.journal_path})")
        if not summary.asked and summary.complete and not plan.failed:
            lines.append("nothing was asked; --fresh asks everything again")
    if plan.failed and not summary.asked and summary.complete:
        lines.append("nothing had failed, so nothing was asked")
    lines.append(f"{summary.answered:,} of {summary.runs:,} answered")
    for reason, failures in summary.reasons.items():
        example = shown(summary.examples[reason], 160)
        lines.append(f"{failures:,} without an answer: {reason} ({example})")
    return "\n".join((*lines, *_next(plan, summary, code)))


def _next(plan: Plan, summary: Summary, code: int) -> Iterator[str]:
    """What was written, and what the same command would do."""
    if not summary.complete:
        kept = plan.journal_path is not None
        yield f"interrupted; {'the same command goes on from here' if kept else 'nothing is kept'}"
        return
    if summary.unasked:
        yield f"{summary.unasked:,} were never asked, and are not in the file (--failed)"
    if summary.failed and plan.journal_path is not None:
        yield "the same command asks those without an answer again"
    if not summary.answered:
        yield NOTHING_WRITTEN
        return
    yield from was_kept(summary.kept_as)
    written = [str(path) for path in (plan.output, plan.timings) if path is not None]
    if written:
        yield f"wrote {', '.join(written)}"
    if code == UNANSWERED:
        yield "the exit code is 3: some have no answer (--max-failed SHARE allows a share)"
