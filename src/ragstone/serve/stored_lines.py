"""Records that were stored, as windows read them again after a restart."""

from __future__ import annotations

import json

from ragstone.serve.batch_reader import window_line
from ragstone.serve.frames import Stored
from ragstone.serve.otlp_spans import stored_span_line


def line_of(record: Stored) -> str:
    """What windows read of a stored record."""
    if record.kind == "span":
        return stored_span_line(record)
    return window_line(json.loads(record.text), record.text)
