"""Opens targets by address: `scheme:rest`, from the table here or from an entry point."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points

from ragstone.errors import ConfigError
from ragstone.targets.protocol import Target

GROUP = "ragstone.targets"


@dataclass(frozen=True, slots=True)
class Opening:
    """What a factory gets besides the address.

    `concurrency` is how many questions are asked at once, `evidence` the address of the target
    that a chat model answers from; `texts` tells that target to return the texts with the ids.
    """

    concurrency: int = 8
    evidence: str | None = None
    texts: bool = False


Factory = Callable[[str, Opening], Target]

# Scheme → factory, imported when it is used; it gets the whole address.
SCHEMES: Mapping[str, str] = {
    "py": "ragstone.targets.function:open_function",
    "http": "ragstone.targets.http:open_http",
    "https": "ragstone.targets.http:open_http",
    "cmd": "ragstone.targets.command:open_command",
    "openai": "ragstone.targets.chat:open_chat",
    "index": "ragstone.targets.embedded:open_embedded",
}


def open_target(address: str, opening: Opening | None = None) -> Target:
    """Opens `py:module:function`, `http://...`, `cmd:...`, `index:...` or `openai:...`.

    A package adds a scheme with an entry point in the group `ragstone.targets`: its name is the
    scheme, and it is called with the address and an Opening.
    """
    scheme, colon, rest = address.partition(":")
    if not colon or not rest:
        raise ConfigError(f"--target {shown_address(address)!r}: expected {_known()}")
    return _factory(scheme, address)(address, opening or Opening())


def shown_address(address: str) -> str:
    """The address without a password it may carry, for messages and journals.

    >>> shown_address("openai:https://me:secret@llm.example/v1#small")
    'openai:https://llm.example/v1#small'
    """
    return re.sub(r"(?<=//)[^/?#\s]*@", "", address)


def _factory(scheme: str, address: str) -> Factory:
    for entry in entry_points(group=GROUP, name=scheme):
        return _loaded(entry.value)
    if scheme not in SCHEMES:
        raise ConfigError(
            f"--target {address!r}: {scheme!r} is no known kind; there are {_known()}"
        )
    return _loaded(SCHEMES[scheme])


def _loaded(place: str) -> Factory:
    module, _, name = place.partition(":")
    try:
        factory: Factory = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"this kind of target needs {error.name}, which is not installed"
        ) from None
    return factory


def _known() -> str:
    return "py:module:function, http://host/path, cmd:PROGRAM, index:PATH or openai:URL#model"
