"""That a form was made by this server, for this browser: what a page of another site cannot know.

A browser gets a cookie of chance that no script reads, and every form a proof of it under a secret
of this process. A request that writes must bring both, and say that it comes from our own page.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping

from ragstone.serve.access import site_of

COOKIE = "ragstone-form"
_MARK = re.compile(r"[0-9a-f]{32}")


class FormTokens:
    """The proofs of one process; after a restart, old forms are told to be sent again."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)

    def mark_of(self, cookies: Mapping[str, str]) -> str:
        """What the browser is known by: its cookie, or a new one."""
        held = cookies.get(COOKIE, "")
        return held if _MARK.fullmatch(held) else secrets.token_hex(16)

    def token(self, mark: str, person: str) -> str:
        """The proof in a form, for a browser and the person that a proxy has signed in."""
        said = f"{mark}\n{person}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, said, hashlib.sha256).hexdigest()

    def holds(self, cookies: Mapping[str, str], person: str, token: str) -> bool:
        mark = cookies.get(COOKIE, "")
        wanted = self.token(mark, person)
        return bool(_MARK.fullmatch(mark)) and hmac.compare_digest(wanted.encode(), token.encode())


def from_our_page(headers: Mapping[str, str]) -> bool:
    """Whether a request that writes says that it comes from a page of this very server.

    >>> from_our_page({"host": "a:1", "origin": "http://a:1", "sec-fetch-site": "same-origin"})
    True
    >>> from_our_page({"host": "a:1"}), from_our_page({"host": "a:1", "origin": "http://b"})
    (False, False)
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site != "same-origin":
        return False
    if origin is None:
        return site == "same-origin"
    return bool(origin) and site_of(origin) == headers.get("host")
