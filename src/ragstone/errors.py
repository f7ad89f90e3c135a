"""Everything Ragstone raises on purpose, so that one `except` at the edge can render it.

RagstoneError
├── InputError        the command line or an input is wrong; nothing was scored (exit 2)
│   ├── ContractError    lines that break their contract, each with its diagnostic
│   ├── ConfigError      ragstone.toml or a flag says something that cannot be
│   └── NoMemory         there is less memory than the input needs
└── Unmeasurable      nothing failed, but a number could not be had (exit 3)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

# So many problems are described; to explain a million of them takes minutes.
DESCRIBED = 1_000


class RagstoneError(Exception):
    """The base of every error a user can cause; its text is one clear sentence."""

    exit_code = 2


class InputError(RagstoneError):
    """An input or the command line is wrong, and nothing was scored."""

    # Whether the user has seen it already, because it was shown when it was found.
    shown = False


class ConfigError(InputError):
    """`ragstone.toml`, a flag or an option says something that cannot be."""


class NoMemory(InputError):
    """There is less memory than the input needs."""

    def __init__(self) -> None:
        super().__init__(
            "there is not enough memory; give fewer --threads, end other programs, or raise the "
            "limit of this process (ulimit -v) or container"
        )


class Unmeasurable(RagstoneError):
    """A number could not be had from what was given."""

    exit_code = 3


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One thing that is wrong with one line of one input; line 0 is the input as a whole.

    >>> print(Diagnostic("gold.jsonl", 3, "answerable", "expected true or false, found \\"yes\\""))
    gold.jsonl:3: answerable: expected true or false, found "yes"
    """

    file: str
    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.field}: {self.reason}" if self.line else self.reason


class ContractError(InputError):
    """Lines that break their contract: the first 1,000 are `diagnostics`, `count` is of all."""

    def __init__(self, diagnostics: Sequence[Diagnostic], count: int | None = None) -> None:
        self.diagnostics = tuple(diagnostics)
        self.count = len(self.diagnostics) if count is None else count
        super().__init__(str(self.diagnostics[0]))

    def render(self, limit: int | None = 20) -> str:
        """The first `limit` diagnostics in full, and how many more there are."""
        shown = self.diagnostics if limit is None else self.diagnostics[:limit]
        lines = [str(diagnostic) for diagnostic in shown]
        rest = self.count - len(shown)
        if rest:
            lines.append(f"... and {rest:,} more (--all-errors lists them)")
        return "\n".join(lines)


class Display(Protocol):
    """Shows problems when they are found, and not only when all inputs have been read."""

    @property
    def every(self) -> bool:
        """Whether all of them are to be described."""

    def show(self, diagnostic: Diagnostic) -> None: ...


DISPLAY: ContextVar[Display | None] = ContextVar("display", default=None)
# Takes what a user should know of the inputs and that is no fault; None where nobody listens.
NOTES: ContextVar[Callable[[str], None] | None] = ContextVar("notes", default=None)


def say_note(text: str) -> None:
    listener = NOTES.get()
    if listener is not None:
        listener(text)


class Diagnostics:
    """Gathers everything that is wrong with the inputs, and makes one error of it."""

    def __init__(self) -> None:
        # In the order they are found, each once: two suites may read the same gold set.
        self._first: dict[Diagnostic, None] = {}
        self._count = 0
        self._whole: InputError | None = None
        self._display = DISPLAY.get()

    def __bool__(self) -> bool:
        return self._count > 0

    @property
    def counting(self) -> bool:
        """Whether enough are described, and the others need only be counted."""
        every = self._display is not None and self._display.every
        return len(self._first) >= DESCRIBED and not every

    def add(self, diagnostic: Diagnostic) -> None:
        if self.counting:
            self._count += 1
        elif self._keep(diagnostic) and self._display is not None:
            self._display.show(diagnostic)

    def _keep(self, diagnostic: Diagnostic) -> bool:
        """Whether it is new."""
        if diagnostic in self._first:
            return False
        self._count += 1
        if len(self._first) < DESCRIBED:
            self._first[diagnostic] = None
        return True

    def take(self, error: InputError) -> None:
        """Adds what another error says: its diagnostics, or its one sentence about an input."""
        listed: tuple[Diagnostic, ...] = (Diagnostic("", 0, "", str(error)),)
        more = 0
        if isinstance(error, ContractError):
            listed = error.diagnostics
            more = error.count - len(listed)
        elif not self._count:
            self._whole = error
        keep = self._keep if error.shown else self.add
        before = self._count
        for diagnostic in listed:
            keep(diagnostic)
        if self._count > before:
            self._count += more

    def error(self) -> InputError | None:
        """One error that lists everything; None if nothing is wrong."""
        if not self._count:
            return None
        alone = self._whole if self._count == 1 else None
        error = alone or ContractError(tuple(self._first), self._count)
        error.shown = True
        return error

    def must_be_none(self) -> None:
        error = self.error()
        if error is not None:
            raise error
