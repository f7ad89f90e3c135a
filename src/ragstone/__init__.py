"""Ragstone: the ship gate for RAG.

    import ragstone

    report = ragstone.score("gold.jsonl", "trace.jsonl")
    report.passed, report["precision"].value

Nothing heavy is imported until something is scored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone._version import __version__
from ragstone.errors import (
    ConfigError,
    ContractError,
    Diagnostic,
    InputError,
    RagstoneError,
    Unmeasurable,
)

if TYPE_CHECKING:
    from ragstone.api import (
        agreement,
        answers,
        audit,
        canary,
        compare,
        context,
        gate,
        latency,
        people,
        retrieval,
        run,
        score,
        stability,
        trec,
    )
    from ragstone.report.model import Report
    from ragstone.suites.context.evaluator import ContextRecall
    from ragstone.suites.ranking.in_memory import ranking

__all__ = [
    "ConfigError",
    "ContextRecall",
    "ContractError",
    "Diagnostic",
    "InputError",
    "RagstoneError",
    "Report",
    "Unmeasurable",
    "__version__",
    "agreement",
    "answers",
    "audit",
    "canary",
    "compare",
    "context",
    "gate",
    "latency",
    "people",
    "ranking",
    "retrieval",
    "run",
    "score",
    "stability",
    "trec",
]

_ELSEWHERE = {
    "Report": "ragstone.report.model",
    "ContextRecall": "ragstone.suites.context.evaluator",
    "ranking": "ragstone.suites.ranking.in_memory",
}


def __getattr__(name: str) -> object:
    if name in __all__:
        from importlib import import_module

        return getattr(import_module(_ELSEWHERE.get(name, "ragstone.api")), name)
    raise AttributeError(f"module 'ragstone' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
