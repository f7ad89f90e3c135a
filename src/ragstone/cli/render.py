"""Show a recorded run again, in any format, without scoring it. RUN is the first 8 or more
characters of a digest, an accepted name, `last`, or the folder of a run."""

from __future__ import annotations

import argparse

from ragstone.cli.common import check_output, emit, must_want_no_rows
from ragstone.cli.flags import add_output
from ragstone.cli.runs import add_run, run_and_store


def configure(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.ledger.kept_report import kept_report

    check_output(arguments)
    must_want_no_rows(arguments, "`ragstone runs export` copies a run with its rows")
    found, _ = run_and_store(arguments)
    emit(kept_report(found), arguments)
    return 0
