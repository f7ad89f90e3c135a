"""Everything Ragstone raises on purpose, so that one `except` at the edge can render it.

RagstoneError
├── InputError        the command line or an input is wrong; nothing was scored (exit 2)
│   ├── ContractError    lines that break their contract, each with its diagnostic
│   └── ConfigError      ragstone.toml or a flag says something that cannot be
└── Unmeasurable      nothing failed, but a number could not be had (exit 3)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class RagstoneError(Exception):
    """The base of every error a user can cause; its text is one clear sentence."""

    exit_code = 2


class InputError(RagstoneError):
    """An input or the command line is wrong, and nothing was scored."""


class ConfigError(InputError):
    """`ragstone.toml`, a flag or an option says something that cannot be."""


class Unmeasurable(RagstoneError):
    """A number could not be had from what was given."""

    exit_code = 3


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One thing that is wrong with one line of one input.

    >>> print(Diagnostic("gold.jsonl", 3, "answerable", "expected true or false, found \\"yes\\""))
    gold.jsonl:3: answerable: expected true or false, found "yes"
    """

    file: str
    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.field}: {self.reason}"


class ContractError(InputError):
    """Lines that break their contract; `diagnostics` holds every one of them."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(str(self.diagnostics[0]))

    def render(self, limit: int | None = 20) -> str:
        """The first `limit` diagnostics in full, and how many more there are."""
        shown = self.diagnostics if limit is None else self.diagnostics[:limit]
        lines = [str(diagnostic) for diagnostic in shown]
        rest = len(self.diagnostics) - len(shown)
        if rest:
            lines.append(f"... and {rest:,} more (--all-errors lists them)")
        return "\n".join(lines)
