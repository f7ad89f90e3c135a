"""Stability runs: traces of the same question asked again, each with its seed and jitter."""

from __future__ import annotations

from ragstone.contracts.record import Field, Record
from ragstone.contracts.trace import TRACE

_OWN = (
    Field("run_id", "text", "which run this is; the last line of a run id is the one that counts"),
    Field("seed", "integer", "the seed it was asked under", or_else=("run_id",)),
    Field("paraphrase", "integer", "which wording of the question was asked"),
    Field("jitter", "text", "how the question was changed; none as it is", or_else=("run_id",)),
)
_NAMES = tuple(field.name for field in _OWN)

RUN = Record(
    "run",
    "What the pipeline did for one question under one seed and jitter.",
    (*(field for field in TRACE.fields if field.name not in _NAMES), *_OWN),
)
