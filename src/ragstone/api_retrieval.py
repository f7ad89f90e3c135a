"""The Python calls behind `ragstone retrieval` and `ragstone canary`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ragstone.contracts.record import mapping_of
from ragstone.contracts.records.retrieval_records import RETRIEVAL_GOLD, RETRIEVAL_LOG
from ragstone.contracts.sources import Input, Source, find
from ragstone.engine.duck import Duck
from ragstone.engine.line_places import Place, places
from ragstone.ledger.digest import digest
from ragstone.report import calibration as calibration_reports
from ragstone.report import retrieval as reports
from ragstone.report.model import Report
from ragstone.report.places import accused
from ragstone.report.retrieval_blocks import Evidence
from ragstone.suites.retrieval import canary as canaries
from ragstone.suites.retrieval import embed, evidence, reading, spans, suite
from ragstone.suites.retrieval.calibrate import Calibration, calibrate
from ragstone.suites.retrieval.canary import OVERLAPS
from ragstone.suites.retrieval.metrics import METRICS
from ragstone.suites.retrieval.options import DEFAULT_EMBEDDER, Options
from ragstone.suites.retrieval.read import Files, read
from ragstone.suites.retrieval.side import Side

if TYPE_CHECKING:
    from ragstone.suites.retrieval.options import Unit

SHOWN = 10


def retrieval(
    gold: Input,
    log: Input,
    *,
    manifest: Input | None = None,
    texts: Input | None = None,
    unit: Unit = "bytes",
    embedder: str = DEFAULT_EMBEDDER,
    delta_s_line: float | None = None,
    delta_s_line_for: str | None = None,
    index_only: bool = False,
    gates: Mapping[str, str | float] | None = None,
    by: Sequence[str] = (),
    strict: bool = False,
    confidence: float | None = None,
    map: Mapping[str, str] | None = None,
    threads: int | None = None,
    all: bool = False,
) -> Report:
    """Judges one index by its log.

    >>> gold = [{"qid": "q1", "paraphrases": ["null keys?"], "relevant": ["S.4.2.p.Bk011a"]}]
    >>> log = [{"qid": "q1", "query": "null keys?", "topk": [{"id": "S.4.2.p.Bk011a"}]}]
    >>> report = retrieval(gold, log, index_only=True)
    >>> report["R@5"].value, report.decision.value
    (1.0, 'UNMEASURABLE')
    """
    options = Options(
        unit=unit,
        embedder=embedder,
        delta_s_line=delta_s_line,
        delta_s_line_for=delta_s_line_for,
        index_only=index_only,
        gates=tuple((gates or {}).items()),
        by=(by,) if isinstance(by, str) else tuple(by),
        strict=strict,
        confidence=confidence,
        mapping=dict(map or {}),
    )
    with Duck(threads) as duck:
        files = files_of(duck, gold, {suite.LOG: log}, manifest, texts)
        return retrieval_in(duck, files, options, None if all else SHOWN)


def canary(
    gold: Input,
    live: Input,
    shadow: Input,
    *,
    manifest: Input | None = None,
    texts: Input | None = None,
    unit: Unit = "bytes",
    embedder: str = DEFAULT_EMBEDDER,
    delta_s_line: float | None = None,
    delta_s_line_for: str | None = None,
    index_only: bool = False,
    allow_mismatch: bool = False,
    gates: Mapping[str, str | float] | None = None,
    by: Sequence[str] = (),
    strict: bool = False,
    confidence: float | None = None,
    map: Mapping[str, str] | None = None,
    threads: int | None = None,
    all: bool = False,
) -> Report:
    """Decides whether the shadow index may replace the live one."""
    options = Options(
        unit=unit,
        embedder=embedder,
        delta_s_line=delta_s_line,
        delta_s_line_for=delta_s_line_for,
        index_only=index_only,
        allow_mismatch=allow_mismatch,
        gates=tuple((gates or {}).items()),
        by=(by,) if isinstance(by, str) else tuple(by),
        strict=strict,
        confidence=confidence,
        mapping=dict(map or {}),
    )
    with Duck(threads) as duck:
        logs = {canaries.LIVE: live, canaries.SHADOW: shadow}
        files = files_of(duck, gold, logs, manifest, texts)
        return canary_in(duck, files, options, None if all else SHOWN)


def files_of(
    duck: Duck,
    gold: Input,
    logs: Mapping[str, Input],
    manifest: Input | None = None,
    texts: Input | None = None,
) -> Files:
    """The sources behind what the user named."""
    scratch = duck.scratch
    none: tuple[Source, ...] = ()
    return Files(
        find(gold, "gold", scratch),
        {side: find(given, side, scratch) for side, given in logs.items()},
        none if manifest is None else find(manifest, "manifest", scratch),
        none if texts is None else find(texts, "texts", scratch),
    )


def retrieval_in(duck: Duck, files: Files, options: Options, limit: int | None) -> Report:
    """`retrieval` in a given engine; `limit` is how many rows each list of the report shows."""
    found = suite.evaluate(duck, files, options)
    proof = _evidence(duck, found.side, found.manifest, found, limit)
    made = {**reports.settings(options), "limit": limit, "embedded": found.side.delta_s.embedder}
    mark = digest("retrieval", reports.inputs(found), made, found.gates, METRICS)
    return reports.build_index(found, proof, mark)


def canary_in(duck: Duck, files: Files, options: Options, limit: int | None) -> Report:
    """`canary` in a given engine."""
    found = canaries.evaluate(duck, files, options)
    duck.set(scale=found.shadow.delta_s.scale)
    proof = _evidence(duck, found.shadow, found.manifest, found, limit)
    made = {**reports.settings(options), "limit": limit, "embedded": found.shadow.delta_s.embedder}
    mark = digest("canary", reports.inputs(found), made, found.gates, (*found.metrics, *OVERLAPS))
    return reports.build_canary(found, proof, mark, limit)


def places_of(
    duck: Duck, report: Report, files: Files, side: str, options: Options
) -> dict[str, tuple[Place | None, Place | None]]:
    """Where each offender stands: its gold line, and the first of its runs in the log."""
    qids = {row.qid for row in accused(report)}
    golds = places(duck, files.gold, mapping_of(RETRIEVAL_GOLD, options.mapping), qids)
    runs = places(duck, files.logs[side], mapping_of(RETRIEVAL_LOG, options.mapping), qids)
    return {
        qid: (golds[qid][0] if golds[qid] else None, runs[qid][0] if runs[qid] else None)
        for qid in sorted(qids)
    }


def _evidence(
    duck: Duck,
    side: Side,
    manifest: int,
    found: suite.Evaluation | canaries.Canary,
    limit: int | None,
) -> Evidence:
    rows, total = evidence.offenders(duck, side.name, found.gates, limit)
    return Evidence(
        findings=reading.read(duck, side, manifest, limit),
        offenders=rows,
        offenders_total=total,
        histogram=evidence.histogram(duck, side.name),
        tree=evidence.title_tree(duck, side.name, bool(side.answers)),
        broken=spans.broken_hashes(duck, side.name),
    )


def calibration_in(duck: Duck, files: Files, options: Options) -> tuple[Report, Calibration]:
    """The ΔS line of the chosen embedder on the gold set, as a report and as it is."""
    read(duck, files, options)
    embedder = embed.find(options.embedder, options.allow_download)
    found = calibrate(duck, embedder, logged=suite.LOG in files.logs, level=options.level)
    hashes: dict[str, object] = {
        "gold": suite.gold_hash(duck),
        "texts": suite.manifest_hash(duck),
    }
    mark = digest("calibrate", hashes, reports.settings(options), (), ())
    return calibration_reports.build(found, options, mark), found
