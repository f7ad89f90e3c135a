"""Score TREC runs against qrels: a table, several runs side by side, or trec_eval's own output."""

from __future__ import annotations

import argparse
from pathlib import Path

from ragstone.cli import suite_command
from ragstone.cli.common import check_output, config_of, emit, say, warn_unfrozen
from ragstone.cli.flags import flag
from ragstone.cli.keep_run import keep_run
from ragstone.errors import ConfigError
from ragstone.suites.config_file import read_waivers
from ragstone.suites.ranking.ranking_measures import measure
from ragstone.suites.trec.suite import TREC

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
# What trec_eval prints when it is asked for nothing in particular, as far as both have it.
OFFICIAL = (
    *("map", "rprec", "bpref", "mrr"),
    *(f"P@{k}" for k in CUTS),
    *(f"R@{k}" for k in CUTS),
    *("ndcg", *(f"ndcg@{k}" for k in CUTS)),
    *(f"map@{k}" for k in CUTS),
    *("success@1", "success@5", "success@10"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    suite_command.configure(parser, TREC)
    printing = parser.add_argument_group("as trec_eval")
    flag(printing, "--trec", "print what trec_eval prints")
    flag(printing, "-q", "with --trec: every question too", dest="by_question")
    flag(printing, "-c", "with --trec: average over all questions of qrels", dest="complete")


def run(arguments: argparse.Namespace) -> int:
    check_output(arguments)
    names, files = _words(arguments)
    if len(files) < 2:
        raise ConfigError(
            "expected QRELS and at least one RUN, as in: ragstone trec qrels.txt run.txt"
        )
    given = suite_command.options_given(arguments, TREC)
    given |= _asked(arguments, names)
    arguments.qrels, *arguments.runs = files
    # Of the file only the waivers count, which are for every suite; all else is not even looked at.
    config = config_of(arguments, read_waivers)
    with (
        suite_command.one_bar(arguments),
        suite_command.judging(arguments, TREC, config, given) as (report, outcome, duck),
    ):
        if not arguments.trec or arguments.json or arguments.format:
            emit(report, arguments)
            return report.exit_code
        report.save_all(arguments.output)
        from ragstone.suites.trec.shows import as_trec_eval

        for arm in outcome.arms:
            every = arguments.by_question
            say(as_trec_eval(duck, outcome, arm, by_question=every, full=not names))
        warn_unfrozen(report)
        keep_run(report, arguments)
    return report.exit_code


def _words(arguments: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Metrics and files: trec_eval is called as in `-m map qrels.txt run.txt`."""
    names: list[str] = []
    files: list[str] = []
    for word in arguments.metrics or ():
        for name in filter(None, word.split(",")):
            try:
                measure(name)
            except ConfigError:
                if not Path(word).exists():
                    raise
                files.append(word)
                break
            names.append(name)
    given = [] if arguments.qrels is None else [arguments.qrels]
    return names, [*files, *given, *arguments.runs]


def _asked(arguments: argparse.Namespace, names: list[str]) -> dict[str, object]:
    """The measures, and which questions are averaged over."""
    if (arguments.by_question or arguments.complete) and not arguments.trec:
        raise ConfigError("-q and -c go with --trec")
    found: dict[str, object] = {}
    if arguments.trec:
        found["over"] = "judged" if arguments.complete else "both"
    if names or arguments.trec:
        found["metrics"] = tuple(names) or OFFICIAL
    return found
