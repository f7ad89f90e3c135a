"""One question over all its runs: its numbers, and which of its runs went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.suites.stability.claims import (
    Distance,
    canonical,
    citation_stability,
    ned50,
    pairwise_agreement,
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run with its checks."""

    run_id: str
    seed: str
    jitter: str
    missing: bool
    refused: bool
    contained: bool
    cited: bool
    intact: bool
    claim: str
    citations: frozenset[str]


@dataclass(frozen=True, slots=True)
class Question:
    """One question's numbers; `scu_cons` is None where gold locks no constraint.

    `odd` are the runs whose claim, refusal or not, is not the question's most common one.
    """

    qid: str
    answerable: bool
    constrained: bool
    runs: tuple[Run, ...]
    acr: float
    cghc: float
    css: float
    ned50: float
    rcr: float
    refusal_share: float
    scu_cons: float | None
    iaa: float
    odd: frozenset[str]

    def value(self, name: str) -> float | None:
        found: float | None = getattr(self, name)
        return found

    def broken(self, run: Run) -> tuple[str, ...]:
        """The checks this run should have met and did not."""
        if run.missing:
            return ("missing",)
        if not self.answerable:
            return () if run.refused else ("refused",)
        wanted = {"contained": run.contained, "cited": run.cited}
        if self.constrained:
            wanted["intact"] = run.intact
        return tuple(name for name, met in wanted.items() if not met)


def question(
    qid: str, answerable: bool, constrained: bool, runs: Sequence[Run], distance: Distance
) -> Question:
    """The numbers of one question; without runs they stand at their best and count nowhere."""
    size = max(len(runs), 1)
    refused = sum(run.refused for run in runs)
    claims = [canonical(run.claim) for run in runs]
    answers = [
        claim
        for claim, run in zip(claims, runs, strict=True)
        if not run.refused and not run.missing
    ]
    usual = Counter(claims).most_common(1)
    return Question(
        qid=qid,
        answerable=answerable,
        constrained=constrained,
        runs=tuple(runs),
        acr=sum(run.contained for run in runs) / size,
        cghc=sum(run.cited for run in runs) / size,
        css=citation_stability([run.citations for run in runs]),
        ned50=ned50(answers, distance),
        rcr=max(refused, len(runs) - refused) / size,
        refusal_share=refused / size,
        scu_cons=float(all(run.intact for run in runs)) if constrained else None,
        iaa=pairwise_agreement(claims),
        odd=frozenset(
            run.run_id
            for claim, run in zip(claims, runs, strict=True)
            if usual and claim != usual[0][0]
        ),
    )
