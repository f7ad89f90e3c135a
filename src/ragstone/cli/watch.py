"""Watch the records of a live pipeline in its log files, by the minute, and raise alerts.

The same windows and rules as in `ragstone serve`, over files that grow: new lines are read as they
come, also when a file is rotated or begun anew. With --once it reads to the end, prints and ends:
with 1 if an alert was raised, and with 3 if nothing was judged."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ragstone.cli.common import as_json, config_of, say
from ragstone.cli.flags import add_errors, add_json, flag
from ragstone.errors import Unmeasurable

if TYPE_CHECKING:
    from ragstone.formats.declared_format import Format
    from ragstone.serve.watch_session import WatchSession

_LOOKS_EVERY = 0.5


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "FILE", "log files with traces or live records, or globs", nargs="+")
    flag(parser, "--from NAME", "they are in another tool's format", dest="from_")
    flag(parser, "--gold FILE", "the gold set, for the metrics of answers (default: paths.gold)")
    flag(parser, "--once", "read to the end of the files, print, and end")
    add_errors(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    with _session(arguments) as (session, format):
        if arguments.once:
            return _once(arguments, session)
        _follow(arguments, session, format)
    return 0


@contextmanager
def _session(arguments: argparse.Namespace) -> Iterator[tuple[WatchSession, Format | None]]:
    from ragstone.engine.duck import Duck
    from ragstone.formats.known_formats import find_format
    from ragstone.serve.judged_records import judging_by
    from ragstone.serve.minute_windows import MinuteWindows, machine_clock, unbounded
    from ragstone.serve.serve_settings import serve_settings
    from ragstone.serve.watch_session import WatchSession, must_be_followed

    config = config_of(arguments)
    settings = serve_settings(config)
    format = find_format(arguments.from_, "traces", config.formats) if arguments.from_ else None
    if not arguments.once:
        must_be_followed(format)
    with Duck(1) as duck:
        gold = [arguments.gold] if arguments.gold else config.shared("gold")
        judging = judging_by(config, gold, duck)
        # What is read to its end may be of any time; what is followed is not from next week.
        clock = unbounded if arguments.once else machine_clock
        windows = MinuteWindows(settings.windows, settings.every_rule, judging, now=clock)
        try:
            yield WatchSession(windows, format, duck, config.allowed), format
        finally:
            windows.close()


def _once(arguments: argparse.Namespace, session: WatchSession) -> int:
    from ragstone.serve.watch_board import alert_text, board

    session.read_whole(arguments.file)
    if not session.records:
        session.bad.must_be_none()
    session.close_what_is_due(every=True)
    state: dict[str, Any] = session.state()
    if not state["windows"]:
        raise Unmeasurable("no record has a ts, so that there is no window")
    if arguments.json:
        say(as_json(state))
    else:
        say(board(state))
        standing = state["windows"]["standing"]
        for alert in session.raised:
            if alert.as_dict() not in standing:
                say(alert_text(alert.as_dict()))
    if not session.raised and not session.judged:
        raise Unmeasurable(
            "no rule on what was answered had enough samples in any minute, so nothing was judged"
        )
    return 1 if session.raised else 0


def _follow(arguments: argparse.Namespace, session: WatchSession, format: Format | None) -> None:
    """Until it is interrupted: a board at a terminal, else a line of JSON for each alert."""
    from ragstone.serve.followed_files import FollowedFile
    from ragstone.serve.watch_session import is_spans, paths_of

    files = [FollowedFile(path) for path in paths_of(arguments.file)]
    add = session.add if format is None or is_spans(format) else session.add_translated
    live = sys.stdout.isatty() and not arguments.json
    try:
        while True:
            for file in files:
                add(file.name, file.new_lines())
            closed = session.close_what_is_due()
            if live:
                _show(session)
            else:
                for each in closed:
                    for alert in each.alerts:
                        say(json.dumps(alert.as_dict(), ensure_ascii=False))
            time.sleep(_LOOKS_EVERY)
    finally:
        for file in files:
            file.close()


def _show(session: WatchSession) -> None:
    """Draws the board over the one before."""
    from ragstone.serve.watch_board import board

    sys.stdout.write(f"\x1b[H\x1b[J{board(session.state())}")
    sys.stdout.flush()
