"""A report as tests: for each gate and each protected question what was expected, found, and where.

The plugin imports this once something is asked of it, and not before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragstone.api import judged, planned
from ragstone.comparison.baseline import against
from ragstone.comparison.protected import named_questions
from ragstone.comparison.sides import done_in, scored
from ragstone.engine.duck import Duck, quoted
from ragstone.errors import ConfigError, ContractError, RagstoneError
from ragstone.gates.gate import Judged, Status
from ragstone.gates.judge import split_flags, suggestion
from ragstone.report.build import combine
from ragstone.report.document.blocks import Offender
from ragstone.report.model import Report
from ragstone.report.plain_names import metric_of, titled
from ragstone.report.text import listed, shown, visible
from ragstone.report.words import (
    about,
    gate_interval,
    gate_share,
    gate_value,
    interval_name,
    unproven,
)
from ragstone.suites.arms_apart import sources_of
from ragstone.suites.config_file import Config, options_of
from ragstone.suites.gate_plan import Planned, each_judged
from ragstone.suites.options import has_baseline
from ragstone.suites.registry import find_suite
from ragstone.suites.row_places import row_places

# So many questions of a gate are named; a report shows the others.
_NAMED = 5
_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be scored: the suites of a file with settings, or a gold set and its traces."""

    gold: Any = None
    trace: Any = None
    config: str | None = None
    gates: tuple[str, ...] = ()
    baseline: str | None = None
    protect: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One test: it passes where nothing `failed`, and is `skipped` where nothing was tested."""

    name: str
    failed: str = ""
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """The report of everything, and that of each suite with what it was made from."""

    report: Report
    parts: tuple[tuple[Planned, Report], ...]


def score(asked: Asked) -> Scored:
    """Reads, scores and decides, as `ragstone.gate` or `ragstone.answers` would."""
    plan = {part.suite.name: part for part in _planned(asked)}

    def judge(suite: Any) -> tuple[Planned, Report]:
        part = plan[suite.name]
        # A part of something: a test records nothing, whatever the file says of that.
        return part, judged(part.suite, part.inputs, part.options, part=True)

    parts = tuple(each_judged([part.suite for part in plan.values()], judge))
    reports = [report for _, report in parts]
    return Scored(reports[0] if asked.config is None else combine(reports), parts)


def _planned(asked: Asked) -> list[Planned]:
    given: dict[str, Any] = {"gates": tuple(split_flags(asked.gates))} if asked.gates else {}
    if asked.baseline:
        given["baseline"] = asked.baseline
    if asked.config is not None:
        return planned(asked.config, given)
    suite = find_suite("answers")
    inputs = {"gold": asked.gold, "trace": asked.trace}
    return [Planned(suite, inputs, options_of(suite, Config(), given))]


def explained(error: RagstoneError) -> str:
    """An error as a few lines: of bad lines the first ones, and how many there are."""
    if not isinstance(error, ContractError):
        return f"ragstone: {visible(str(error))}"
    lines = [visible(str(each)) for each in error.diagnostics[:_PROBLEMS]]
    rest = error.count - len(lines)
    problems = "1 problem" if error.count == 1 else f"{error.count:,} problems"
    lines += [f"... and {rest:,} more"] if rest else []
    return "\n".join((f"ragstone: {problems} in the input; nothing was scored", *lines))


def checks(found: Scored, asked: Asked) -> list[Check]:
    """A check for each gate, suite by suite, then one for each protected question."""
    made = [check for part, report in found.parts for check in _of_gates(part, report)]
    made += _of_questions(found, asked)
    if not made:
        raise ConfigError("no gate is set and no question is protected: there is nothing to test")
    return made


def _of_gates(part: Planned, report: Report) -> Iterator[Check]:
    wrong = [gate for gate in report.gates if gate.stops_the_verdict]
    qids = {qid for gate in wrong for qid in report.offending.get(gate.name, ())[:_NAMED]}
    report = _with_places(part, report, qids)
    for gate in report.gates:
        name = f"{part.suite.name}.{gate.name}"
        failed = _gate_in_words(report, gate, name) if gate.stops_the_verdict else ""
        skipped = f"{visible(name)}: {about(gate)}" if gate.tests_nothing and not failed else ""
        yield Check(f"gate[{visible(name)}]", failed, skipped)
    for suite, why in report.lacks.items():
        yield Check(f"main_question[{visible(suite)}]", visible(why))


def _gate_in_words(report: Report, gate: Judged, name: str) -> str:
    verb = f"fails: {gate_value(report, gate)}, wanted {gate.threshold}"
    if gate.tests_nothing:
        verb = "is not tested"
    if gate.status is Status.UNMEASURABLE:
        verb = "is not proven" if unproven(gate) else "could not be measured"
    found = "no number"
    if gate.value is not None and not gate.tests_nothing:
        over = gate_share(report, gate)
        found = f"{gate_value(report, gate)}{f' ({over})' if over else ''}"
    if gate.interval:
        found += f", {interval_name(report)} {gate_interval(report, gate)}"
    facts = {"expected": str(gate.threshold), "found": found, "note": about(gate)}
    qids = report.offending.get(gate.name, ())
    where = [_line_of(report, qid) for qid in qids[:_NAMED]]
    measured = metric_of(report, gate)
    called = titled(name, measured.metric if measured else None)
    return _told(
        f"{visible(called)} {verb}", facts, [*where, *["and others"][len(qids) <= _NAMED :]]
    )


def _told(said: str, facts: Mapping[str, str], where: Sequence[str]) -> str:
    lines = [f"  {name + ':':<10}{value}" for name, value in facts.items() if value]
    lines += [f"  {'where:' if not number else '':<10}{each}" for number, each in enumerate(where)]
    return "\n".join((said, *lines))


def _line_of(report: Report, qid: str) -> str:
    """A question with the lines of its gold item and of its answer, where there are such."""
    lines = [f"{visible(place.file)}:{place.line}" for _, place in report.lines_of(qid)]
    return "  ".join((shown(qid, 80), *lines))


def _with_places(part: Planned, report: Report, qids: Collection[str]) -> Report:
    """The report that knows on which lines these questions are."""
    # What came from standard input is gone, and cannot be looked at again.
    if not qids or any(each in ("-", ["-"]) for each in part.inputs.values() if _is_paths(each)):
        return report
    rows = _rows(report, qids)
    offenders = [
        Offender(qid, (), (), question=rows[qid].question if qid in rows else None)
        for qid in sorted(qids)
    ]
    with Duck() as duck:
        sources, _ = sources_of(part.suite, part.inputs, duck)
        found = row_places(part.suite, part.options, sources, offenders)
    return replace(report, places={**report.places, **found})


def _is_paths(given: object) -> bool:
    return isinstance(given, str | list)


@dataclass(frozen=True, slots=True)
class Question:
    """What became of a question in one run: `right` is None where one of its rows is not judged.

    The texts are those of its first wrong row, else of its first one.
    """

    right: bool | None
    item: str | None
    question: str | None
    claim: str | None
    citations: tuple[str, ...]
    wanted: tuple[str, ...]
    evidence: tuple[str, ...]
    lost_at: str = ""


def _rows(report: Report, qids: Collection[str] | None = None) -> dict[str, Question]:
    return _questions(report.kept.rows, None, qids) if report.kept else {}


def _questions(path: Path, arm: str | None, qids: Collection[str] | None) -> dict[str, Question]:
    """The questions of saved rows, by qid: these, or all."""
    wanted = ["true"] if arm is None else [f"arm = {quoted(arm)}"]
    if qids is not None:
        wanted.append("list_contains($qids, qid)")
    with Duck() as duck:
        rows = duck.dicts(
            f"select qid, is_right, not_passed, gold_item, question, claim, citations, "
            f"wanted_phrases, wanted_ids from read_parquet({quoted(str(path))}) "
            f"where {' and '.join(wanted)}",
            {} if qids is None else {"qids": list(qids)},
        )
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(str(row["qid"]), []).append(row)
    return {qid: _question(several) for qid, several in found.items()}


def _question(rows: Sequence[Mapping[str, Any]]) -> Question:
    verdicts = [row["is_right"] for row in rows]
    row = next((row for row in rows if row["is_right"] is False), rows[0])
    return Question(
        right=None if None in verdicts else all(verdicts),
        item=row["gold_item"],
        question=row["question"],
        claim=row["claim"],
        citations=tuple(row["citations"] or ()),
        wanted=tuple(row["wanted_phrases"] or ()),
        evidence=tuple(row["wanted_ids"] or ()),
        lost_at=next(iter(row["not_passed"] or ()), ""),
    )


def _of_questions(found: Scored, asked: Asked) -> Iterator[Check]:
    """A protected question is one that a flag names, or else the settings of its suite."""
    flagged = named_questions(asked.protect)
    failed: dict[str, list[str]] = {qid: [] for qid in flagged}
    known: set[str] = set()
    for part, report in found.parts:
        qids = flagged or named_questions(part.options.protect)
        if not qids:
            continue
        now, before = _rows(report), _before(part)
        seen = {*now, *(before or {})}
        report = _with_places(part, report, set(qids) & seen)
        for qid in qids:
            failed.setdefault(qid, [])
            if qid in seen:
                said = _judgement(now.get(qid), None if before is None else (before.get(qid),))
                if said:
                    failed[qid].append(_question_in_words(report, qid, now.get(qid), said))
        known |= seen
    for qid in failed:
        if qid not in known:
            hint = suggestion(qid, sorted(known), f"there are {len(known):,} others")
            raise ConfigError(f"protected: no question is called {qid!r}{hint}")
    for qid, texts in failed.items():
        yield Check(f"protected[{visible(qid)}]", "\n".join(texts))


def _before(part: Planned) -> dict[str, Question] | None:
    """The questions of the baseline; None where the run has none of its own."""
    if not has_baseline(part.inputs, part.options):
        return None
    found = against(part.suite, part.inputs, part.options)
    if found.side is None:
        return None
    done = done_in(part.suite)
    inputs = {name: each for name, each in found.inputs.items() if not done or name != done.name}
    side = scored(found.side, part.suite, inputs, found.options, None)
    return None if side.rows is None else _questions(side.rows, side.arm, None)


def _judgement(now: Question | None, before: tuple[Question | None] | None) -> str:
    """What is wrong with a protected question, or nothing.

    Without a baseline it must be right. Beside one it may not break; what cannot be compared is no
    pass, for its gold item may have been changed because it broke.
    """
    if now is None:
        return "could not be compared: gold does not have it any more"
    if before is not None:
        (earlier,) = before
        if earlier is None:
            return "could not be compared: the baseline does not have it"
        if earlier.item != now.item:
            return "could not be compared: its gold item changed"
        if earlier.right is False:
            return ""
    if now.right is None:
        return "could not be judged"
    if now.right:
        return ""
    return "is wrong" if before is None else "was right before and is wrong now"


def _question_in_words(report: Report, qid: str, now: Question | None, said: str) -> str:
    facts = {}
    if now is not None:
        evidence = listed(now.evidence, limit=5, length=80)
        facts = {
            "question": shown(now.question or "", 200),
            "expected": "; ".join(
                filter(
                    None,
                    (
                        listed(now.wanted, limit=5, length=120, between="; "),
                        f"evidence {evidence}" if evidence else "",
                    ),
                )
            ),
            "found": _said(now),
            "lost at": now.lost_at,
        }
    return _told(f"{shown(qid, 80)} is protected, and {said}", facts, [_line_of(report, qid)])


def _said(now: Question) -> str:
    claim = "no claim" if now.claim is None else shown(now.claim, 300) or "an empty claim"
    cited = listed(now.citations, limit=5, length=80)
    return f"{claim}; cites {cited}" if cited else claim
