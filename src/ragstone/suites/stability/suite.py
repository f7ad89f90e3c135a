"""The same question asked again, under other seeds and with jitters: is it the same answer?

`evaluate` reads the runs strictly, takes the answers suite's checks of every run, and judges each
question over its runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from itertools import groupby

from ragstone.contracts.record import shown
from ragstone.contracts.records.trace_records import RUN
from ragstone.contracts.sources import Source
from ragstone.engine.content_hash import content_sum
from ragstone.engine.duck import Duck
from ragstone.engine.line_places import places
from ragstone.errors import ContractError, Diagnostic
from ragstone.gates.gate import Judged
from ragstone.gates.judge import merge
from ragstone.measure.metric import Measured
from ragstone.suites.answers.options import Options
from ragstone.suites.answers.suite import read_inputs, verdict_rows
from ragstone.suites.deciding import Deciding
from ragstone.suites.stability.claims import levenshtein
from ragstone.suites.stability.judging import judge_questions, measure_questions
from ragstone.suites.stability.metrics import METRICS
from ragstone.suites.stability.questions import Question, Run, question


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every number of the suite, before it is rendered."""

    deciding: Deciding
    refusal: tuple[str, ...]
    inputs: Mapping[str, str | int]
    questions: tuple[Question, ...]
    failed: Mapping[str, tuple[str, ...]]
    measured: Mapping[str, Measured]
    gates: tuple[Judged, ...]

    @property
    def runs(self) -> int:
        return sum(len(each.runs) for each in self.questions)


def evaluate(
    duck: Duck,
    gold: tuple[Source, ...],
    runs: tuple[Source, ...],
    options: Options,
    deciding: Deciding,
) -> Evaluation:
    """Reads, scores and judges; `options` are the answers suite's, of which it takes the checks."""
    defaults = [(metric.name, metric.gate) for metric in METRICS if metric.gate is not None]
    gates = merge({}, [*defaults, *deciding.gates], METRICS, None)
    distance = levenshtein()
    _, lines = read_inputs(duck, gold, runs, options, RUN, _sql("run.sql"))
    _must_be_known(duck, runs, options)
    duck.run(_sql("latest.sql"))
    verdict_rows(duck, replace(options, keep="all"))
    questions = tuple(
        question(qid, answerable, constrained, found, distance)
        for (qid, answerable, constrained), found in _by_question(duck)
    )
    measured = measure_questions(questions, deciding.level)
    judged, failed = judge_questions(questions, measured, gates, deciding)
    return Evaluation(
        deciding, options.refusal, _inputs(duck, lines), questions, failed, measured, judged
    )


def _by_question(duck: Duck) -> list[tuple[tuple[str, bool, bool], list[Run]]]:
    """The runs of each question, questions in order of qid."""
    found = duck.query(_sql("runs.sql"))
    return [
        ((str(qid), bool(answerable), bool(constrained)), [_run(row) for row in rows if row[3]])
        for (qid, answerable, constrained), rows in groupby(found, key=lambda row: row[:3])
    ]


def _run(row: tuple[object, ...]) -> Run:
    _, _, _, run_id, seed, jitter, missing, refused, contained, cited, intact, claim, cites = row
    return Run(
        str(run_id), str(seed), str(jitter), bool(missing), bool(refused), bool(contained),
        bool(cited), bool(intact), str(claim),
        frozenset(map(str, cites)) if isinstance(cites, list) else frozenset(),
    )  # fmt: skip


def _must_be_known(duck: Duck, runs: tuple[Source, ...], options: Options) -> None:
    """Raises for every run of a question that gold does not have, or that names none."""
    unknown = duck.query("""
        select distinct coalesce(qid, '') from trace
        where qid is null or qid not in (select qid from gold)
    """)
    if not unknown:
        return
    mapping = options.mapping_for(RUN)
    bad = []
    for qid, at in places(duck, runs, mapping, [str(qid) for (qid,) in unknown]).items():
        says = f"{shown(qid)} is not a question of the gold set" if qid else "the run names none"
        bad += [Diagnostic(place.file, place.line, "qid", says) for place in at]
    raise ContractError(sorted(bad))


def _inputs(duck: Duck, lines: int) -> dict[str, str | int]:
    items, kept = duck.one("select (select count(*) from gold), (select count(*) from trace)")
    stored = "qid, answerable, substrings, gold_citations, constraints"
    heard = "run_id, qid, seed, jitter, claim, citations, retrieved, echo"
    return {
        "gold": int(str(items)),
        "gold_hash": content_sum(duck, "gold", stored).finish(),
        "lines": lines,
        "runs": int(str(kept)),
        "superseded": lines - int(str(kept)),
        "runs_hash": content_sum(duck, "trace", heard).finish(),
    }


def _sql(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
