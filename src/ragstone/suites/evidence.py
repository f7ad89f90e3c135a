"""What proves a number: the rows behind it, in forms every suite shares."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a funnel: how many are left, how many were lost here, and the first of them."""

    name: str
    left: int
    lost: int
    qids: tuple[str, ...]
    says: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A reading of the numbers: the pattern seen, what it means, and the rows that prove it."""

    pattern: str
    reading: str
    qids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offender:
    """A row that cost a metric something, with what a person needs to see why."""

    qid: str
    costs: tuple[str, ...]
    failed_checks: tuple[str, ...]
    question: str | None = None
    claim: str | None = None
    gold_claim_substr: tuple[str, ...] = ()
    gold_citations: tuple[str, ...] = ()
    citations: tuple[str, ...] = ()
    retrieved_ids: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    constraints_echo: tuple[str, ...] = ()
    answerable: bool | None = None

    @property
    def has_answer(self) -> bool:
        """Whether there was an answer to judge at all; a ranking has none."""
        return self.claim is not None or self.answerable is not None
