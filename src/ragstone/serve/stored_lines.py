"""Records that were stored, as windows read them again after a restart.

They are read by the reader that took them: another may refuse what is acknowledged. Python's own
stops at whole numbers of 4,300 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ragstone.contracts.not_json import NotJson
from ragstone.contracts.strict_json import parse
from ragstone.serve.batch_reader import window_line
from ragstone.serve.frames import Stored
from ragstone.serve.otlp_spans import stored_span_line
from ragstone.worker import say


def value_of(line: str) -> dict[str, Any]:
    """The object of a line that was taken; NotJson where it is none."""
    value = parse(line.encode(), explain=False)
    if not isinstance(value, dict):
        raise NotJson("no object")
    return value


def line_of(record: Stored) -> str:
    """What windows read of a stored record; NotJson where it cannot be read."""
    if record.kind == "span":
        return stored_span_line(record, value_of(record.text))
    if record.kind == "live":
        return window_line(value_of(record.text), record.text)
    return record.text


def lines_of(
    records: Iterable[Stored], unread: Callable[[str], None] = say
) -> Iterator[tuple[Stored, str]]:
    """Records with their lines; `unread` is told of one that cannot be read, and is left out."""
    for record in records:
        try:
            line = line_of(record)
        except Exception as error:
            kind = type(error).__name__
            unread(f"the stored record {record.id} cannot be read ({kind}), and is left out")
        else:
            yield record, line
