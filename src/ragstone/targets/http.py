"""`http://host/path`: posts each question as JSON, with aiohttp.

No redirect is followed and no cookie is kept, so the only address that is ever contacted is the one
the user wrote, or the proxy of `--proxy env`.
"""

from __future__ import annotations

import asyncio
import base64
import email.utils
import re
import ssl
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import SplitResult, quote, unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

import aiohttp
import msgspec
from yarl import URL

from ragstone._version import __version__
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import ConfigError
from ragstone.targets.masks import Masks
from ragstone.targets.one_reply import OneReplyConnector, was_stale
from ragstone.targets.protocol import Answer, Ask, NoAnswer, Opening, answer_of
from ragstone.targets.reply_fields import NotThere
from ragstone.targets.request_body import NAMES
from ragstone.targets.secret_words import secrets_in, shown_address

_BODY_LIMIT = 64 * 1024 * 1024
_SAFE = "/%:@!$&'()*+,;=~-._"


class Poster:
    """Posts JSON to one URL over connections that are kept, and reads the JSON that comes back.

    Nothing that it returns or raises holds a secret that it was given.
    """

    def __init__(
        self, url: str, opening: Opening, headers: Mapping[str, str] | None = None
    ) -> None:
        parts, endpoint = _split(url), opening.endpoint
        given, secrets = endpoint.headers()
        self._url = _request_url(parts)
        chosen = {name.lower() for name in given}
        ours = {
            name: value for name, value in (headers or {}).items() if name.lower() not in chosen
        }
        self._headers = _checked(parts, {**ours, **given})
        self._proxy = _proxy_for(parts) if endpoint.proxy == "env" else None
        sent = [value for name, value in self._headers.items() if name == "Authorization"]
        in_urls = [*secrets_in(url), *secrets_in(self._proxy or "")]
        self._masks = Masks.of([*secrets, *sent, *in_urls])
        self._ssl = _trusted(endpoint.ca) if parts.scheme == "https" else True
        self._timeout = aiohttp.ClientTimeout(
            total=None, connect=endpoint.connect_timeout, sock_read=endpoint.read_timeout
        )
        self._keep = endpoint.keep_alive
        self._withdraw = opening.withdraw
        self._session: aiohttp.ClientSession | None = None
        self._connector: OneReplyConnector | None = None

    async def post(self, value: object, ask: Ask) -> object:
        """The JSON of a reply with status 200; after 429 and 5xx asking again may help."""
        body = msgspec.json.encode(value)
        try:
            try:
                return await self._once(body, ask)
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                # A new connection that fails is no reason to make another one.
                if not was_stale():
                    raise
                return await self._once(body, ask)
        except (aiohttp.ClientError, OSError) as error:
            raise self._failure(error) from None

    async def _once(self, body: bytes, ask: Ask) -> object:
        if self._session is None or self._connector is None:
            self._connector = OneReplyConnector(
                keep=self._keep, withdraw=self._withdraw, limit=0, ssl=self._ssl
            )
            self._session = self._opened(self._connector)
        async with self._session.post(
            self._url, data=body, allow_redirects=False, proxy=self._proxy
        ) as response:
            _must_be_one_body(response)
            if response.status != 200:
                response.close()
                raise self._refused(response)
            data = await _read(response)
        await self._connector.take(ask)
        try:
            found = parse(data)
        except NotJson as error:
            says = self._masks.text(f"the reply is not JSON: {error}")
            raise NoAnswer("bad_answer", says) from None
        return self._masks.value(found) if self._masks.may_be_in(data) else found

    def _opened(self, connector: OneReplyConnector) -> aiohttp.ClientSession:
        # How many questions are asked at once is the runner's affair: no limit here.
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
            timeout=self._timeout,
            auto_decompress=False,
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding"),
        )

    def _refused(self, response: aiohttp.ClientResponse) -> NoAnswer:
        status = response.status
        again = status == 429 or status >= 500
        says = f"HTTP status {status}"
        if 300 <= status < 400 and "Location" in response.headers:
            where = shown_address(response.headers["Location"])[:200]
            says += f"; redirects are not followed, and it points to {self._masks.text(where)}"
        after = _retry_after(response.headers.get("Retry-After", "")) if again else None
        return NoAnswer("http_status", says, again=again, after=after)

    def _failure(self, error: Exception) -> NoAnswer:
        """The same words for an error on every version of aiohttp, and for every address."""
        match error:
            case aiohttp.ConnectionTimeoutError():
                wait = f"{self._timeout.connect:g}"
                return NoAnswer("transport", f"no connection within {wait} s", again=True)
            case aiohttp.SocketTimeoutError() | TimeoutError():
                wait = f"{self._timeout.sock_read or 0:g}"
                return NoAnswer("timeout", f"the server sent nothing for {wait} s")
            case aiohttp.ClientConnectorCertificateError():
                says = getattr(error.certificate_error, "verify_message", "it is not valid")
                return NoAnswer("transport", f"its certificate: {says}")
            case aiohttp.ClientHttpProxyError():
                again = error.status >= 500
                return NoAnswer("transport", f"the proxy said {error.status}", again=again)
            case aiohttp.ClientResponseError():
                says = " ".join(error.message.split())[:200]
                return NoAnswer("bad_answer", self._masks.text(f"not an HTTP reply: {says}"))
            case aiohttp.ClientPayloadError() | aiohttp.ServerDisconnectedError():
                return NoAnswer("transport", "the connection was cut", again=True)
            case aiohttp.ClientConnectorError():
                return NoAnswer("transport", self._masks.text(_says(error.os_error)), again=True)
        return NoAnswer("transport", self._masks.text(_says(error)), again=True)

    async def close(self) -> None:
        if self._session is not None and self._connector is not None:
            await self._connector.last_rest()
            await self._session.close()
            # Transports are closed in the next turn of the loop, and there may be no other.
            await asyncio.sleep(0)


class Http(Poster):
    """POST `{"q","seed","jitter","knobs"}` → `{"answer_json","retrieved_ids","stage_ms"?}`.

    `--body` and `--reply` put another body and another reply in place of these.
    """

    def __init__(self, url: str, opening: Opening) -> None:
        super().__init__(url, opening)
        self._fill, self._read = opening.endpoint.filler(), opening.endpoint.reader()
        self._allow_key = opening.endpoint.allow_key

    async def ask(self, ask: Ask) -> Answer:
        body: object = ask.body()
        if self._fill is not None:
            body = self._fill({name: getattr(ask, name) for name in NAMES})
        reply = await self.post(body, ask)
        try:
            return answer_of(self._read(reply), self._allow_key)
        except NotThere as error:
            raise NoAnswer("bad_answer", str(error)) from None


def open_http(address: str, opening: Opening) -> Http:
    return Http(address, opening)


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """The whole body, up to a limit; what is packed is refused, because it has no known size."""
    coding = response.headers.get("Content-Encoding", "identity")
    if coding.lower() != "identity":
        response.close()
        raise NoAnswer("bad_answer", f"a body packed with {coding[:20]!r}, which was not asked for")
    if response.content_length is not None and response.content_length <= _BODY_LIMIT:
        return await response.read()
    parts: list[bytes] = []
    total = response.content_length or 0
    while total <= _BODY_LIMIT and (part := await response.content.readany()):
        total += len(part)
        parts.append(part)
    if total > _BODY_LIMIT:
        response.close()
        raise NoAnswer("bad_answer", f"a body of more than {_BODY_LIMIT:,} bytes")
    return b"".join(parts)


def _must_be_one_body(response: aiohttp.ClientResponse) -> None:
    """RFC 9112, 6.3: a reply that gives two lengths may be two replies, and is refused."""
    names = [name.lower() for name, _ in response.raw_headers]
    lengths = names.count(b"content-length")
    if lengths > 1 or (lengths and b"transfer-encoding" in names):
        response.close()
        raise NoAnswer("bad_answer", "not an HTTP reply: it gives its length twice")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or re.search(r"[\s\x00-\x1f\\]", parts.netloc):
        raise ConfigError(f"{shown_address(url)!r} is not a URL such as http://localhost:8000/ask")
    return parts


def _request_url(parts: SplitResult) -> URL:
    """The URL as it is written, without the password, which goes into a header."""
    path = quote(parts.path or "/", safe=_SAFE)
    query = f"?{quote(parts.query, safe=_SAFE + '?')}" if parts.query else ""
    try:
        host = parts.netloc.rpartition("@")[2].encode("idna").decode()
        return URL(f"{parts.scheme}://{host}{path}{query}", encoded=True)
    except ValueError as error:
        raise ConfigError(f"{parts.hostname!r} is not a host name: {error}") from None


def _checked(parts: SplitResult, headers: Mapping[str, str]) -> dict[str, str]:
    """Every header that is sent; what the user gives replaces ours."""
    ours = {
        "User-Agent": f"ragstone/{__version__}",
        "Accept": "application/json",
        "Content-Type": "application/json",
    }
    given = {name.lower() for name in headers}
    sent = {name: value for name, value in ours.items() if name.lower() not in given}
    sent |= {**headers, "Accept-Encoding": "identity"}
    if parts.username is not None:
        if "authorization" in given:
            raise ConfigError("a password in the URL and an Authorization header: give one of them")
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        sent["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    for name, value in sent.items():
        if not re.fullmatch(r"[\t\x20-\x7e]*", value):
            raise ConfigError(f"the header {name} cannot be sent: it is not plain ASCII")
    return sent


def _proxy_for(parts: SplitResult) -> str | None:
    """The proxy that HTTP_PROXY and HTTPS_PROXY name, unless NO_PROXY names the host."""
    proxy = getproxies_environment().get(parts.scheme)
    if proxy is None or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    if not proxy.startswith("http://"):
        shown = shown_address(proxy)
        raise ConfigError(f"--proxy env: {shown!r} is not a proxy such as http://proxy:3128")
    return proxy


def _trusted(ca: Path | None) -> ssl.SSLContext:
    """TLS that checks certificates, against the authorities of `--ca` or those of the system."""
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as error:
        reason = "it has no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise ConfigError(f"--ca {ca}: {reason}") from None


def _retry_after(text: str) -> float | None:
    """How many seconds the server wants us to wait, from either form of Retry-After.

    >>> _retry_after("7"), _retry_after("soon")
    (7.0, None)
    """
    if re.fullmatch(r"[0-9]+", text.strip()):
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
        return max(0.0, moment.timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _says(error: Exception) -> str:
    """Words for an error of the connection, the same for every address of the host."""
    # asyncio joins the errors of several addresses into one text, and keeps no number.
    if isinstance(error, ConnectionRefusedError) or "Connect call failed" in str(error):
        return "the connection was refused"
    if isinstance(
        error, ConnectionResetError | BrokenPipeError | aiohttp.ClientConnectionResetError
    ):
        return "the connection was reset"
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
