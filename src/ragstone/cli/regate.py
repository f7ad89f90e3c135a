"""Judge a recorded run by other gates, without scoring it. For each gate it also says which
threshold would change the verdict, and how many questions stand between the two. RUN is the first 8
or more characters of a digest, an accepted name, `last`, or the folder of a run."""

from __future__ import annotations

import argparse
from dataclasses import replace

from ragstone.cli.common import check_output, emit, must_want_no_rows
from ragstone.cli.flags import add_option, add_output
from ragstone.cli.runs import add_run, run_and_store
from ragstone.suites.option_fields import declared
from ragstone.suites.options import Options


def configure(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    add_option(parser, next(each for each in declared(Options) if each.name == "gates"))
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.gates.judge import split_flags
    from ragstone.ledger.kept_report import provenance
    from ragstone.ledger.rejudge import regate

    check_output(arguments)
    must_want_no_rows(arguments, "nothing was scored, so there are no rows")
    found, _ = run_and_store(arguments)
    report = regate(found, split_flags(arguments.gates or ()))
    recordings = found.recordings()
    if recordings:
        report = replace(report, provenance=provenance(recordings[-1]))
    emit(report, arguments)
    return report.exit_code
