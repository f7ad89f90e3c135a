"""Latency samples: one request of a sweep, with its configuration, its load and its answer."""

from __future__ import annotations

from ragstone.contracts.record import Field, Record
from ragstone.contracts.trace import TRACE

_OWN = (
    Field("config", "text", "the configuration's name", required=True, filled=True),
    Field("knobs", "object", "the configuration's settings"),
    Field("rps", "number", "the load: requests a second", required=True, least=0.0),
    Field("qid", "text", "the gold question that was asked", required=True, filled=True),
    Field("planned", "number", "when it was due, in seconds from the start of the load", least=0.0),
    Field(
        "latency_ms",
        "number",
        "the time from the planned arrival to the validated answer",
        required=True,
        least=0.0,
    ),
    Field("cost_usd", "number", "what the answer cost", least=0.0),
    Field("error", "text", "why there is no answer"),
)
_NAMES = tuple(field.name for field in _OWN)

SAMPLE = Record(
    "sample",
    "One request of a load: what it was, how long it took, and what came back.",
    (*(field for field in TRACE.fields if field.name not in _NAMES), *_OWN),
)
