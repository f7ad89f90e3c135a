"""Runs the server: one process, one folder, until it is told to stop.

SIGTERM and SIGINT stop it in order: no new connection is taken, requests that are under way are
answered, what they brought is on the disk, and the process ends with 0.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import uvicorn

from ragstone.errors import InputError
from ragstone.serve.access import Access, Guarded
from ragstone.serve.alert_log import Webhook
from ragstone.serve.application import application
from ragstone.serve.bounded_connection import MOST, BoundedConnection
from ragstone.serve.frames import Stored
from ragstone.serve.gold_desk import GoldDesk
from ragstone.serve.gold_routes import GoldPages
from ragstone.serve.ingest_routes import Forgotten, Ingest
from ragstone.serve.live_source import RunningLive
from ragstone.serve.live_store import LiveStore
from ragstone.serve.live_watch import LiveWatch
from ragstone.serve.minute_rows import Judging
from ragstone.serve.minute_windows import MinuteWindows, machine_clock
from ragstone.serve.page_routes import Board, Pages
from ragstone.serve.senders import WrongTokens
from ragstone.serve.serve_settings import ServeSettings
from ragstone.serve.shadow_sidecar import Sidecar, forget_pairs, remove_pairs_before
from ragstone.serve.sign_in import SignIn
from ragstone.serve.window_routes import window_routes
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.shadow.pair_files import PairFiles
from ragstone.worker import Troubles, Worker

_LAST_SECONDS = 20
_LOOKS_EVERY = 10.0


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens; port 0 is any that is free."""

    host: str = "127.0.0.1"
    port: int = 8787


@dataclass(frozen=True, slots=True)
class Serving:
    """What a server is told: its settings, who may talk to it, and by what records are judged."""

    settings: ServeSettings
    access: Access
    judging: Judging
    board: Board
    webhook: Webhook | None = None
    shadow: MirrorSettings | None = None
    gold: GoldDesk | None = None
    troubles: Troubles = field(default_factory=Troubles)
    allowed: tuple[str, ...] = ()


def run_server(serving: Serving, address: Address, say: Callable[[str], None]) -> None:
    """Serves until a signal; `say` is told where."""
    data, troubles = serving.settings.data, serving.troubles
    with _listening(address) as listening:
        # The store first: it holds the lock of the folder. It hears of nothing before it is served.
        store = LiveStore(data, lambda new: heard(new), troubles)
        sidecar: Sidecar | None = None
        try:
            if serving.shadow is not None:
                sidecar = Sidecar(serving.shadow, troubles)
            watch = LiveWatch(_windows(serving, sidecar), data, serving.webhook, troubles)

            def heard(new: list[tuple[Stored, str]]) -> None:
                watch.hear(new)
                if sidecar is not None:
                    sidecar.hear(new)

            watch.start(store)
            host, port = listening.getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            say(f"ragstone serve: listening on http://{shown}:{port}, data in {data}")
            if serving.shadow is not None:
                say(f"ragstone serve: {_words(serving.shadow)}")
            keeper = Keeper(store, serving.settings.keep, troubles)
            try:
                _serve(_server_for(_application(store, watch, sidecar, serving)), listening)
            finally:
                keeper.stop()
        finally:
            store.close()
            if sidecar is not None:
                sidecar.close()
        watch.stop()


def _words(shadow: MirrorSettings) -> str:
    part = f"{shadow.share * 100:g} % of the questions are asked of {shadow.shown} too"
    return f"{part}, pairs in {PairFiles(shadow.data, shadow.run).folder}"


def _windows(serving: Serving, sidecar: Sidecar | None) -> MinuteWindows:
    settings = serving.settings
    windows = MinuteWindows(
        settings.windows, settings.every_rule, serving.judging, now=machine_clock
    )
    if sidecar is not None:
        windows.hears_trace = sidecar.hear_trace
    return windows


def _application(
    store: LiveStore, watch: LiveWatch, sidecar: Sidecar | None, serving: Serving
) -> Guarded:
    def forget(names: list[str]) -> Forgotten:
        ids = store.meant_by(names)
        watch.forget(ids)
        if sidecar is not None:
            sidecar.forget(ids)
        # Also those of an app's own mirror, which writes into the same folder.
        forgotten = Forgotten(store.forget(ids), forget_pairs(store.folder, ids))
        # What cannot be read may hold it, too.
        store.aside.clear()
        return forgotten

    live = RunningLive(watch, store, serving.settings.every_rule, serving.judging)
    desk, access = serving.gold, serving.access
    edits = desk is not None
    board = replace(serving.board, live=live, edits=edits)
    wrong = WrongTokens()
    enter = SignIn(access.token, wrong, edits=edits).routes() if access.token else []
    gold = GoldPages(desk.with_live(live), access).routes() if desk is not None else []
    pages = [*window_routes(watch, store, wrong, sidecar), *gold, *Pages(board).routes(), *enter]
    ingest = Ingest(store, forget, serving.allowed)
    return application(
        ingest,
        access,
        ready=lambda: store.broken,
        troubles=lambda: serving.troubles.words,
        wrong=wrong,
        pages=pages,
        edits=edits,
    )


def _listening(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    made = socket.socket(family)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address.host, address.port))
        # From here on connections are held until they are taken, so that none is refused at the
        # moment after the address was said.
        made.listen(MOST)
    except OSError as error:
        made.close()
        said = (error.strerror or str(error)).lower()
        raise InputError(f"cannot listen on {address.host}:{address.port}: {said}") from None
    return made


def _server_for(app: object) -> uvicorn.Server:
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        log_config=None,
        # A stranger's odd request is answered, and told nobody else.
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=True,
        lifespan="on",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_LAST_SECONDS,
        h11_max_incomplete_event_size=64 * 1024,
        http=BoundedConnection,
        ws="none",
    )
    return uvicorn.Server(config)


def _serve(server: uvicorn.Server, listening: socket.socket) -> None:
    # The server hands on the signal that stopped it once it has stopped; that is no interruption.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    server.run(sockets=[listening])


class Keeper:
    """A thread that makes segments of full journals, and removes what is too old."""

    def __init__(self, store: LiveStore, keep: int, troubles: Troubles | None = None) -> None:
        self._store, self._keep = store, keep
        self._stopping = threading.Event()
        self._worker = Worker("keeper", self._step, troubles or Troubles())
        self._worker.start()

    def _step(self) -> bool:
        # Where the disk is full, the journals stay as they are, and the next look tries again.
        if self._stopping.wait(_LOOKS_EVERY):
            return False
        self.look()
        return True

    def look(self) -> None:
        """Does what there is to do."""
        self._store.seal()
        oldest = time.time() - self._keep
        self._store.remove_before(int(oldest * 1000))
        remove_pairs_before(self._store.folder, oldest)
        self._store.aside.clear(oldest)

    def stop(self) -> None:
        self._stopping.set()
        self._worker.join()


def token_in(path: Path) -> str:
    """The token of a file: its first line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"the token file {path} cannot be read") from None
    return text.strip().partition("\n")[0].strip()
