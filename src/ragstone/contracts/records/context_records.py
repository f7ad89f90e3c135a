"""The context suite's inputs: what a system retrieved for a question, and what it should have."""

from __future__ import annotations

from ragstone.contracts.records import named

RESULTS = named("results")
REFERENCE = named("reference")
# The LiveRAG answer file has names of its own for the same things.
LIVE_ANSWER = named("live answers")
