"""Ids and values as the context suite compares them: documents of ids, values of fields as text."""

from __future__ import annotations

import json
import re

# `doc-<urn:uuid:27c6...>::chunk-0` and `<urn:uuid:27c6...>` are the same document.
ID_PATTERN = "<urn:uuid:[^>]+>"


class Documents:
    """Ids and their documents: `doc-<urn:uuid:a>::chunk-0` → `<urn:uuid:a>`."""

    def __init__(self, id_pattern: str = ID_PATTERN) -> None:
        self._pattern = re.compile(id_pattern)
        self._group = self._pattern.groups
        self._default = id_pattern == ID_PATTERN

    def of(self, written: str) -> str:
        # Ids of other schemes hardly ever hold the `<` that the default pattern must find.
        if self._default and "<" not in written:
            return written
        found = self._pattern.search(written)
        return (found[self._group] or written) if found else written


def values_of(found: object) -> list[str]:
    """A field's values, each once: a list has several, an absent field none."""
    listed = found if isinstance(found, list) else [] if found is None else [found]
    return list(dict.fromkeys(value_text(value) for value in listed))


def value_text(value: object) -> str:
    """A value as text: 1 in a JSON file and 1 in a cell of a table are one value."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
