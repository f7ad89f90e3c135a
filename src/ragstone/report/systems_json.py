"""Several systems as plain data: what context and trec add to their JSON, and what they warn of."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.measure.metric import Measured
from ragstone.report.model import Json
from ragstone.suites.context.systems import Comparison, Differing, System


def comparisons_json(comparisons: Sequence[Comparison]) -> list[Json]:
    return [
        {
            "system": c.system,
            "metric": c.metric,
            "difference": c.difference,
            "interval": None if c.interval is None else list(c.interval),
            "p": c.p,
            "p_holm": c.p_holm,
            "wins": c.wins,
            "ties": c.ties,
            "losses": c.losses,
        }
        for c in comparisons
    ]


def differing_json(questions: Sequence[Differing]) -> list[Json]:
    return [
        {
            "system": q.system,
            "metric": q.metric,
            "qid": q.qid,
            "baseline": q.baseline,
            "value": q.value,
            "difference": q.difference,
        }
        for q in questions
    ]


def measured_json(found: Measured) -> dict[str, Json]:
    return {
        "value": found.value,
        "numerator": found.numerator,
        "denominator": found.denominator,
        "interval": None if found.interval is None else list(found.interval),
        "vacuous": found.vacuous,
    }


def warnings(systems: Sequence[System], where: str) -> list[str]:
    """What was left out or counted as nothing, system by system."""
    found = []
    for system in systems:
        of = f"{system.name}: " if len(systems) > 1 else ""
        if system.missing:
            none = f"with gold {_have(system.missing)} no result; each scores 0"
            found.append(f"{of}{_count(system.missing)} {none}")
        if system.unknown_qid:
            known = f"{_have(system.unknown_qid)} a qid that {where} does not know; not scored"
            found.append(f"{of}{_count(system.unknown_qid)} {known}")
        if system.repeated:
            found.append(
                f"{of}{system.repeated:,} repeated ids in rankings; each keeps its first place"
            )
    return found


def _count(size: int) -> str:
    return "1 question" if size == 1 else f"{size:,} questions"


def _have(size: int) -> str:
    return "has" if size == 1 else "have"
