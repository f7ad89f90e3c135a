"""Ids and values as the context suite compares them: documents of ids, values of fields as text."""

from __future__ import annotations

import json

from ragstone.matching.user_patterns import compiled

# `doc-<urn:uuid:27c6...>::chunk-0` and `<urn:uuid:27c6...>` are the same document.
ID_PATTERN = "<urn:uuid:[^>]+>"


class Documents:
    """Ids and their documents: `doc-<urn:uuid:a>::chunk-0` → `<urn:uuid:a>`."""

    def __init__(self, id_pattern: str = ID_PATTERN) -> None:
        # The default is found without a pattern: loading RE2 takes longer than most runs do.
        self._pattern = None if id_pattern == ID_PATTERN else compiled(id_pattern)
        self._group = 0 if self._pattern is None else self._pattern.groups

    def of(self, written: str) -> str:
        if self._pattern is None:
            return _urn(written)
        found = self._pattern.search(written)
        return (found[self._group] or written) if found else written


def _urn(written: str) -> str:
    """What ID_PATTERN finds first, else all of it.

    >>> _urn("doc-<urn:uuid:a>::chunk-0"), _urn("<urn:uuid:><urn:uuid:b>"), _urn("p1#2")
    ('<urn:uuid:a>', '<urn:uuid:b>', 'p1#2')
    """
    mark = "<urn:uuid:"
    start = written.find(mark)
    while start >= 0:
        end = written.find(">", start)
        if end < 0:
            break
        if end > start + len(mark):
            return written[start : end + 1]
        start = written.find(mark, end)
    return written


def values_of(found: object) -> list[str]:
    """A field's values, each once: a list has several, an absent field none."""
    listed = found if isinstance(found, list) else [] if found is None else [found]
    return list(dict.fromkeys(value_text(value) for value in listed))


def value_text(value: object) -> str:
    """A value as text: 1 in a JSON file and 1 in a cell of a table are one value."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
