"""What the trec suite shows: averages by the names that were asked for, and trec_eval's lines."""

from __future__ import annotations

from ragstone.contracts.sources import Source, lines_of
from ragstone.engine.duck import Duck, identifier, quoted, real
from ragstone.report.document.blocks import Block, Json
from ragstone.suites.declaration import Outcome, Work
from ragstone.suites.ranking import ranked_arms
from ragstone.suites.ranking.ranking_measures import Measure, measure
from ragstone.suites.standard_blocks import arms_blocks
from ragstone.suites.trec.options import ONLY_JUDGED, TrecOptions

Figures = dict[str, float | int | None]

_COUNTS = {
    "questions": "questions ranked",
    "missing": "questions missing",
    "unknown_qid": "questions not judged",
    "duplicates": "repeated documents",
}


def facts(work: Work[TrecOptions], outcome: Outcome[TrecOptions]) -> dict[str, object]:
    averaged, no_gold = work.duck.counts(f"""
        select count(*) filter ({outcome.metrics[0].of}),
            count(*) filter (judged and gold_docs = 0)
        from rows where arm = {quoted(work.shown)}
    """)
    ranked = ranked_arms.facts(work, outcome)
    no_gold -= ranked["below_level"]
    return {**ranked, "questions": averaged, "no_gold": no_gold}


def figures(outcome: Outcome[TrecOptions]) -> Figures:
    below = ("below_level",) if outcome.options.grade > 1 else ()
    counts = {name: outcome.facts[name] for name in ("questions", "no_gold", *below)}
    left_out = ranked_arms.left_out(outcome, outcome.shown)
    return {**_averages(outcome, outcome.shown), **counts, **left_out}


def arm_figures(outcome: Outcome[TrecOptions], arm: str) -> Figures:
    return {**_averages(outcome, arm), **ranked_arms.left_out(outcome, arm)}


def _averages(outcome: Outcome[TrecOptions], arm: str) -> Figures:
    """A run's averages by the names that were asked for."""
    found: Figures = {}
    for name in outcome.options.metrics:
        measured = outcome.measured[arm][outcome.options.called(name)]
        asked = f"{name}{ONLY_JUDGED}" if outcome.options.only_judged else name
        found[asked] = None if measured.vacuous else measured.value
    return found


def data(outcome: Outcome[TrecOptions]) -> dict[str, Json]:
    return {} if outcome.several else {"system_name": outcome.shown}


def blocks(outcome: Outcome[TrecOptions]) -> list[Block]:
    names = [metric.name for metric in outcome.metrics]
    first = [("questions averaged", outcome.facts["questions"])]
    return [
        *arms_blocks(outcome, names, ranked_arms.missing(outcome)),
        ranked_arms.counts_table(outcome, first, _COUNTS),
    ]


def warnings(outcome: Outcome[TrecOptions]) -> list[str]:
    return ranked_arms.warnings(outcome, "qrels")


def as_trec_eval(
    duck: Duck, outcome: Outcome[TrecOptions], arm: str, *, by_question: bool, full: bool
) -> str:
    """The lines of trec_eval for a run: measure, question or `all`, value.

    `full` adds the counts that trec_eval prints when no measure is asked for.
    """
    measures = list(dict.fromkeys(measure(name) for name in outcome.options.metrics))
    own = f"from rows where arm = {quoted(arm)} and {outcome.metrics[0].of}"
    lines = _by_question(duck, own, measures, full) if by_question else []
    judged = ONLY_JUDGED if outcome.options.only_judged else ""
    counts = duck.counts(f"""
        select count(*), coalesce(sum(retrieved_docs), 0)::bigint,
            coalesce(sum(gold_docs), 0)::bigint, coalesce(sum(correct_docs), 0)::bigint
        {own}
    """)
    if full:
        lines.append(_line("runid", "all", _tag(outcome.files[arm][0])))
        names = ("num_q", "num_ret", "num_rel", "num_rel_ret")
        lines += [_line(n, "all", str(count)) for n, count in zip(names, counts, strict=True)]
    for each in measures:
        found = outcome.measured[arm][outcome.options.called(each.name)]
        value = 0.0 if found.vacuous or found.value is None else found.value
        lines.append(_line(f"{each.trec_name}{judged}", "all", f"{value:6.4f}"))
    return "\n".join(lines) + "\n"


def _by_question(duck: Duck, own: str, measures: list[Measure], full: bool) -> list[str]:
    chosen = ", ".join(identifier(each.name) for each in measures)
    lines = []
    for qid, retrieved, gold, correct, *values in duck.query(
        f"select qid, retrieved_docs, gold_docs, correct_docs, {chosen} {own} order by qid"
    ):
        if full:
            counts = {"num_ret": retrieved, "num_rel": gold, "num_rel_ret": correct}
            lines += [_line(name, str(qid), str(count)) for name, count in counts.items()]
        lines += [
            _line(each.trec_name, str(qid), f"{real(value):6.4f}")
            for each, value in zip(measures, values, strict=True)
        ]
    return lines


def _line(name: str, qid: str, value: str) -> str:
    return f"{name:<22}\t{qid}\t{value}"


def _tag(run: Source) -> str:
    """The sixth column of the first line, by which trec_eval names a run."""
    for line in lines_of(run):
        words = line.split()
        if len(words) >= 6:
            return words[5].decode("utf-8", "replace")
    return ""
