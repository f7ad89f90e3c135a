"""`http://host/path`: posts each question as JSON, by HTTP/1.1 over asyncio streams.

The client follows no redirect, so the only address that is ever contacted is the one the user
wrote. It is our own because its CPU time limits the rate of a run: docs/run.md has the figures of
other libraries.
"""

from __future__ import annotations

import asyncio
import base64
import email.utils
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, unquote, urlsplit

import msgspec

from ragstone._version import __version__
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import ConfigError
from ragstone.targets.protocol import Answer, Ask, NoAnswer, Opening, answer_of, shown_address

_HEADERS_LIMIT = 64 * 1024
_BODY_LIMIT = 64 * 1024 * 1024
_WITHOUT_BODY = (204, 304)


@dataclass(frozen=True, slots=True)
class Response:
    """A status, the headers by lower-case name, and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def retry_after(self) -> float | None:
        """How many seconds the server wants us to wait, from either form of Retry-After."""
        text = self.headers.get("retry-after", "").strip()
        if text.isdigit():
            return float(text)
        try:
            moment = email.utils.parsedate_to_datetime(text)
        except ValueError:
            return None
        return max(0.0, moment.timestamp() - time.time())


@dataclass(frozen=True, slots=True)
class Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    used: bool = False


class _Stale(Exception):
    """The server had closed a kept connection before it saw this request."""


class Poster:
    """Posts to one URL; connections are reused, the most recent first."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        parts = _split(url)
        self.host = parts.hostname or ""
        self.port = parts.port or (443 if parts.scheme == "https" else 80)
        self._ssl = ssl.create_default_context() if parts.scheme == "https" else None
        self._head = _head(parts, headers or {})
        self._idle: list[Connection] = []

    async def post(self, value: object) -> object:
        """The JSON of a reply with status 200; after 429 and 5xx asking again may help."""
        body = msgspec.json.encode(value)
        try:
            response = await self._once(body, self._idle.pop() if self._idle else None)
        except _Stale:
            # The server closed the idle connection as we wrote: it has not seen the request.
            self._drop_idle()
            response = await self._once(body, None)
        status = response.status
        if status != 200:
            again = status == 429 or status >= 500
            after = response.retry_after if again else None
            raise NoAnswer("http_status", f"HTTP status {status}", again=again, after=after)
        try:
            return parse(response.body)
        except NotJson as error:
            raise NoAnswer("bad_answer", f"the reply is not JSON: {error}") from None

    async def _once(self, body: bytes, connection: Connection | None) -> Response:
        held = connection or await self._connect()
        kept = False
        try:
            held.writer.write(b"%s%d\r\n\r\n%s" % (self._head, len(body), body))
            await held.writer.drain()
            response, keep = await _response(held.reader)
            if keep:
                self._idle.append(Connection(held.reader, held.writer, used=True))
                kept = True
            return response
        except asyncio.IncompleteReadError as error:
            if held.used and not error.partial:
                raise _Stale from None
            raise NoAnswer("transport", "the connection was cut", again=True) from None
        except (ConnectionError, ssl.SSLError) as error:
            if held.used:
                raise _Stale from None
            raise NoAnswer("transport", _says(error), again=True) from None
        except (ValueError, asyncio.LimitOverrunError) as error:
            raise NoAnswer("bad_answer", f"not an HTTP reply: {error}") from None
        finally:
            # Also after a time-out: a late reply must not be read as that to the next question.
            if not kept:
                _hang_up(held.writer)

    async def _connect(self) -> Connection:
        try:
            reader, writer = await asyncio.open_connection(
                self.host, self.port, ssl=self._ssl, limit=_HEADERS_LIMIT
            )
        except ssl.SSLCertVerificationError as error:
            raise NoAnswer("transport", f"its certificate: {error.verify_message}") from None
        except OSError as error:
            raise NoAnswer("transport", _says(error), again=True) from None
        return Connection(reader, writer)

    def _drop_idle(self) -> None:
        while self._idle:
            _hang_up(self._idle.pop().writer)

    async def close(self) -> None:
        self._drop_idle()
        # Transports are closed in the next turn of the loop, and there may be no other.
        await asyncio.sleep(0)


class Http(Poster):
    """POST `{"q","seed","jitter","knobs"}` → `{"answer_json","retrieved_ids","stage_ms"?}`."""

    async def ask(self, ask: Ask) -> Answer:
        return answer_of(await self.post(ask.body()))


def open_http(address: str, opening: Opening) -> Http:
    return Http(address)


def _hang_up(writer: asyncio.StreamWriter) -> None:
    """Closes at once: a TLS connection would wait for the server to confirm, which it may not."""
    if writer.get_extra_info("ssl_object") is None:
        writer.close()
    else:
        writer.transport.abort()


def _split(url: str) -> SplitResult:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
        raise ConfigError(f"{shown_address(url)!r} is not a URL such as http://localhost:8000/ask")
    return parts


def _head(parts: SplitResult, headers: Mapping[str, str]) -> bytes:
    """The head of every request, up to the length of its body."""
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    if parts.query:
        path += "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    sent = {
        "Host": _host(parts),
        "User-Agent": f"ragstone/{__version__}",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        **headers,
    }
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        sent["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    for name, value in sent.items():
        if "\r" in value or "\n" in value or not value.isascii():
            raise ConfigError(f"the header {name} cannot be sent: it is not plain ASCII")
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    return ("\r\n".join(lines) + "\r\nContent-Length: ").encode("ascii")


def _host(parts: SplitResult) -> str:
    try:
        return parts.netloc.rpartition("@")[2].encode("idna").decode()
    except UnicodeError as error:
        raise ConfigError(f"{parts.hostname!r} is not a host name: {error}") from None


async def _response(reader: asyncio.StreamReader) -> tuple[Response, bool]:
    """The response, and whether the connection can be used again."""
    status, version, headers = await _status_and_headers(reader)
    while 100 <= status < 200:
        status, version, headers = await _status_and_headers(reader)
    coding = headers.get("transfer-encoding", "").lower()
    keep = "close" not in headers.get("connection", "").lower() and version == b"HTTP/1.1"
    if status in _WITHOUT_BODY:
        body = b""
    elif coding.endswith("chunked"):
        body = await _chunks(reader)
    elif "content-length" in headers:
        body = await reader.readexactly(_length(headers["content-length"], 10))
    else:
        body, keep = await _to_the_end(reader), False
    return Response(status, headers, body), keep


async def _status_and_headers(reader: asyncio.StreamReader) -> tuple[int, bytes, dict[str, str]]:
    first, *lines = (await reader.readuntil(b"\r\n\r\n"))[:-4].split(b"\r\n")
    version, _, rest = first.partition(b" ")
    if not version.startswith(b"HTTP/1.") or not rest[:3].isdigit():
        raise ValueError(f"it begins {first[:40]!r}")
    headers = {}
    for line in lines:
        name, _, value = line.partition(b":")
        headers[name.strip().lower().decode("latin-1")] = value.strip().decode("latin-1")
    return int(rest[:3]), version, headers


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    total = 0
    while True:
        size = _length((await reader.readuntil(b"\r\n")).split(b";")[0].strip().decode(), 16)
        if size == 0:
            break
        total += size
        _length(str(total), 10)
        parts.append((await reader.readexactly(size + 2))[:-2])
    trailer = b""
    while trailer != b"\r\n":  # Nothing in the trailers is needed.
        trailer = await reader.readuntil(b"\r\n")
    return b"".join(parts)


async def _to_the_end(reader: asyncio.StreamReader) -> bytes:
    """Reads a body that ends with the connection, as HTTP/1.0 servers send it."""
    parts: list[bytes] = []
    total = 0
    while part := await reader.read(_HEADERS_LIMIT):
        total += len(part)
        _length(str(total), 10)
        parts.append(part)
    return b"".join(parts)


def _length(text: str, base: int) -> int:
    size = int(text, base)
    if not 0 <= size <= _BODY_LIMIT:
        raise ValueError(f"a body of {size:,} bytes")
    return size


def _says(error: OSError) -> str:
    """Words for an error of the connection, the same for every address of the host."""
    # asyncio joins the errors of several addresses into one text, and keeps no number.
    if isinstance(error, ConnectionRefusedError) or "Connect call failed" in str(error):
        return "the connection was refused"
    if isinstance(error, ConnectionResetError | BrokenPipeError):
        return "the connection was reset"
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}"
    return error.strerror or str(error) or type(error).__name__
