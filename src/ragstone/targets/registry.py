"""Which target does this text name? `scheme:rest`, from the table here or from an entry point."""

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
    """What a factory may want to know besides the address: how many questions come at once, and
    where evidence is to be had for a target that answers from what it is given. `texts` asks a
    target that retrieves for the texts too: it is evidence for another."""

    concurrency: int = 8
    evidence: str | None = None
    texts: bool = False


Factory = Callable[[str, Opening], Target]

# scheme → the factory, which gets the whole address; imported when it is used.
SCHEMES: Mapping[str, str] = {
    "py": "ragstone.targets.function:open_function",
    "http": "ragstone.targets.http:open_http",
    "https": "ragstone.targets.http:open_http",
    "cmd": "ragstone.targets.command:open_command",
    "openai": "ragstone.targets.chat:open_chat",
    "index": "ragstone.targets.embedded:open_embedded",
}


def open_target(address: str, opening: Opening | None = None) -> Target:
    """The target behind `py:module:function`, `http://...`, `cmd:...`, `index:...`, `openai:...`.

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
