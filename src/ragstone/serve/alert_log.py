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
from pathlib import Path
from urllib.parse import urlsplit

from ragstone.errors import ConfigError

_SHOWN = 1_000
_WAITING = 1_000
_TRIES = 4
_SECONDS = 10.0


class AlertLog:
    """The alerts so far, each once by its id; the last of them are at hand."""

    def __init__(self, path: Path, webhook: Webhook | None = None) -> None:
        self._path, self._webhook = path, webhook
        self.last: deque[Mapping[str, object]] = deque(maxlen=_SHOWN)
        if path.exists():
            self._read()
        self._ids = {str(each["id"]) for each in self.last}

    def _read(self) -> None:
        """What the file holds; a last line that a crash cut short is cut off."""
        data = self._path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            self._path.write_bytes(whole)
        self.last.extend(json.loads(line) for line in whole.splitlines()[-_SHOWN:])

    def add(self, alert: Mapping[str, object]) -> bool:
        """Whether it is a new one; it is on the disk, and on its way to the webhook."""
        if str(alert["id"]) in self._ids:
            return False
        line = json.dumps(alert, ensure_ascii=False).encode()
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._ids.add(str(alert["id"]))
        self.last.append(alert)
        if self._webhook is not None:
            self._webhook.send(line)
        return True


class Webhook:
    """Sends alerts to one address, in a thread of its own, so that nothing waits for it."""

    def __init__(self, url: str, secret: str) -> None:
        self._url, self._secret = url, secret.encode()
        self._queue: queue.Queue[bytes | None] = queue.Queue(_WAITING)
        self.failed = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webhook", daemon=True)
        self._thread.start()

    def send(self, body: bytes) -> None:
        """Hands an alert over; where too many wait, it is counted as failed."""
        try:
            self._queue.put_nowait(body)
        except queue.Full:
            self.failed += 1

    def close(self) -> None:
        """Ends, after a last try for what waits."""
        self._stopping.set()
        self._queue.put(None)
        self._thread.join(_SECONDS)

    def _run(self) -> None:
        while (body := self._queue.get()) is not None:
            if not self._delivered(body):
                self.failed += 1

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
        except (OSError, ValueError):
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
