"""How a value of a user's file is shown in a message."""

from __future__ import annotations

import json


def shown(value: object, limit: int = 60) -> str:
    """A value as a diagnostic shows it: as JSON, on one line, not longer than a line.

    >>> shown({"a": [1, 2]})
    '{"a": [1, 2]}'
    """
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters)"
