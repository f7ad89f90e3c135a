"""`--body`: a JSON template that becomes the body of a request, with `{q}`, `{seed}` and so on.

A text that is one placeholder becomes its value (`"{seed}"` → `2`); in a longer text a string is
put in as it is and any other value as JSON. `{{` and `}}` are braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path

import msgspec

from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import ConfigError

# The fields of an Ask.
NAMES = ("q", "qid", "seed", "jitter", "paraphrase", "knobs", "constraints")
Fill = Callable[[Mapping[str, object]], object]

_KNOWN = ", ".join(f"{{{name}}}" for name in NAMES)
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")


def read_body(given: str) -> str:
    """The template's text; `@FILE` is read from a file."""
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise ConfigError(f"--body {given}: {reason}") from None


def template(text: str) -> Fill:
    """A function that fills in the values of one question; ConfigError says what is wrong.

    >>> template('{"ask": "{q}", "k": "{knobs.k}"}')({"q": "Who?", "knobs": {"k": 5}})
    {'ask': 'Who?', 'k': 5}
    """
    try:
        value = parse(text.strip().encode("utf-8", "surrogatepass"))
    except NotJson as error:
        raise ConfigError(f"--body is not JSON: {error}") from None
    return _filled(value)


def _filled(value: object) -> Fill:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        items = [_filled(item) for item in value]
        return lambda values: [fill(values) for fill in items]
    if isinstance(value, dict):
        members = {key: _filled(item) for key, item in value.items()}
        return lambda values: {key: fill(values) for key, fill in members.items()}
    return lambda values: value


def _text(text: str) -> Fill:
    pieces = list(_pieces(text))
    if len(pieces) == 1 and not isinstance(pieces[0], str):
        return pieces[0]
    return lambda values: "".join(
        piece if isinstance(piece, str) else _as_text(piece(values)) for piece in pieces
    )


def _pieces(text: str) -> Iterator[str | Fill]:
    for found in _PIECE.finditer(text):
        piece, name = found[0], found[1]
        if piece in ("{{", "}}"):
            yield piece[0]
        elif name is not None:
            yield _value(name)
        elif piece in "{}":
            raise ConfigError(
                f"--body: a single {piece} in {text[:60]!r}; write {piece * 2} for a brace, or one "
                f"of {_KNOWN}"
            )
        else:
            yield piece


def _value(name: str) -> Fill:
    if name in NAMES:
        return itemgetter(name)
    group, _, knob = name.partition(".")
    if group == "knobs" and knob:
        return lambda values: _knob(values["knobs"], knob)
    raise ConfigError(f"--body: there is no {{{name}}}; known: {_KNOWN} and {{knobs.NAME}}")


def _knob(knobs: object, name: str) -> object:
    return knobs.get(name) if isinstance(knobs, Mapping) else None


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
