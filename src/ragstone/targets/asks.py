"""The asks of a run: every question × paraphrase × seed × jitter × configuration, in order."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from ragstone.contracts.questions import Question
from ragstone.errors import ConfigError
from ragstone.targets.jitters import Jitter, none
from ragstone.targets.protocol import Ask


@dataclass(frozen=True, slots=True)
class Grid:
    """What is varied; a field that is empty here is not varied, and is left out of the traces."""

    paraphrases: bool = False
    seeds: tuple[int, ...] = ()
    jitters: Mapping[str, Jitter] | None = None
    knobs: tuple[Mapping[str, object], ...] = ()


def asks_of(questions: Sequence[Question], grid: Grid) -> Iterator[Ask]:
    """Yields the asks in the order of the finished file.

    >>> asks = asks_of([Question("A1", "Who?")], Grid(seeds=(0, 1)))
    >>> [(ask.qid, ask.q, ask.seed) for ask in asks]
    [('A1', 'Who?', 0), ('A1', 'Who?', 1)]
    """
    jitters: list[tuple[str | None, Jitter]] = [(None, none)]
    if grid.jitters:
        jitters = list(grid.jitters.items())
    for question in questions:
        for number, wording in _wordings(question, grid):
            for seed in grid.seeds or (None,):
                for name, jitter in jitters:
                    for knobs in grid.knobs or ({},):
                        q = jitter(wording)
                        yield Ask(question.qid, q, number, seed, name, knobs, question.constraints)


def _wordings(question: Question, grid: Grid) -> Iterator[tuple[int | None, str]]:
    if grid.paraphrases:
        yield from enumerate(question.wordings)
    else:
        yield None, question.wording


def key_of(ask: Ask) -> str:
    """A hash of everything that is asked; the journal finds an earlier reply by it."""
    parts = [ask.qid, ask.q, ask.paraphrase, ask.seed, ask.jitter, ask.knobs, ask.constraints]
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()[:32]


def parse_seeds(text: str) -> tuple[int, ...]:
    """Reads a list of seeds and ranges, in ascending order.

    >>> parse_seeds("0-4"), parse_seeds("7,1,3-4")
    ((0, 1, 2, 3, 4), (1, 3, 4, 7))
    """
    seeds: set[int] = set()
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", part)
        if found is None:
            raise ConfigError(f"--seeds {text!r}: expected numbers and ranges, such as 0-4 or 1,7")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first or last - first > 100_000:
            raise ConfigError(f"--seeds {text!r}: {part.strip()} is not a range that can be run")
        seeds.update(range(first, last + 1))
    return tuple(sorted(seeds))
