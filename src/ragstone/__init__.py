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
    from ragstone.api import score
    from ragstone.report.model import Report

__all__ = [
    "ConfigError",
    "ContractError",
    "Diagnostic",
    "InputError",
    "RagstoneError",
    "Report",
    "Unmeasurable",
    "__version__",
    "score",
]

_LAZY = {"score": "ragstone.api", "Report": "ragstone.report.model"}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'ragstone' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
