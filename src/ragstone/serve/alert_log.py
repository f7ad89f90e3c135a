"""Where alerts go: a file of JSON lines, and an address that the user names.

A webhook gets each alert as JSON, signed: `X-Ragstone-Signature` is the HMAC-SHA256 of the body
under the secret that both sides know. It is tried a few times and then given up; the file has the
alert anyway.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import queue
import threading
import urllib.request
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from ragstone.errors import ConfigError
from ragstone.own_files import Aside, open_own, read_plain, write_own
from ragstone.serve.moments import minute_in
from ragstone.worker import Troubles, Worker, say

_SHOWN = 1_000
_TEXTS = ("id", "alert", "state", "minute", "rule", "since", "detail")
_WAITING = 1_000
_TRIES = 4
_SECONDS = 10.0


class AlertLog:
    """The alerts so far, each once by its id; the last of them are at hand."""

    def __init__(self, path: Path, webhook: Webhook | None = None) -> None:
        self._path, self._webhook = path, webhook
        self.last: deque[Mapping[str, object]] = deque(self._read(), maxlen=_SHOWN)
        self._ids = {str(each["id"]) for each in self.last}
        # Any thread may have something to be alarmed about.
        self._adding = threading.Lock()

    def _read(self) -> list[Mapping[str, object]]:
        """What the file holds; what is no alert is set aside."""
        try:
            descriptor = open_own(self._path, os.O_RDONLY)
        except FileNotFoundError:
            return []
        with os.fdopen(descriptor, "rb") as file:
            lines = file.readlines()
        read = [(line, _alert_in(line)) for line in lines]
        odd = [line for line, alert in read if alert is None]
        if odd:
            where = Aside(self._path.parent).add(self._path.name, odd)
            write_own(self._path, (line for line, alert in read if alert is not None))
            say(f"{self._path}: what is no alert was moved to {where}")
        return [alert for _, alert in read if alert is not None]

    def add(self, alert: Mapping[str, object]) -> bool:
        """Whether it is a new one; it is on the disk, and on its way to the webhook."""
        line = json.dumps(alert, ensure_ascii=False).encode()
        with self._adding:
            if str(alert["id"]) in self._ids:
                return False
            self._append(line + b"\n")
            self._ids.add(str(alert["id"]))
            self.last.append(alert)
        if self._webhook is not None:
            self._webhook.send(line)
        return True

    def _append(self, line: bytes) -> None:
        descriptor = open_own(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(descriptor, line)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def alerts_in(path: Path) -> list[Mapping[str, object]]:
    """The last alerts of a file that a server may be writing to; what is none is passed over."""
    try:
        lines = read_plain(path).splitlines(keepends=True)[-_SHOWN:]
    except FileNotFoundError:
        return []
    return [alert for alert in map(_alert_in, lines) if alert]


def _alert_in(line: bytes) -> Mapping[str, object] | None:
    try:
        value = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _is_whole(value) else None


def _is_whole(value: Mapping[str, object]) -> bool:
    """Whether it has what every alert has, in its form."""
    number, samples = value.get("value", ""), value.get("samples")
    if not all(isinstance(value.get(key), str) for key in _TEXTS):
        return False
    try:
        minute_in(str(value["minute"]))
        minute_in(str(value["since"] or value["minute"]))
    except ValueError:
        return False
    return isinstance(number, int | float | None) and isinstance(samples, int)


class Webhook:
    """Sends alerts to one address, in a thread of its own, so that nothing waits for it."""

    def __init__(self, url: str, secret: str) -> None:
        self._url, self._secret = url, secret.encode()
        self._queue: queue.Queue[bytes | None] = queue.Queue(_WAITING)
        self.failed = 0
        self._stopping = threading.Event()
        self._worker: Worker | None = None

    def start(self, troubles: Troubles) -> None:
        """Begins to send."""
        self._worker = Worker("webhook", self._step, troubles)
        self._worker.start()

    def send(self, body: bytes) -> None:
        """Hands an alert over; where too many wait, it is counted as failed."""
        try:
            self._queue.put_nowait(body)
        except queue.Full:
            self.failed += 1

    def close(self) -> None:
        """Ends, after a last try for what waits."""
        self._stopping.set()
        with suppress(queue.Full):
            self._queue.put_nowait(None)
        if self._worker is not None:
            self._worker.join(_SECONDS)

    def _step(self) -> bool:
        body = self._queue.get()
        if body is None:
            return False
        delivered = False
        try:
            delivered = self._delivered(body)
        finally:
            self.failed += not delivered
        return True

    def _delivered(self, body: bytes) -> bool:
        for number in range(_TRIES):
            if self._try(body):
                return True
            # 1, 2 and 4 seconds; a server that stops does not wait.
            if self._stopping.is_set() or number == _TRIES - 1:
                return False
            self._stopping.wait(2.0**number)
        return False

    def _try(self, body: bytes) -> bool:
        signature = hmac.new(self._secret, body, hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": "application/json",
            "X-Ragstone-Signature": f"sha256={signature}",
        }
        request = urllib.request.Request(self._url, body, headers, method="POST")
        try:
            with _OPENER.open(request, timeout=_SECONDS) as answer:
                return 200 <= int(answer.status) < 300
        except (OSError, ValueError, HTTPException):
            return False


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """An alert goes to the address that the user named, and to no other."""

    def redirect_request(self, *given: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def webhook_to(url: str, secret: str) -> Webhook:
    """A webhook, once its address and its secret can be used."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("the webhook: expected an address such as https://example.org/alerts")
    if len(secret) < 16:
        raise ConfigError(
            "the webhook needs a secret of at least 16 characters in RAGSTONE_WEBHOOK_SECRET"
        )
    return Webhook(url, secret)
