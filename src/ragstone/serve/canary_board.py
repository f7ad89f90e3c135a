"""The watched canaries of a server: read in the background, a bounded part at a time.

What was read of a run is kept, and only what is new is read again. A page reads one part at most,
and says how much is left; the thread goes on with that.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from ragstone.errors import InputError
from ragstone.report.private_texts import Texts
from ragstone.serve.asked import Asked
from ragstone.serve.canary_page import CanaryPage, canary_page
from ragstone.serve.canary_watch import CanarySetup, CanaryWatch
from ragstone.serve.page_fields import Missing, says
from ragstone.shadow.pair_files import RUN, PairFiles, runs_in
from ragstone.worker import Troubles, Worker

# So many lines are read while others wait for a page.
PART = 200
# So many runs are kept in memory; the one that nobody asked for longest goes first.
_RUNS = 4
_LOOKS_EVERY = 5.0


@dataclass(frozen=True, slots=True)
class CanaryBrief:
    """What the live board says of a shadow."""

    run: str = says("the run of the shadow that was written to last")
    verdict: str = says("PROMOTE, HOLD or ROLL BACK")
    because: str = says("why, in one sentence")
    questions: int = says("how many different questions it is decided by")


class CanaryBoard:
    """The canaries of a folder. One that `follows`, and says there what goes wrong, goes on
    reading until it is closed."""

    def __init__(self, data: Path, setup: CanarySetup, follows: Troubles | None = None) -> None:
        self._data, self._setup = data, setup
        self._part = None if follows is None else PART
        self._watches: dict[str, CanaryWatch] = {}
        self._using = threading.Lock()
        self._stopping = threading.Event()
        self._worker: Worker | None = None
        if follows is not None:
            self._worker = Worker("canary", self._step, follows)
            self._worker.start()

    def runs(self) -> list[str]:
        """The runs that there are, the one that was written to last first."""
        return runs_in(self._data)

    def page(self, asked: Asked, texts: Texts) -> CanaryPage:
        """The canary of a run that is asked for, else of the last."""
        known, wanted = self.runs(), asked.text("run")
        if wanted and wanted not in known:
            raise Missing(404, "there is no such run of a shadow; /live/canary shows the last")
        run = wanted or (known[0] if known else RUN)
        with self._using:
            watch = self._watch(run)
            left = watch.read(self._part)
            return canary_page(watch, known, left, texts)

    def brief(self) -> CanaryBrief | None:
        """What to say of the last run; None where there is none."""
        known = self.runs()
        if not known:
            return None
        try:
            page = self.page(Asked({}), "none")
        except InputError:
            # The page of the canary itself says more; the live board is about other things.
            return CanaryBrief(known[0], "HOLD", "the pairs of this run cannot be read", 0)
        return CanaryBrief(page.run, page.verdict, page.because, page.questions)

    def _watch(self, run: str) -> CanaryWatch:
        watch = self._watches.pop(run, None) or CanaryWatch(PairFiles(self._data, run), self._setup)
        self._watches[run] = watch
        for name in [*self._watches][:-_RUNS]:
            self._watches.pop(name).close()
        return watch

    def _step(self) -> bool:
        # Damaged pairs are a fault of every look, and a worker goes on after each.
        if self._stopping.is_set():
            return False
        more = False
        try:
            more = self._read_on()
        finally:
            if not more:
                self._stopping.wait(_LOOKS_EVERY)
        return True

    def _read_on(self) -> bool:
        """Reads a part of the last run; says whether there is more."""
        known = self.runs()
        if not known:
            return False
        with self._using:
            return self._watch(known[0]).read(PART) > 0

    def __enter__(self) -> CanaryBoard:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopping.set()
        if self._worker is not None:
            self._worker.join()
        for watch in self._watches.values():
            watch.close()
