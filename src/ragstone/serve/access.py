"""Who may talk to the server: by default only programs of this machine.

A browser on this machine is a program of it, too, and shows pages of strangers. So a request to a
server without a token has to name it by an address of this machine, and one that comes from a page
of another site is refused.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from ragstone.errors import ConfigError
from ragstone.serve.senders import SECONDS, WrongTokens, sender_of

Message = MutableMapping[str, Any]
App = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]
# What says only whether the server is up.
OPEN = ("/livez", "/readyz")
# What a person sees who has not signed in yet, and what lets go of a cookie.
SIGN_IN = "/sign-in"
DOOR = (SIGN_IN, "/sign-out")
COOKIE = "ragstone"
# What lets the gold set be edited is another cookie, for those who ask for it when they sign in.
EDIT_COOKIE = "ragstone-edit"
EDITS = "/gold/"
TOO_MANY = "Too many wrong tokens: wait a minute."
_READS = ("GET", "HEAD")
_SHORTEST = 16


@dataclass(frozen=True, slots=True)
class Access:
    """What a request must bring: a token, a header that a proxy sets, or nothing on loopback."""

    token: str = ""
    proxy_header: str = ""

    def refusal(
        self, path: str, headers: Mapping[str, str], method: str = "GET"
    ) -> tuple[int, str] | None:
        """Why a request may not pass; None where it may."""
        host, origin = headers.get("host", ""), headers.get("origin")
        named, site = host_in(host), site_of(origin) if origin is not None else host
        if named is None:
            return 400, "expected a host, or a host and a port, in the header Host"
        if site is None:
            return 400, "expected the address of a site in the header Origin"
        if path in OPEN:
            return None
        if self.token:
            given = headers.get("authorization", "")
            wanted = f"Bearer {self.token}"
            bears = hmac.compare_digest(given.encode(), wanted.encode())
            if not bears and path not in DOOR and not self._signed_in(path, headers, method):
                return 401, "expected the header Authorization: Bearer TOKEN"
        elif self.proxy_header:
            if not headers.get(self.proxy_header.lower()):
                return 401, "expected a header that the proxy sets"
        elif not is_loopback(named):
            return 403, "expected an address of this machine in the header Host"
        if site != host:
            return 403, "requests from pages of other sites are refused"
        return None

    def _signed_in(self, path: str, headers: Mapping[str, str], method: str) -> bool:
        """Whether a browser brings a cookie that is still good.

        With the one pages are only read; the gold set is edited with the other, and nothing else.
        """
        if path.startswith(EDITS):
            return self.may_edit(headers)
        return method in _READS and self._is_good(headers, COOKIE)

    def may_edit(self, headers: Mapping[str, str]) -> bool:
        """Whether a browser brings the cookie of somebody who asked to edit."""
        return self._is_good(headers, EDIT_COOKIE)

    def _is_good(self, headers: Mapping[str, str], name: str) -> bool:
        held = cookies_in(headers.get("cookie", "")).get(name, "")
        until = held.partition(".")[0]
        if not (until.isascii() and until.isdigit() and len(until) <= 12):
            return False
        good = hmac.compare_digest(held.encode(), cookie_for(self.token, int(until), name).encode())
        return good and time.time() < int(until)


def cookie_for(token: str, until: int, name: str = COOKIE) -> str:
    """What a browser keeps instead of the token: until when, and a proof under the token."""
    what = "gold" if name == EDIT_COOKIE else "pages"
    said = f"ragstone {what} until {until}".encode()
    return f"{until}.{hmac.new(token.encode(), said, hashlib.sha256).hexdigest()}"


def cookies_in(header: str) -> dict[str, str]:
    pairs = (each.strip().partition("=") for each in header.split(";"))
    return {name: value for name, _, value in pairs}


def host_in(header: str) -> str | None:
    """The host of a header `Host`; None where it is none.

    >>> [host_in(header) for header in ("[::1]:80", "a.example", "", "[::1", "a:b", "x@127.0.0.1")]
    ['::1', 'a.example', '', None, None, None]
    """
    try:
        parts = urlsplit(f"//{header}")
        # Reading the port is what finds out whether it is one.
        well_formed = (parts.netloc, parts.username) == (header, None) and (parts.port or 0) >= 0
    except ValueError:
        return None
    return (parts.hostname or "") if well_formed else None


def site_of(origin: str) -> str | None:
    """The host and port of a header `Origin`; "" of one that names none, None of no address.

    >>> site_of("http://a:1"), site_of("null"), site_of("http://[")
    ('a:1', '', None)
    """
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether a name or address is of this machine alone.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def access_for(host: str, token: str, proxy_header: str) -> Access:
    """What requests to an address must bring; ConfigError where strangers would need nothing."""
    if token and len(token) < _SHORTEST:
        raise ConfigError(f"the token is too short: expected at least {_SHORTEST} characters")
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        raise ConfigError("the token: expected letters, digits and signs of ASCII, and no blank")
    if not is_loopback(host) and not token and not proxy_header:
        raise ConfigError(
            f"--host {host} can be reached from other machines: set RAGSTONE_TOKEN or give "
            "--token-file FILE, or --trust-proxy-header NAME behind a proxy that signs people in"
        )
    return Access(token, proxy_header)


class Guarded:
    """An application behind the check of access: nothing of it is run for those who may not."""

    def __init__(self, inside: App, access: Access, wrong: WrongTokens) -> None:
        self._inside, self._access, self._wrong = inside, access, wrong

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        if scope["type"] == "http":
            pairs = ((name.decode("latin-1"), value) for name, value in scope["headers"])
            headers = {name.lower(): value.decode("latin-1") for name, value in pairs}
            refused = self._access.refusal(scope["path"], headers, scope["method"])
            if refused is not None:
                brought = self._access.token and "authorization" in headers
                if brought and refused[0] == 401 and self._wrong.add(sender_of(scope["client"])):
                    refused = 429, TOO_MANY
                await _refused(scope, headers, *refused)(scope, receive, send)
                return
        await self._inside(scope, receive, send)


def _refused(scope: Message, headers: Mapping[str, str], status: int, reason: str) -> Any:
    """The reason, for programs; a person with a browser is led to the form instead."""
    from starlette.responses import JSONResponse, RedirectResponse

    reads = scope["method"] in _READS and "text/html" in headers.get("accept", "")
    if status == 401 and reads and "Bearer" in reason:
        query = scope.get("query_string", b"").decode("latin-1")
        asked = scope["path"] + (f"?{query}" if query else "")
        edit = "edit=yes&" if scope["path"].startswith(EDITS) else ""
        return RedirectResponse(f"{SIGN_IN}?{edit}next={quote(asked, safe='/')}", 303)
    wait = {"Retry-After": str(SECONDS)} if status == 429 else None
    return JSONResponse({"error": reason}, status_code=status, headers=wait)
