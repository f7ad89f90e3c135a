"""The reports of the retrieval suite: one index, and the shadow index against the live one."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

from ragstone._version import __version__
from ragstone.gates.gate import Status
from ragstone.measure.metric import Measured
from ragstone.measure.paired import Difference
from ragstone.report import retrieval_pictures as pictures
from ragstone.report.model import (
    Block,
    Cell,
    Finding,
    Json,
    Offender,
    Offenders,
    Reading,
    Report,
    Table,
)
from ragstone.suites.retrieval.canary import Canary
from ragstone.suites.retrieval.evidence import Node
from ragstone.suites.retrieval.metrics import KS
from ragstone.suites.retrieval.options import Options
from ragstone.suites.retrieval.suite import Evaluation, Side

ELIGIBLE = {
    Status.PASS: "ELIGIBLE",
    Status.FAIL: "NOT ELIGIBLE",
    Status.UNMEASURABLE: "UNMEASURABLE",
}
_BY_COLUMNS = ("P@5", "R@1", "R@5", "R@10", "coverage", "citation_accuracy", "delta_s_median")


@dataclasses.dataclass(frozen=True, slots=True)
class Evidence:
    """The rows that prove the numbers, as many of them as the report shows."""

    findings: tuple[Finding, ...]
    offenders: tuple[Offender, ...]
    offenders_total: int
    histogram: tuple[int, ...]
    tree: tuple[Node, ...]
    broken: tuple[tuple[str, str, str], ...] = ()


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
        blocks=tuple(_index_blocks(found, evidence)),
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
        blocks=tuple(_canary_blocks(found, evidence, limit)),
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


def _index_blocks(found: Evaluation, evidence: Evidence) -> list[Block]:
    side = found.side
    blocks: list[Block] = []
    if evidence.findings:
        blocks.append(Reading("What this points to", evidence.findings))
    blocks += _pictures(side, evidence)
    blocks += _shared_tables(side)
    blocks += _offender_blocks(evidence)
    blocks.append(_inputs_table([side], found.gold, found.manifest))
    return blocks


def _canary_blocks(found: Canary, evidence: Evidence, limit: int | None) -> list[Block]:
    blocks: list[Block] = [pictures.versus(found), _delta_table(found), _drop_table(found)]
    if evidence.findings:
        blocks.append(Reading("What the shadow log points to", evidence.findings))
    blocks.append(_type_delta_table(found))
    blocks += _flip_tables(found, limit)
    rows = tuple((name, each.value, each.denominator) for name, each in found.overlaps.items())
    blocks.append(
        Table(
            "How alike the two rankings are",
            ("measure", "value", "questions"),
            rows,
            "Ids that both indexes know: after re-chunking they share none, and this says nothing.",
        )
    )
    blocks += _pictures(found.shadow, evidence)
    blocks += _shared_tables(found.shadow)
    blocks += _offender_blocks(evidence)
    blocks.append(_inputs_table([found.live, found.shadow], found.gold, found.manifest))
    return blocks


def _pictures(side: Side, evidence: Evidence) -> list[Block]:
    drawn: list[Block] = [pictures.recall(side)]
    if sum(evidence.histogram):
        drawn.append(pictures.delta_s(side, evidence.histogram))
    if evidence.tree:
        drawn.append(pictures.tree(evidence.tree, bool(side.answers)))
    return drawn


def _shared_tables(side: Side) -> list[Block]:
    blocks: list[Block] = [_by_table("type", side.by_type)]
    blocks += [_by_table(name, values) for name, values in side.slices.items()]
    over = "runs" if side.lambdas.logged else "questions"
    rows: list[tuple[Cell, ...]] = [(state, n) for state, n in side.lambdas.states.items()]
    rows.append(("fewer than 2 runs", side.lambdas.unmeasurable))
    source = "as logged" if side.lambdas.logged else "computed from the runs"
    blocks.append(Table("λ", ("state", over), tuple(rows), f"States {source}."))
    if side.lambdas.scattered:
        qids = tuple((qid,) for qid in side.lambdas.scattered)
        blocks.append(Table("Scattered (×)", ("qid",), qids))
    if side.bad_qids:
        qids = tuple((qid,) for qid in side.bad_qids)
        says = "Not covered by their answer, or with a ΔS above the line of risk."
        blocks.append(Table("Bad qids", ("qid",), qids, says))
    return blocks


def _by_table(name: str, values: Mapping[str, Mapping[str, Measured]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for value, row in values.items():
        cells: list[Cell] = [value, row["missing"].denominator]
        cells += [None if row[m].vacuous else row[m].value for m in _BY_COLUMNS]
        rows.append(tuple(cells))
    return Table(f"By {name}", (name, "questions", *_BY_COLUMNS), tuple(rows))


def _offender_blocks(evidence: Evidence) -> list[Block]:
    if not evidence.offenders:
        return []
    says = "Those that cost most failed gates come first, then by qid; one run of each is shown."
    return [Offenders("Offenders", evidence.offenders, evidence.offenders_total, says)]


def _delta_table(found: Canary) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, delta in found.deltas.items():
        rows.append((name, _value(found.live, name), _value(found.shadow, name), *_cells(delta)))
    return Table(
        "Live, shadow and the difference",
        ("metric", "live", "shadow", "delta", "from", "to"),
        tuple(rows),
        "Paired by question; from and to are the ends of the interval of the difference.",
    )


def _type_delta_table(found: Canary) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for kind, deltas in found.deltas_by_type.items():
        for name in ("P@5", "R@1", "R@5", "R@10", "coverage", "citation_accuracy"):
            if deltas[name] is not None:
                live = found.live.by_type[kind][name].value
                shadow = found.shadow.by_type[kind][name].value
                rows.append((kind, name, live, shadow, *_cells(deltas[name])))
    return Table(
        "The difference by type",
        ("type", "metric", "live", "shadow", "delta", "from", "to"),
        tuple(rows),
    )


def _cells(delta: Difference | None) -> tuple[Cell, Cell, Cell]:
    if delta is None:
        return None, None, None
    low, high = delta.interval or (None, None)
    return delta.value, low, high


def _value(side: Side, name: str) -> float | None:
    return side.measured[name].value


def _drop_table(found: Canary) -> Table:
    drop, delta = found.drop, found.deltas["R@5"]
    more: Cell = drop.needed if drop.proof == "undecided" else "–"
    if more is None:
        more = "cannot be said"
    value, low, high = _cells(delta)
    return Table(
        "Is the drop in R@5 within the margin?",
        ("delta", "from", "to", "margin", "at level", "answer", "more questions to settle it"),
        ((value, low, high, drop.margin, drop.level, drop.proof, more),),
        "The gate decides on the point; under --confidence this test decides.",
    )


def _flip_tables(found: Canary, limit: int | None) -> list[Block]:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (flip.name, len(flip.gained), len(flip.lost), flip.p) for flip in found.flips
    )
    blocks: list[Block] = [
        Table(
            "Questions that flipped",
            ("check", "gained", "lost", "p"),
            rows,
            "p: how likely so uneven a split is if either way were as likely (McNemar).",
        )
    ]
    for flip in found.flips:
        listed: list[tuple[Cell, ...]] = [("lost", qid) for qid in flip.lost[:limit]]
        listed += [("gained", qid) for qid in flip.gained[:limit]]
        if listed:
            says = "The first of each way." if limit is not None else ""
            title = f"Flipped on {flip.name}"
            blocks.append(Table(title, ("way", "qid"), tuple(listed), says))
    return blocks


def _inputs_table(sides: list[Side], gold: int, manifest: int) -> Table:
    rows: list[tuple[Cell, ...]] = [("gold items", gold), ("manifest chunks", manifest)]
    for side in sides:
        rows += [
            (f"{side.name}: lines", side.lines),
            (f"{side.name}: runs scored", side.runs),
            (f"{side.name}: runs with an answer", side.answers),
            (f"{side.name}: lines with a qid gold does not know", side.unknown_qid),
            (f"{side.name}: index_hash", ", ".join(side.index_hashes) or "not logged"),
        ]
    return Table("Inputs", ("what", "count"), tuple(rows))


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
