"""Keeps the run of a command in the ledger, and says so."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragstone.errors import ConfigError, InputError
from ragstone.progress import doing, tell
from ragstone.suites.options import Options, Texts

if TYPE_CHECKING:
    from ragstone.report.model import Report


def recording(options: Options, *, page: bool = False) -> Texts | None:
    """How much of the texts is kept where a run is to be recorded; None where it is not.

    What would keep it from being recorded is said here, before anything is scored. Labels are for
    a recording, or for the foot of a page.
    """
    if options.label and not (options.record or page):
        raise ConfigError("--label needs --record or -o FILE.html: it names a recording or a page")
    if not (options.record or options.label):
        return None
    from ragstone.ledger.record_run import must_be_recordable, recorded_texts

    must_be_recordable(options)
    return recorded_texts(options)


def keep_run(report: Report, arguments: argparse.Namespace) -> None:
    """Keeps a report that is to be recorded, and names the run on standard error.

    It comes when the report has been written and printed: a ledger that takes no more loses none.
    """
    if report.made_of is None:
        return
    from ragstone.ledger.record_run import record

    options = report.made_of.options
    try:
        with doing("recording the run", step="recording"):
            kept = record(report, options, arguments.words)
    except InputError as error:
        raise InputError(f"the report is complete, and the run was not recorded: {error}") from None
    if kept is None:
        tell("not recorded: the gold is not as it was frozen")
    elif not arguments.quiet:
        tell(f"recorded {kept.short} in {options.ledger}")
