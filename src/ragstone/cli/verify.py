"""Make a recorded run again from its inputs: do the bytes agree? RUN is the first 8 or more
characters of a digest, an accepted name, `last`, or the folder of a run.

exit codes:
  0  the bytes agree
  1  something differs, and is named
  3  it cannot be told here, for instance because another version is needed
"""

from __future__ import annotations

import argparse

from ragstone.cli.common import as_json, say
from ragstone.cli.flags import add_json
from ragstone.cli.runs import add_run, run_and_store
from ragstone.progress import doing


def configure(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.ledger.run_place import base_of
    from ragstone.ledger.verify_run import STEPS, verify
    from ragstone.report.text import visible

    run, store = run_and_store(arguments)
    with doing("verify", steps=STEPS):
        found = verify(run, base_of(store.place), store.place, arguments.threads)
    if arguments.json:
        made: dict[str, object] = {
            "run": found.run,
            "agrees": found.exit_code == 0,
            "differs": found.differs,
            "remarks": found.remarks,
            "needs_version": found.needs,
            "cannot": found.cannot,
        }
        say(as_json(made))
        return found.exit_code
    for sentence in (*found.differs, *found.remarks):
        say(visible(sentence))
    if found.needs:
        say(f"{found.run[:8]} was recorded by ragstone {found.needs}: verify it with that version")
    elif found.cannot and not found.differs:
        say(visible(f"{found.run[:8]} cannot be made again: {found.cannot}"))
    elif not found.differs and not arguments.quiet:
        say(f"{found.run[:8]} agrees: the same inputs give the same bytes")
    return found.exit_code
