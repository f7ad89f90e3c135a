"""The expressions of GitHub workflows, as far as this project's own files use them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

TOKEN = re.compile(r"\s*('(?:[^']|'')*'|==|!=|&&|\|\||[!(),]|[A-Za-z_][\w.-]*)")
PLACE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
STATUS = re.compile(r"\b(always|failure|cancelled|success)\(\)")

Function = Callable[..., Any]


def filled(text: str, contexts: Mapping[str, Any], functions: Mapping[str, Function]) -> str:
    """A text with each `${{ ... }}` in it replaced by its value."""
    return PLACE.sub(lambda match: as_text(value(match.group(1), contexts, functions)), text)


def value(text: str, contexts: Mapping[str, Any], functions: Mapping[str, Function]) -> Any:
    """What an expression comes to.

    >>> value("steps.a.outputs.b != '' && !(x == 'y')", {"steps": {"a": {}}, "x": "z"}, {})
    False
    """
    return _Reading(text, contexts, functions).whole()


def as_text(found: Any) -> str:
    return {None: "", True: "true", False: "false"}.get(found, str(found))


class _Reading:
    def __init__(
        self, text: str, contexts: Mapping[str, Any], functions: Mapping[str, Function]
    ) -> None:
        self.tokens = self._tokens(text)
        self.contexts, self.functions = contexts, functions

    def _tokens(self, text: str) -> list[str]:
        found, place = [], 0
        while text[place:].strip():
            match = TOKEN.match(text, place)
            if match is None:
                raise ValueError(f"this runner cannot read {text[place:]!r} in {text!r}")
            found.append(match.group(1))
            place = match.end()
        return found

    def _take(self, *wanted: str) -> str | None:
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else None

    def whole(self) -> Any:
        found = self._either()
        if self.tokens:
            raise ValueError(f"this runner cannot read {self.tokens}")
        return found

    def _either(self) -> Any:
        found = self._both()
        while self._take("||"):
            other = self._both()
            found = found or other
        return found

    def _both(self) -> Any:
        found = self._equal()
        while self._take("&&"):
            other = self._equal()
            found = found and other
        return found

    def _equal(self) -> Any:
        found = self._one()
        while sign := self._take("==", "!="):
            same = as_text(found).lower() == as_text(self._one()).lower()
            found = same if sign == "==" else not same
        return found

    def _one(self) -> Any:
        if self._take("!"):
            return not self._one()
        if self._take("("):
            found = self._either()
            assert self._take(")")
            return found
        token = self.tokens.pop(0)
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if self._take("("):
            given = []
            while not self._take(")"):
                given.append(self._either())
                self._take(",")
            return self.functions[token](*given)
        return self._looked_up(token)

    def _looked_up(self, name: str) -> Any:
        found: Any = self.contexts
        for part in name.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        return found
