"""The reports of the retrieval suite: one index, and the shadow index against the live one."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

from ragstone._version import __version__
from ragstone.gates.gate import Status
from ragstone.measure.metric import Measured
from ragstone.measure.paired import Difference
from ragstone.report.model import (
    Json,
    Report,
)
from ragstone.report.retrieval_blocks import Evidence, canary_blocks, index_blocks
from ragstone.suites.retrieval.canary import Canary
from ragstone.suites.retrieval.metrics import KS
from ragstone.suites.retrieval.options import Options
from ragstone.suites.retrieval.side import Side
from ragstone.suites.retrieval.suite import Evaluation

ELIGIBLE = {
    Status.PASS: "ELIGIBLE",
    Status.FAIL: "NOT ELIGIBLE",
    Status.UNMEASURABLE: "UNDECIDED",
}


def settings(options: Options) -> dict[str, Json]:
    """The effective configuration, as far as it can change a number."""
    return {
        "k": list(KS),
        "unit": options.unit,
        "embedder": options.embedder,
        "delta_s_line": options.delta_s_line,
        "delta_s_line_for": options.delta_s_line_for,
        "index_only": options.index_only,
        "allow_mismatch": options.allow_mismatch,
        "by": list(options.by),
        "strict": options.strict,
        "confidence": options.confidence,
        "map": dict(sorted(options.mapping.items())),
    }


def inputs(found: Evaluation | Canary) -> dict[str, Json]:
    """The counts and hashes of what came in."""
    sides = [found.side] if isinstance(found, Evaluation) else [found.live, found.shadow]
    made: dict[str, Json] = {
        "gold": {"items": found.gold, "hash": found.gold_hash},
        "manifest": {"chunks": found.manifest, "hash": found.manifest_hash},
    }
    for side in sides:
        made[side.name] = {
            "hash": side.log_hash,
            "lines": side.lines,
            "runs": side.runs,
            "unknown_qid": side.unknown_qid,
            "repeats": side.repeats,
            "answers": side.answers,
            "index_hash": list(side.index_hashes),
            "normalizer": list(side.normalizers),
            "reranker": list(side.rerankers),
        }
    return made


def build_index(found: Evaluation, evidence: Evidence, digest: str) -> Report:
    """The report of `ragstone retrieval`."""
    side = found.side
    return Report(
        suite="retrieval",
        version=__version__,
        figures={name: each.value for name, each in side.measured.items()},
        metrics=side.measured,
        gates=found.gates,
        digest=digest,
        settings=settings(found.options),
        data={"inputs": inputs(found), **_side_data(side, evidence)},
        blocks=tuple(index_blocks(found, evidence)),
        warnings=(*found.dropped, *_warnings(side), *_vacuous(found)),
    )


def build_canary(found: Canary, evidence: Evidence, digest: str, limit: int | None) -> Report:
    """The report of `ragstone canary`."""
    side = found.shadow
    data: dict[str, Json] = {
        "inputs": inputs(found),
        **_side_data(side, evidence),
        "verdict": "",
        "live": {name: each.value for name, each in found.live.measured.items()},
        "shadow": {name: each.value for name, each in side.measured.items()},
        "deltas": {name: _difference(each) for name, each in found.deltas.items()},
        "deltas_by_type": {
            kind: {name: _difference(each) for name, each in row.items()}
            for kind, row in found.deltas_by_type.items()
        },
        "non_inferiority": {
            "metric": "R@5",
            "margin": found.drop.margin,
            "level": found.drop.level,
            "proof": found.drop.proof,
            "needed": found.drop.needed,
        },
        "flips": {
            flip.name: {"gained": list(flip.gained), "lost": list(flip.lost), "p": flip.p}
            for flip in found.flips
        },
        "overlap": {name: each.value for name, each in found.overlaps.items()},
        "mismatches": list(found.mismatches),
    }
    report = Report(
        suite="canary",
        version=__version__,
        figures={name: each.value for name, each in found.measured.items()},
        metrics={**found.measured, **found.overlaps},
        gates=found.gates,
        digest=digest,
        settings=settings(found.options),
        data=data,
        blocks=tuple(canary_blocks(found, evidence, limit)),
        warnings=tuple(_canary_warnings(found)),
        verdicts=ELIGIBLE,
    )
    return dataclasses.replace(report, data={**data, "verdict": ELIGIBLE[report.decision]})


COMPACT = {
    "P@5": "P@5",
    "R@5": "R@5",
    "coverage": "coverage",
    "citation_accuracy": "citation_accuracy",
    "ΔS_med": "delta_s_median",
    "ΔS_p90": "delta_s_p90",
}


def compact_of(report: Report) -> str:
    """The few numbers of `--compact`, on one line."""
    by_type = report.data["by_type"]
    kinds = by_type if isinstance(by_type, dict) else {}
    made: dict[str, Json] = {short: report.figures[name] for short, name in COMPACT.items()}
    made["bad_qids"] = report.data["bad_qids"]
    made["by_type"] = {
        kind: {short: row[name]["value"] for short, name in COMPACT.items()}  # type: ignore[index, call-overload]
        for kind, row in kinds.items()
    }
    return json.dumps(made, ensure_ascii=False)


def _side_data(side: Side, evidence: Evidence) -> dict[str, Json]:
    values = side.measured
    bands = ("stable", "transitional", "risk")
    return {
        "delta_s": {
            "source": side.delta_s.source,
            "embedder": side.delta_s.embedder,
            "line": side.delta_s.line,
            "calibrated": side.delta_s.calibrated,
            "of": side.delta_s.basis,
            "unknown": side.delta_s.unknown,
            "histogram": list(evidence.histogram),
        },
        "delta_s_band": {band: values[f"delta_s_{band}"].value for band in bands},
        "lambda": {
            "source": "log" if side.lambdas.logged else "computed",
            "over": "runs" if side.lambdas.logged else "questions",
            "states": dict(side.lambdas.states),
            "unmeasurable": side.lambdas.unmeasurable,
            "scattered": list(side.lambdas.scattered),
        },
        "by_type": _measured_slices(side.by_type),
        "slices": {name: _measured_slices(values) for name, values in side.slices.items()},
        "bad_qids": list(side.bad_qids),
        "reading": [
            {"pattern": f.pattern, "reading": f.reading, "qids": list(f.qids)}
            for f in evidence.findings
        ],
        "offenders": [
            {
                "qid": row.qid,
                "costs": list(row.costs),
                "failed_checks": list(row.failed_checks),
                "question": row.question,
                "relevant": list(row.gold_citations),
                "cited": list(row.citations),
                "retrieved": list(row.retrieved_ids),
            }
            for row in evidence.offenders
        ],
        "offenders_total": evidence.offenders_total,
        "title_tree": [
            {"section": node.section, "questions": node.questions, "value": node.value}
            for node in evidence.tree
        ],
        "broken_hashes": [
            {"qid": qid, "id": chunk, "says": says} for qid, chunk, says in evidence.broken
        ],
    }


def _measured_slices(values: Mapping[str, Mapping[str, Measured]]) -> dict[str, Json]:
    return {
        value: {
            name: {
                "value": each.value,
                "numerator": each.numerator,
                "denominator": each.denominator,
                "interval": None if each.interval is None else list(each.interval),
            }
            for name, each in row.items()
        }
        for value, row in values.items()
    }


def _difference(found: Difference | None) -> Json:
    if found is None:
        return None
    interval: Json = None if found.interval is None else list(found.interval)
    return {"value": found.value, "interval": interval, "questions": found.questions}


def _warnings(side: Side) -> list[str]:
    at = "" if side.name == "log" else f"{side.name}: "
    found = []
    if side.delta_s.calibrated:
        found.append(
            f"{at}the calibrated ΔS line {side.delta_s.line:.4f} of {side.delta_s.embedder} is in "
            "force; all ΔS thresholds are scaled by it"
        )
    if len(side.index_hashes) > 1:
        found.append(f"{at}the log holds {len(side.index_hashes)} different index_hash")
    missing = side.measured["missing"]
    if missing.numerator:
        found.append(
            f"{at}{missing.numerator:,} of {missing.denominator:,} gold questions have no run; "
            "they count as nothing retrieved"
        )
    counted = (
        (side.unknown_qid, "log lines have a qid that gold does not know; not scored"),
        (side.repeats, "runs repeat a wording and seed; they are averaged like any other"),
        (side.unknown_sections, "cited ids have no known section"),
        (side.unknown_spans, "citations of relevant ids have no gold span to be checked against"),
        (side.delta_s.unknown if side.delta_s.source != "none" else 0, "runs have no known ΔS"),
        (side.other_anchor, "log lines name another anchor than gold does"),
    )
    found += [f"{at}{number:,} {says}" for number, says in counted if number]
    return found


def _vacuous(found: Evaluation | Canary) -> list[str]:
    return [
        f"{gate.name} is vacuous: its set is empty, so nothing was tested"
        for gate in found.gates
        if gate.vacuous
    ]


def _canary_warnings(found: Canary) -> list[str]:
    warnings = [*found.dropped, *found.mismatches]
    same = set(found.live.index_hashes) & set(found.shadow.index_hashes)
    if same:
        warnings.append(f"live and shadow have the same index_hash: {', '.join(sorted(same))}")
    if found.live.delta_s.source != found.shadow.delta_s.source:
        warnings.append(
            f"ΔS comes from different sources: live {found.live.delta_s.source}, "
            f"shadow {found.shadow.delta_s.source}; they are not on one scale"
        )
    return [*warnings, *_warnings(found.live), *_warnings(found.shadow), *_vacuous(found)]
