"""Keeps secrets out of what is written: a target may repeat the key that it was given."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from ragstone.targets.secret_words import MASK

# A shorter text is in many answers by chance, and masking it would change them.
SHORTEST = 6


@dataclass(frozen=True, slots=True)
class Masks:
    """The secrets of one target, in every spelling that is looked for, the longest first."""

    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, secrets: Iterable[str]) -> Masks:
        """Of "Bearer abcdef" the last word is a secret by itself; so is what an escape stands for.

        >>> Masks.of(["Bearer abcdef"]).text("you sent abcdef")
        'you sent ***'
        """
        found: set[str] = set()
        for secret in secrets:
            for text in (secret, secret.strip().rpartition(" ")[2], unquote(secret)):
                found |= {text, json.dumps(text)[1:-1]}
        long = (text for text in found if len(text) >= SHORTEST)
        return cls(tuple(sorted(long, key=lambda text: (-len(text), text))))

    def text(self, text: str) -> str:
        for secret in self.texts:
            text = text.replace(secret, MASK)
        return text

    def value(self, value: object) -> object:
        """The same JSON value, with every text and every key of an object masked."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.value(item) for key, item in value.items()}
        return value

    def may_be_in(self, data: bytes) -> bool:
        """False where the JSON text holds none of them; an escape may spell any character."""
        return bool(self.texts) and (
            b"\\" in data or any(text.encode() in data for text in self.texts)
        )
