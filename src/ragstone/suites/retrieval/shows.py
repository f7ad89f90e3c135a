"""What the retrieval suite shows beyond what every suite does: types, λ, ΔS, the title tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from ragstone.engine.duck import Duck, quoted, whole
from ragstone.report.document.blocks import Block, Cell, Json, Table
from ragstone.report.document.figures import numbers_json
from ragstone.suites.arm_numbers import numbers_by
from ragstone.suites.declaration import Numbers, Outcome, Work
from ragstone.suites.offenders import behind
from ragstone.suites.retrieval import pictures
from ragstone.suites.retrieval.log_facts import Log
from ragstone.suites.retrieval.metrics import METRICS, RISK
from ragstone.suites.retrieval.options import R
from ragstone.suites.retrieval.title_tree import title_tree
from ragstone.suites.standard_blocks import (
    WORST,
    findings_block,
    offenders_block,
    qids_table,
    slice_table,
)

BY_COLUMNS = ("P@5", "R@1", "R@5", "R@10", "coverage", "citation_accuracy", "delta_s_median")
BINS = 20
# What is warned of where the count of it is not 0.
_COUNTED = {
    "unknown_qid": "log lines have a qid that gold does not know; not scored",
    "repeats": "runs repeat a wording and seed; they are averaged like any other",
    "placeless": "questions retrieved only ids that name no section; they are not in anchor_hit",
    "unknown_sections": "cited ids have no known section",
    "unknown_spans": "citations of relevant ids have no gold span to be checked against",
    "unknown_delta_s": "runs have no known ΔS",
    "other_anchor": "log lines name another anchor than gold does",
}


def facts(work: Work[R], outcome: Outcome[R]) -> Mapping[str, Any]:
    """The evidence of the arm that is shown, and the numbers of every arm by type.

    Lists of qids are as long as every list, totals count all.
    """
    duck, arm, limit = work.duck, work.shown, work.options.limit
    answers = work.notes[arm].counts["answers"]
    # Not covered by its answer, or with a ΔS above the line of risk.
    bad = f"delta_s > {RISK} * scale + 1e-9" + (" or coverage < 0.5" if answers else "")
    lists, totals = behind(duck, arm, [bad, "scattered"], limit)
    return {
        "logs": {each.name: work.notes[each.name] for each in work.arms},
        "by_type": {each.name: _by_type(work, each.name) for each in work.arms},
        "histogram": _histogram(duck, arm),
        "tree": title_tree(duck, arm, answers),
        **dict(zip(("bad", "scattered"), lists, strict=True)),
        **dict(zip(("bad_total", "scattered_total"), totals, strict=True)),
    }


def _by_type(work: Work[R], arm: str) -> Mapping[str, Numbers]:
    """The numbers of each type; where types come from logs alone, of unknown ones first."""
    found = numbers_by(work, METRICS, arm, "type")
    if work.notes[arm].counts["types_from_log"] and "unknown" in found:
        return {"unknown": found["unknown"], **found}
    return found


def says_of_types(logs: Mapping[str, Log]) -> str:
    """What a table by type says of where types come from; "" where gold or a manifest has them."""
    found = max(log.counts["types_from_log"] for log in logs.values())
    return _TYPES_FOUND.format(_questions(found)) if found else ""


_TYPES_FOUND = (
    "The types of {} come from what was found: questions whose evidence was never found are under "
    "unknown, so the recall of the other types may be too high. Give gold a type, or --manifest."
)


def _questions(count: int) -> str:
    return "1 question" if count == 1 else f"{count:,} questions"


def _histogram(duck: Duck, arm: str) -> tuple[int, ...]:
    """How many questions have a ΔS in each twentieth of 0..1."""
    found = duck.query(f"""
        select least(floor(delta_s * {BINS} + 1e-9)::int, {BINS - 1}) as bin, {duck.tally()}
        from rows where arm = {quoted(arm)} and delta_s is not null group by bin
    """)
    counts = {whole(place): whole(number) for place, number in found}
    return tuple(counts.get(place, 0) for place in range(BINS))


def came_in(work: Work[R]) -> dict[str, Json]:
    """The counts and hashes of what came in; the embedder too, where it made the ΔS."""
    hashes = {table: found.finish() for table, found in work.sums.items()}
    made: dict[str, Json] = {
        "gold": {"items": work.lines["gold"], "hash": hashes["gold"]},
        "manifest": {"chunks": work.lines.get("manifest", 0), "hash": hashes.get("manifest")},
    }
    if "texts" in hashes:
        made["texts"] = {"chunks": work.lines["texts"], "hash": hashes["texts"]}
    for arm in work.arms:
        log: Log = work.notes[arm.name]
        made[arm.name or "log"] = {
            "hash": hashes[arm.table],
            "lines": work.lines[arm.table],
            **{name: log.counts[name] for name in ("runs", "unknown_qid", "repeats", "answers")},
            **{name: list(values) for name, values in log.values.items()},
            "embedder": log.delta_s.embedder,
        }
    return made


def data(outcome: Outcome[R]) -> dict[str, Json]:
    facts, shown = outcome.facts, outcome.shown
    log: Log = facts["logs"][shown]
    bands = ("stable", "transitional", "risk")
    return {
        "delta_s": {**asdict(log.delta_s), "histogram": list(facts["histogram"])},
        "delta_s_by_rank": [asdict(each) for each in log.by_rank],
        "delta_s_band": {band: outcome.first[f"delta_s_{band}"].value for band in bands},
        "lambda": {
            **asdict(log.lambdas),
            "scattered": list(facts["scattered"]),
            "scattered_total": facts["scattered_total"],
        },
        "by_type": _by_value(facts["by_type"][shown]),
        "types_from_log": log.counts["types_from_log"],
        "slices": {name: _by_value(arms[shown]) for name, arms in outcome.slices.items()},
        "bad_qids": list(facts["bad"]),
        "bad_qids_total": facts["bad_total"],
        "offenders": [
            {
                "qid": row.qid,
                "costs": list(row.costs),
                "failed_checks": list(row.failed_checks),
                "problems": list(row.problems),
                "question": row.question,
                "relevant": list(row.gold_citations),
                "cited": list(row.citations),
                "retrieved": list(row.retrieved_ids),
            }
            for row in outcome.offenders.rows
        ],
        "title_tree": [asdict(node) for node in facts["tree"]],
        "broken_hashes": [each._asdict() for each in log.broken],
        "broken_hashes_total": log.broken_total,
    }


def _by_value(values: Mapping[str, Mapping[str, Any]]) -> dict[str, Json]:
    return {value: numbers_json(numbers) for value, numbers in values.items()}


def blocks(outcome: Outcome[R]) -> list[Block]:
    return [*findings_block(outcome), *log_blocks(outcome)]


def log_blocks(outcome: Outcome[R]) -> list[Block]:
    """The pictures and tables of the log that is shown."""
    facts, shown = outcome.facts, outcome.shown
    log: Log = facts["logs"][shown]
    by_type = facts["by_type"][shown]
    found_types = says_of_types(facts["logs"])
    # Types that come from what was found would draw their lines too high.
    made: list[Block] = [pictures.recall(outcome.first, {} if found_types else by_type)]
    if sum(facts["histogram"]):
        made.append(pictures.delta_s(log.delta_s, outcome.first, facts["histogram"]))
    if log.by_rank:
        made += [pictures.delta_s_by_rank(facts["logs"], shown), _by_rank(log)]
    if facts["tree"]:
        made.append(pictures.tree(facts["tree"], bool(log.counts["answers"])))
    types = slice_table(outcome, "type", by_type)
    made.append(replace(types, says=f"{found_types} {types.says}".strip()))
    made += [slice_table(outcome, name, arms[shown]) for name, arms in outcome.slices.items()]
    made.append(_states(log))
    made += qids_table(
        "Questions whose reruns scatter (×)", facts["scattered"], facts["scattered_total"]
    )
    says = "Their answer cites nothing relevant, or its snippet is too far from the question."
    made += qids_table("Questions to look at", facts["bad"], facts["bad_total"], says)
    worst = f"{WORST[:-1]}; one run of each is shown."
    made += offenders_block(outcome, says=worst)
    made.append(_inputs(outcome))
    return made


def _by_rank(log: Log) -> Table:
    rows = tuple((each.rank, each.median, each.p90, each.items) for each in log.by_rank)
    return Table("Distance by rank (ΔS)", ("rank", "median", pictures.NINETY, "items"), rows)


def _states(log: Log) -> Table:
    found = log.lambdas
    rows: list[tuple[Cell, ...]] = list(found.states.items())
    rows.append(("fewer than 2 runs", found.unmeasurable))
    says = "States as logged." if found.source == "log" else "States computed from the runs."
    return Table("Convergence of reruns (λ)", ("state", found.over), tuple(rows), says)


def _inputs(outcome: Outcome[R]) -> Table:
    counts: Any = outcome.inputs
    rows: list[tuple[Cell, ...]] = [
        ("gold items", counts["gold"]["items"]),
        ("manifest chunks", counts["manifest"]["chunks"]),
    ]
    for arm in outcome.arms:
        name = arm or "log"
        log = counts[name]
        rows += [
            (f"{name}: lines", log["lines"]),
            (f"{name}: runs scored", log["runs"]),
            (f"{name}: runs with an answer", log["answers"]),
            (f"{name}: lines of questions that gold does not have", log["unknown_qid"]),
            (f"{name}: index_hash", ", ".join(log["index_hash"]) or "not logged"),
        ]
    return Table("Inputs", ("what", "count"), tuple(rows))


def warnings(outcome: Outcome[R]) -> list[str]:
    types = says_of_types(outcome.facts["logs"])
    by_log = [
        f"{arm}: {warning}" if arm else warning
        for arm, log in outcome.facts["logs"].items()
        for warning in _warnings(log, outcome.measured[arm])
    ]
    return [*([types.rstrip(".")] if types else []), *by_log]


def _warnings(log: Log, numbers: Mapping[str, Any]) -> Iterator[str]:
    if log.delta_s.calibrated:
        yield (
            f"the calibrated ΔS line {log.delta_s.line:.4f} of {log.delta_s.embedder} is in force; "
            "all ΔS thresholds are scaled by it"
        )
    hashes = log.values["index_hash"]
    if len(hashes) > 1:
        yield f"the log holds {len(hashes)} different index_hash"
    missing = numbers["missing"]
    if missing.numerator:
        yield (
            f"{missing.numerator:,} of {missing.denominator:,} gold questions have no run; "
            "they count as nothing retrieved"
        )
    unknown = 0 if log.delta_s.source == "none" else log.delta_s.unknown
    counts = {**log.counts, "unknown_delta_s": unknown}
    for name, says in _COUNTED.items():
        if counts[name]:
            yield f"{counts[name]:,} {says}"
