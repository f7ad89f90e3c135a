"""The error for a text that is not JSON, and how deep JSON may nest."""

from __future__ import annotations

# Deeper than any record a person writes, shallower than what exhausts a parser's stack.
MAX_DEPTH = 200
TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"


class NotJson(ValueError):
    """The text is not one RFC 8259 value: the reason, and the offset of what is wrong if known.

    `field` is the place of a text that may not be read, though it is JSON.
    """

    def __init__(self, reason: str, at: int = 0, field: str = "json") -> None:
        super().__init__(reason)
        self.at, self.field = at, field
