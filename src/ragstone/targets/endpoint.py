"""How an existing endpoint is asked: its headers, its body, where its reply has what we need.

An `Endpoint` holds the words of the flags. The values of variables are read from the environment
when the target is opened, and are in no field of it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal

import msgspec

from ragstone.contracts.mapped_fields import Ids
from ragstone.contracts.record import shown
from ragstone.errors import ConfigError
from ragstone.targets.reply_fields import Read, reader
from ragstone.targets.request_body import Fill, read_body, template
from ragstone.targets.secret_words import names_a_secret

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARIABLE = re.compile(r"\$(?:(\$)|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\}|)")
# What these say follows from the body, or decides how the reply is read.
_OURS = ("content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "te")
_FLAGS = {"keep_alive": "--no-keep-alive"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The flags of the targets that speak HTTP, checked when it is made.

    `header` are lines such as `Authorization: Bearer $TOKEN`, `body` is a JSON template, and
    `reply` says at which path of the reply each field of a trace is, `ids` and `cite_base` how ids
    and positions in it are read, and `allow_key` which keys of it are not the fields that they
    nearly are. Times are in seconds.
    """

    header: tuple[str, ...] = ()
    body: str | None = None
    reply: Mapping[str, str] = field(default_factory=dict)
    proxy: Literal["env"] | None = None
    ca: Path | None = None
    connect_timeout: float = 10.0
    read_timeout: float | None = None
    keep_alive: bool = True
    ids: Ids = ""
    cite_base: int = 1
    allow_key: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [_name_and_value(line)[0].lower() for line in self.header]
        for name in names:
            if names.count(name) > 1:
                raise ConfigError(f"--header {name}: it is given twice")
        if self.proxy not in (None, "env"):
            raise ConfigError(f"--proxy {self.proxy!r}: expected env")
        self.filler()
        self.reader()

    @property
    def given(self) -> list[str]:
        """The flags that change something, but for those that a gold set is read by too."""
        usual = Endpoint(ids=self.ids, cite_base=self.cite_base, allow_key=self.allow_key)
        names = [f.name for f in fields(self) if getattr(self, f.name) != getattr(usual, f.name)]
        return [_FLAGS.get(name, f"--{name.replace('_', '-')}") for name in names]

    @property
    def identity(self) -> str:
        """A hash of all that decides what is asked and what is read; empty if nothing is given.

        It is of the words `$TOKEN`, not of the value: a run goes on with a new token.
        """
        if not (self.header or self.body or self.reply):
            return ""
        parts: list[object] = [sorted(self.header), self.body, sorted(self.reply.items())]
        if self.reply and (self.ids or self.cite_base != 1):
            parts += [self.ids, self.cite_base]
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:12]

    def filler(self) -> Fill | None:
        """Makes the body of a request from a question; None where it is our own."""
        return None if self.body is None else template(self.body)

    def reader(self) -> Read:
        """Gives a reply the form of our own contract."""
        return reader(self.reply, self.ids, self.cite_base)

    def headers(self) -> tuple[dict[str, str], list[str]]:
        """The headers with the variables' values, and the values that are secrets."""
        found: dict[str, str] = {}
        secrets: list[str] = []
        for line in self.header:
            name, value = _name_and_value(line)
            found[name] = _expanded(name, value, secrets)
            if names_a_secret(name):
                secrets.append(found[name])
        return found, secrets


def endpoint_of(
    header: Sequence[str] = (),
    body: str | None = None,
    reply: Mapping[str, str] | None = None,
    proxy: Literal["env"] | None = None,
    ca: str | Path | None = None,
    connect_timeout: float = 10.0,
    read_timeout: float | None = None,
    keep_alive: bool = True,
    ids: Ids = "",
    cite_base: int = 1,
    allow_key: tuple[str, ...] = (),
) -> Endpoint:
    """How a target over HTTP is asked; what is wrong is said now.

    header: lines such as "Authorization: Bearer $TOKEN", with variables from the environment
    body: the body of a request, a JSON template with {q}, {seed} and so on, or "@FILE"
    reply: where the reply has a field, as {"claim": "output.text", "citations": "sources[].id"}
    proxy: "env" for the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name
    ca: a file of certificates to trust in place of the system's
    connect_timeout, read_timeout: seconds for a connection, and of the server's longest silence
    keep_alive: whether a connection is used for more than one question
    ids, cite_base: how the ids in a reply are read, and where the positions in it begin
    allow_key: keys of a reply that are taken as they are, though they are nearly fields
    """
    made = Endpoint(
        tuple(header),
        None if body is None else read_body(body),
        dict(reply or {}),
        proxy,
        None if ca is None else Path(ca),
        connect_timeout,
        read_timeout,
        keep_alive,
        ids,
        cite_base,
        allow_key,
    )
    made.headers()
    if made.ca is not None and not made.ca.is_file():
        raise ConfigError(f"--ca {made.ca}: there is no such file")
    return made


def _name_and_value(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not _NAME.fullmatch(name.strip()):
        # The value may be a secret, so only the part before the colon is shown.
        told = shown(name) if colon else "a line without a colon"
        raise ConfigError(f"--header: expected 'Name: value', found {told}")
    if name.strip().lower() in _OURS:
        raise ConfigError(f"--header {name.strip()}: this header cannot be chosen")
    return name.strip(), value.strip()


def _expanded(name: str, value: str, secrets: list[str]) -> str:
    def put(found: re.Match[str]) -> str:
        if found[1]:
            return "$"
        variable = found[2] or found[3]
        if not variable:
            raise ConfigError(f"--header {name}: a $ without a name; write $$ for a dollar")
        put_in = os.environ.get(variable, "").strip()
        if not put_in:
            raise ConfigError(f"--header {name}: the environment has no {variable}")
        secrets.append(put_in)
        return put_in

    return _VARIABLE.sub(put, value)
