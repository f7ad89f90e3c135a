"""What a pipeline did for one question: a trace, a run of a stability test, a sample of a load."""

from __future__ import annotations

from ragstone.contracts.records import named

TRACE = named("trace")
RUN = named("run")
SAMPLE = named("sample")
