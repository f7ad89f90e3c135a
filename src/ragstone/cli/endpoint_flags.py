"""The flags of the targets that speak HTTP: `http:`, `https:` and `openai:`."""

from __future__ import annotations

import argparse
from typing import Any

from ragstone.cli.flags import flag, seconds, whole
from ragstone.suites.settings_tables import mapping_from_words

# The names of the flags, which are also those of the parameters of `plan`.
NAMES = (
    "header",
    "body",
    "reply",
    "proxy",
    "ca",
    "connect_timeout",
    "read_timeout",
    "keep_alive",
)


def add_endpoint(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("targets over HTTP")
    header = "as in 'Authorization: Bearer $TOKEN', $TOKEN from the environment; may be repeated"
    flag(group, "--header LINE", header, action="append", default=[])
    body = "the body of a request: a JSON template with {q}, {seed}, ..., or @FILE"
    flag(group, "--body JSON", body)
    reply = "where the reply holds a field, as in claim=output.text citations=sources[].id"
    flag(group, "--reply FIELD=PATH", reply, nargs="+", action="extend", default=[])
    base = "the first position in citations=cites[]@retrieved_ids, 0 or 1 (answers.cite_base)"
    flag(group, "--cite-base N", base, type=whole, choices=(0, 1))
    flag(
        group,
        "--proxy",
        "env: use the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name",
        choices=("env",),
    )
    flag(group, "--ca FILE", "certificates to trust in place of the system's")
    flag(
        group,
        "--connect-timeout SECONDS",
        "how long to wait for a connection",
        type=seconds,
        default=10.0,
    )
    flag(group, "--read-timeout SECONDS", "the longest silence of the server", type=seconds)
    group.add_argument(
        "--no-keep-alive",
        dest="keep_alive",
        action="store_false",
        help="open a new connection for each question",
    )


def endpoint_in(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the flags say, as the parameters of `plan` and of `endpoint_of`."""
    given = {name: getattr(arguments, name) for name in NAMES}
    return {**given, "reply": mapping_from_words(arguments.reply, "--reply")}
