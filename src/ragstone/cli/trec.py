"""Score TREC runs against qrels: a table, several runs side by side, or trec_eval's own output."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import (
    add_errors,
    add_everywhere,
    add_output,
    check_output,
    emit,
    must_not_replace,
    number,
    say,
    whole,
)
from ragstone.cli.context import SHOWN
from ragstone.errors import ConfigError

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.engine.duck import Duck
    from ragstone.report.model import Report
    from ragstone.suites.context.trec import Over, TrecEvaluation, TrecOptions

EXAMPLE = """\
examples:
  ragstone trec qrels.txt run.txt
  ragstone trec qrels.txt bm25.txt rm3.txt -m ndcg@10 map P@5 -o report.html
  ragstone trec qrels.txt run.txt --trec -q -m ndcg_cut_10,recip_rank
"""

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
# What trec_eval prints when it is asked for nothing in particular, as far as both have it.
OFFICIAL = (
    "map", "rprec", "bpref", "mrr",
    *(f"P@{k}" for k in CUTS), *(f"R@{k}" for k in CUTS), "ndcg", *(f"ndcg@{k}" for k in CUTS),
    *(f"map@{k}" for k in CUTS), "success@1", "success@5", "success@10",
)  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="*", help="QRELS, then one RUN or more")
    parser.add_argument(
        "-m", "--metrics", metavar="NAME", nargs="+", action="extend", default=[],
        help="ndcg@10 map mrr P@5 R@10 success@5 bpref rprec ndcg@10_exp; trec_eval's names too",
    )  # fmt: skip
    parser.add_argument(
        "-l", "--level", type=whole, default=1, metavar="N",
        help="the grade from which on a document is relevant (1)",
    )  # fmt: skip
    parser.add_argument("--trec", action="store_true", help="print what trec_eval prints")
    parser.add_argument(
        "-q", dest="by_question", action="store_true", help="with --trec: every question too"
    )
    parser.add_argument(
        "-c", dest="complete", action="store_true",
        help="with --trec: average over all questions of qrels",
    )  # fmt: skip
    parser.add_argument("--baseline", metavar="RUN", help="whom to compare with (the first)")
    parser.add_argument(
        "--gates", metavar="NAME=NUMBER", nargs="+", action="extend", default=[],
        help="thresholds, as in ndcg@10=0.5",
    )  # fmt: skip
    parser.add_argument(
        "--strict", action="store_true",
        help="a repeated document is an error, a vacuous gate unmeasurable",
    )  # fmt: skip
    parser.add_argument(
        "--confidence", type=number, metavar="LEVEL",
        help="gate on the worse end of the interval at this level, as in 0.95",
    )  # fmt: skip
    parser.add_argument("--all", action="store_true", help="list every row, not just the first 10")
    add_output(parser)
    add_errors(parser)
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck

    check_output(arguments)
    names, files = _words(arguments)
    if len(files) < 2:
        raise ConfigError(
            "expected QRELS and at least one RUN, as in: ragstone trec qrels.txt run.txt"
        )
    options = _options(arguments, names)
    with Duck(arguments.threads) as duck:
        qrels = find(files[0], "qrels", duck.scratch)
        runs = find(files[1:], "run", duck.scratch)
        if len(qrels) > 1:
            raise ConfigError(f"{files[0]} matches {len(qrels)} files; qrels are one")
        must_not_replace(arguments, (*qrels, *runs))
        limit = None if arguments.all else SHOWN
        report, evaluation = report_in(duck, qrels[0], runs, options, limit)
        if not arguments.trec or arguments.json or arguments.format:
            emit(report, arguments)
            return report.exit_code
        from ragstone.report.trec import as_trec_eval
        from ragstone.suites.context.trec import tag_of

        for place, source in enumerate(runs):
            tag = tag_of(duck, source)
            say(
                as_trec_eval(
                    duck, evaluation, place, tag, arguments.by_question, not arguments.metrics
                )
            )
    return report.exit_code


def report_in(
    duck: Duck,
    qrels: Source,
    runs: Sequence[Source],
    options: TrecOptions,
    limit: int | None,
) -> tuple[Report, TrecEvaluation]:
    """The report, and the evaluation it tells of; the rows stay in the engine."""
    from ragstone.ledger.digest import digest
    from ragstone.report import trec
    from ragstone.suites.context.trec import evaluate_trec

    found = evaluate_trec(duck, qrels, runs, options, limit)
    settings = {**trec.settings(found), "limit": limit}
    mark = digest("trec", trec.inputs(found), settings, found.gates, found.metrics)
    return trec.build(found, mark), found


def _words(arguments: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Metrics and files: `-m map qrels.txt run.txt` is how trec_eval is called."""
    from ragstone.suites.context.measures import measure

    names: list[str] = []
    files: list[str] = []
    for word in arguments.metrics:
        for name in filter(None, word.split(",")):
            try:
                measure(name)
            except ConfigError:
                if not Path(word).exists():
                    raise
                files.append(word)
                break
            names.append(name)
    return names, [*files, *arguments.files]


def _options(arguments: argparse.Namespace, names: list[str]) -> TrecOptions:
    from ragstone.gates.judge import split_flags
    from ragstone.suites.context.trec import DEFAULT, TrecOptions

    if (arguments.by_question or arguments.complete) and not arguments.trec:
        raise ConfigError("-q and -c go with --trec")
    over: Over = "relevant"
    if arguments.trec:
        over = "judged" if arguments.complete else "both"
    return TrecOptions(
        names=tuple(names) or (OFFICIAL if arguments.trec else DEFAULT),
        level=arguments.level,
        over=over,
        baseline=arguments.baseline,
        gates=tuple(split_flags(arguments.gates)),
        strict=arguments.strict,
        confidence=arguments.confidence,
    )
