"""Two validators' labels: do they agree, beyond chance, and who is right where they do not?

`evaluate` reads pairs, two or more label files, or derives both labels from traces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources

from ragstone.contracts.record import FieldMap, Record, mapping_of
from ragstone.contracts.records.label_records import LABEL, LABELS, PAIRS
from ragstone.contracts.sources import Source
from ragstone.engine.content_hash import content_sum
from ragstone.engine.duck import Duck
from ragstone.engine.line_places import must_be_unique
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import ContractError, Diagnostic
from ragstone.gates.gate import Judged
from ragstone.gates.judge import judge
from ragstone.measure.measure import measure
from ragstone.measure.metric import Measured, Metric
from ragstone.suites.agreement.coefficients import kappa, kappa_interval
from ragstone.suites.agreement.judging import forgiven, gates_of
from ragstone.suites.agreement.metrics import ALPHA, KAPPA, METRICS
from ragstone.suites.agreement.units import measured_alpha, units_of
from ragstone.suites.deciding import Deciding

WHY = (
    "hard_flag",
    "citation_out_of_scope",
    "agreed_refusal",
    "auditor_veto",
    "auditor_ok",
    "incoherent_pair",
)


@dataclass(frozen=True, slots=True)
class Arbitrated:
    """One item: what each validator said, and what was made of it."""

    qid: str
    scholar: str
    auditor: str
    final: str
    why: str
    scholar_reason: str
    auditor_reason: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every number of the suite for two validators, before it is rendered."""

    deciding: Deciding
    metrics: tuple[Metric, ...]
    inputs: Mapping[str, str | int]
    matrix: tuple[tuple[int, ...], ...]
    rows: tuple[Arbitrated, ...]
    only: Mapping[str, tuple[str, ...]]
    measured: Mapping[str, Measured]
    gates: tuple[Judged, ...]

    @property
    def disagreements(self) -> tuple[Arbitrated, ...]:
        return tuple(row for row in self.rows if row.scholar != row.auditor)


def read_pairs(duck: Duck, sources: tuple[Source, ...], mapping: FieldMap) -> None:
    """The table `pairs` from merged lines, checked."""
    read(duck, PAIRS, sources, "pairs", "pairs.sql", mapping)


def read_two(
    duck: Duck, scholar: tuple[Source, ...], auditor: tuple[Source, ...], mapping: FieldMap
) -> dict[str, tuple[str, ...]]:
    """The table `pairs` from two files; returns the qids that only one of them labelled."""
    read_labels(duck, (scholar, auditor), mapping)
    duck.run(sql("joined.sql"))
    return {
        "scholar": _only(duck, "labels_0", "labels_1"),
        "auditor": _only(duck, "labels_1", "labels_0"),
    }


def derive(duck: Duck) -> None:
    """The table `pairs` from the answers suite's verdict rows."""
    duck.run(sql("derived.sql"))


def evaluate(
    duck: Duck, deciding: Deciding, only: Mapping[str, tuple[str, ...]] | None = None
) -> Evaluation:
    """Arbitrates and measures the table `pairs`."""
    gates = gates_of(METRICS, deciding)
    duck.run(sql("arbitrated.sql"))
    rows = _rows(duck)
    matrix = _matrix(rows)
    measured = _measured(duck, matrix, len(rows), deciding.level)
    judged = judge(
        measured,
        gates,
        questions=len(rows),
        strict=deciding.strict,
        confidence=deciding.confidence,
    )
    return Evaluation(
        deciding=deciding,
        metrics=METRICS,
        inputs={
            "pairs": len(rows),
            "hash": content_sum(
                duck, "pairs", "qid, scholar, auditor, citations, retrieved, flagged"
            ).finish(),
        },
        matrix=matrix,
        rows=rows,
        only=only or {"scholar": (), "auditor": ()},
        measured=measured,
        gates=forgiven(judged, measured, gates, KAPPA.name),
    )


def read(
    duck: Duck,
    record: Record,
    sources: tuple[Source, ...],
    table: str,
    select: str,
    mapping: FieldMap,
) -> None:
    names = mapping_of(record, mapping)
    load(duck, Loading(record, sources, table, sql(select), names))
    must_be_unique(duck, table, sources, names, "was already given")


def read_labels(duck: Duck, raters: tuple[tuple[Source, ...], ...], mapping: FieldMap) -> None:
    """The tables `labels_0`, `labels_1`, ...; every bad line of every file is named."""
    bad: list[Diagnostic] = []
    for number, sources in enumerate(raters):
        try:
            read(duck, LABEL, sources, f"labels_{number}", "label.sql", mapping)
        except ContractError as error:
            bad.extend(error.diagnostics)
    if bad:
        raise ContractError(bad)


def _measured(
    duck: Duck, matrix: tuple[tuple[int, ...], ...], pairs: int, level: float
) -> dict[str, Measured]:
    measured = measure(duck, METRICS, "arbitrated", level)
    if not pairs:
        # Nobody labelled anything: that is no agreement, and no disagreement either.
        measured = {name: replace(m, value=None, vacuous=False) for name, m in measured.items()}
    point = kappa(matrix) if pairs else None
    interval = None if point is None else kappa_interval(matrix, level)
    measured[KAPPA.name] = Measured(KAPPA, point, None, pairs, interval, False)
    labels = "select qid, scholar as label from pairs union all select qid, auditor from pairs"
    measured[ALPHA.name] = measured_alpha(ALPHA, units_of(duck, labels), level)
    return {metric.name: measured[metric.name] for metric in METRICS}


def _matrix(rows: tuple[Arbitrated, ...]) -> tuple[tuple[int, ...], ...]:
    at = {label: index for index, label in enumerate(LABELS)}
    counts = [[0] * len(LABELS) for _ in LABELS]
    for row in rows:
        counts[at[row.scholar]][at[row.auditor]] += 1
    return tuple(tuple(row) for row in counts)


def _rows(duck: Duck) -> tuple[Arbitrated, ...]:
    found = duck.query("""
        select qid, scholar, auditor, final, why, scholar_reason, auditor_reason
        from arbitrated order by qid
    """)
    return tuple(Arbitrated(*map(str, row)) for row in found)


def _only(duck: Duck, one: str, other: str) -> tuple[str, ...]:
    found = duck.query(
        f"select qid from {one} where qid not in (select qid from {other}) order by 1"
    )
    return tuple(str(qid) for (qid,) in found)


def sql(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
