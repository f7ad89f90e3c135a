"""The signals that stop a run: it cleans up, and ends with exit code 3."""

from __future__ import annotations

import signal


def stopping_signals() -> tuple[signal.Signals, ...]:
    """Ctrl-C, what ends a job in CI, and a terminal that is closed, where the system has them.

    One that was ignored from the start stays ignored: `nohup` means a run to outlive its terminal.
    """
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    known = [signal.Signals[name] for name in names if name in signal.Signals.__members__]
    return tuple(number for number in known if signal.getsignal(number) is not signal.SIG_IGN)
