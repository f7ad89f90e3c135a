"""Puts together what pages are made of: the ledger, and what ragstone.toml says."""

from __future__ import annotations

from ragstone.ledger.run_store import RunStore
from ragstone.serve.known_runs import KnownRuns
from ragstone.serve.live_source import SavedLive
from ragstone.serve.minute_rows import Judging
from ragstone.serve.minute_windows import MinuteWindows
from ragstone.serve.page_routes import Board
from ragstone.serve.serve_settings import ServeSettings
from ragstone.suites.config_file import Config, options_of
from ragstone.suites.registry import find_suite


def board_of(config: Config, ledger: str | None, *, signs_out: bool = False) -> Board:
    """The pages over the ledger that is named, or else the one of the settings."""
    # Every suite has this option, from the same table of the file.
    texts = options_of(find_suite("audit"), config, {}).report_texts
    return Board(KnownRuns(RunStore(ledger or config.ledger)), config, texts, signs_out)


def saved_live(settings: ServeSettings, judging: Judging) -> SavedLive | None:
    """What the folder of a server says, where there is one."""
    if not settings.data.is_dir():
        return None
    windows = MinuteWindows(settings.windows, settings.every_rule, judging)
    return SavedLive(settings.data, windows, judging)
