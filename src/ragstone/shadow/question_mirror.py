"""Mirrors live questions to a shadow; whoever answers them live is never made to wait.

A caller hands over what was asked and answered, as bytes. Reading it, choosing by share, asking,
computing and writing happen in two threads, which begin with the first question in the process
that serves: a server may load an app first and fork afterwards.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Collection

from ragstone.shadow.asking_loop import AskingLoop, Read
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.shadow.pair_files import Counts
from ragstone.shadow.pair_writer import say
from ragstone.shadow.tally import Tally
from ragstone.worker import Troubles


class QuestionMirror:
    """One mirror of this process."""

    def __init__(self, settings: MirrorSettings, troubles: Troubles | None = None) -> None:
        self.settings = settings
        self._troubles = troubles or Troubles()
        self._begin()
        # A child has the object and none of its threads, and a lock in it may be held for ever.
        me = weakref.ref(self)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=lambda: _in_child(me))

    def _begin(self) -> None:
        self._tally = Tally(self.settings.shown, self.settings.share)
        self._changing = threading.Lock()
        self._asking: AskingLoop | None = None
        self._closed = False

    def start(self) -> None:
        """Begins its threads in this process; one that was closed begins to count anew."""
        with self._changing:
            if self._asking is not None and not self._closed:
                return
            if self._closed:
                self._tally = Tally(self.settings.shown, self.settings.share)
            asking, self._closed = self._loop(), False
            try:
                asking.start()
            except RuntimeError as error:
                self._tally.end("no thread could be started")
                say(f"no thread could be started: {error}")
            self._asking = asking
        # For a server that does not say that it stops.
        me = weakref.ref(self)
        atexit.register(lambda: _at_exit(me))

    def _loop(self) -> AskingLoop:
        return AskingLoop(self.settings, self._tally, self._troubles)

    def offer(self, read: Read, size: int) -> None:
        """Takes a live answer of so many bytes; `read` takes it apart later, in another thread.

        It neither waits nor raises: what is too much is dropped and counted.
        """
        if self._asking is None:
            self.start()
        if self._asking is not None:
            self._asking.put(read, size)

    def unread(self, why: str) -> None:
        """Counts a live answer that cannot be read, and need not be looked at."""
        if self._asking is None:
            self.start()
        self._tally.see()
        self._tally.settle("unread", why)

    def counts(self) -> Counts:
        """What it has done so far."""
        return self._tally.counts()

    def forget(self, ids: Collection[str]) -> None:
        """Writes no pair of these questions, traces or ids that was seen until now."""
        if self._asking is not None:
            self._asking.forget(frozenset(ids))

    def close(self, seconds: float | None = None) -> Counts:
        """Ends within some seconds; what still waits then is dropped, and counted."""
        with self._changing:
            if self._asking is not None and not self._closed:
                self._asking.end(self.settings.closing if seconds is None else seconds)
            self._tally.end("the mirror ended")
            self._closed = True
        return self.counts()


def _in_child(mirror: weakref.ref[QuestionMirror]) -> None:
    """Begins anew in a process that was forked off."""
    found = mirror()
    if found is not None:
        found._begin()


def _at_exit(mirror: weakref.ref[QuestionMirror]) -> None:
    found = mirror()
    if found is not None:
        found.close()
