"""A pair: what the live pipeline and the shadow said to one question, as two live records.

The names in the files are those of the live record (docs/serve.md), so a pair reads like two lines
of the log of a pipeline.
"""

from __future__ import annotations

from typing import Literal

import msgspec

ArmName = Literal["live", "shadow"]
ARMS: tuple[ArmName, ArmName] = ("live", "shadow")


class Hit(msgspec.Struct, frozen=True, omit_defaults=True):
    """A chunk that was retrieved or cited."""

    id: str
    text: str = ""


class Retrieval(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was retrieved, best first, from which build of the index."""

    topk: tuple[Hit, ...] = ()
    index_hash: str = ""
    delta_s_list: tuple[float, ...] = msgspec.field(default=(), name="ΔS_list")
    lambda_states: tuple[str, ...] = msgspec.field(default=(), name="λ_states")


class Said(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer. `coverage` is the pipeline's own word for how far it cites what it should.

    `delta_s_by` names the embedder of a ΔS that was computed here, and not by the pipeline.
    """

    claim: str | None = None
    citations: tuple[Hit, ...] = ()
    coverage: float | None = None
    refused: bool | None = None
    delta_s: float | None = msgspec.field(default=None, name="ΔS")
    delta_s_by: str = msgspec.field(default="", name="ΔS_by")
    lambda_final: str = msgspec.field(default="", name="λ_final")


class Perf(msgspec.Struct, frozen=True, omit_defaults=True):
    """How long it took, in milliseconds."""

    t_retrieve_ms: float | None = None
    t_reason_ms: float | None = None
    latency_ms: float | None = None


class ArmRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one of the two said to the question."""

    retrieval: Retrieval = Retrieval()
    answer: Said = Said()
    perf: Perf = Perf()


class Pair(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Both answers to one question. `ts` is when the live one was given, in milliseconds.

    `shadow` is None where the shadow gave no answer; `failure` then says why, beginning with one of
    the reasons of a target (`timeout: no answer within 30 s`).
    """

    id: str
    question: str
    live: ArmRecord
    shadow: ArmRecord | None = None
    failure: str = ""
    qid: str = ""
    trace_id: str = ""
    ts: int
