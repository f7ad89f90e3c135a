"""Grounded question answering: precision, citations, refusals, constraints.

`evaluate` is the whole suite: read strictly, one verdict row per question, numbers from rows, gates
from numbers. The rows stay in the engine, for the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from ragstone.contracts.gold import GOLD
from ragstone.contracts.sources import Source
from ragstone.contracts.trace import TRACE
from ragstone.engine.content import content_hash
from ragstone.engine.duck import Duck
from ragstone.engine.fold import install
from ragstone.engine.load import Loading, load
from ragstone.engine.places import must_be_unique
from ragstone.errors import ContractError, Diagnostic
from ragstone.gates.gate import Judged
from ragstone.gates.judge import judge, merge
from ragstone.measure.measure import measure, measure_by
from ragstone.measure.metric import Measured, Metric
from ragstone.suites.answers import slices
from ragstone.suites.answers.metrics import default_gates, metrics
from ragstone.suites.answers.options import Options
from ragstone.suites.answers.scu import DEFAULT_RULES, Rule, compile_rules


@dataclass(frozen=True, slots=True)
class Inputs:
    """What came in: how many lines, and what became of them."""

    gold: int
    lines: int
    kept: int
    unknown_qid: int
    no_qid: int
    superseded: int
    gold_hash: str
    trace_hash: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every number of the suite, before it is rendered."""

    options: Options
    metrics: tuple[Metric, ...]
    inputs: Inputs
    figures: Mapping[str, int]
    measured: Mapping[str, Measured]
    gates: tuple[Judged, ...]
    slices: Mapping[str, Mapping[str, Mapping[str, Measured]]]


def evaluate(
    duck: Duck, gold: tuple[Source, ...], trace: tuple[Source, ...], options: Options
) -> Evaluation:
    """Reads, checks and scores; the verdict rows stay in the engine's table `rows`."""
    declared = metrics(options.scu)
    changes = [*default_gates(options.scu, options.missing), *options.gates]
    # Names and numbers of gates are checked before a gigabyte is read.
    gates = merge({}, changes, declared, options.k)
    parts = [merge({}, part.gates, declared, options.k) for part in options.slices]
    items, lines = _read(duck, gold, trace, options)
    _rows(duck, options)
    # Under --keep all the lines of one question are repeats, and so one cluster.
    cluster = "qid" if options.keep == "all" else None
    measured = measure(duck, declared, "rows", options.level, cluster)
    judged = judge(
        measured, gates, questions=items, strict=options.strict, confidence=options.confidence
    )
    for part, limits in zip(options.slices, parts, strict=True):
        table = slices.part(duck, part.where, options.slice_fields)
        found = measure(duck, declared, table, options.level, cluster)
        judged += judge(
            found,
            limits,
            questions=slices.questions(duck, table),
            strict=options.strict,
            confidence=options.confidence,
            where=",".join(f"{key}={value}" for key, value in part.where),
        )
    by = {
        name: measure_by(
            duck,
            declared,
            slices.sliced(options.slice_fields.index(name)),
            "slice",
            options.level,
            cluster,
        )
        for name in options.by
    }
    inputs = _inputs(duck, items, lines, options)
    return Evaluation(options, declared, inputs, _figures(duck), measured, judged, by)


def _read(
    duck: Duck, gold: tuple[Source, ...], trace: tuple[Source, ...], options: Options
) -> tuple[int, int]:
    """The tables `gold` and `trace`, checked; returns how many lines each had."""
    install(duck)
    mapping = options.mapping_for("gold")
    fields = options.slice_fields
    select = _sql("gold.sql") + slices.columns(fields)
    bad: list[Diagnostic] = []
    items = lines = 0
    try:
        items = load(duck, Loading(GOLD, gold, "gold", select, mapping, fields))
        if items == 0:
            raise ContractError([Diagnostic(gold[0].name, 1, "qid", "the gold file holds no item")])
        must_be_unique(duck, "gold", gold, mapping, "was already given")
    except ContractError as error:
        bad.extend(error.diagnostics)
    mapping = options.mapping_for("trace")
    try:
        lines = load(duck, Loading(TRACE, trace, "trace", _sql("trace.sql"), mapping))
        if options.keep == "error":
            must_be_unique(duck, "trace", trace, mapping, "already has a trace")
    except ContractError as error:
        bad.extend(error.diagnostics)
    if bad:
        raise ContractError(bad)
    return items, lines


def _rows(duck: Duck, options: Options) -> None:
    """The table `rows`: one verdict row per question."""
    if duck.one("select count(asked) from trace")[0]:
        duck.run(_sql("older.sql"))
    duck.set(k=options.k, keep=options.keep, missing=options.missing)
    duck.run(
        "set variable refusal = (select list(fold(strip(t))) from (select unnest($tokens) as t))",
        {"tokens": list(options.refusal)},
    )
    _contradictions(duck, options)
    duck.run(_sql("rows.sql"))


def _contradictions(duck: Duck, options: Options) -> None:
    """Lines whose claim contradicts a locked constraint: regular expressions, so Python's work."""
    rules = compile_rules([*DEFAULT_RULES, *(Rule(*pair) for pair in options.rules)])
    duck.run("create temp table contradicted (trace_row bigint)")
    found = duck.query("""
        select trace.rowid, gold.constraints, trace.claim
        from gold join trace using (qid)
        where gold.constraints <> [] and trace.claim is not null
    """)
    rows = [
        row
        for row, locked, claim in found
        if isinstance(locked, list) and rules.contradiction(locked, str(claim)) is not None
    ]
    if rows:
        duck.run("insert into contradicted select unnest($rows)", {"rows": rows})


def _inputs(duck: Duck, items: int, lines: int, options: Options) -> Inputs:
    kept, no_qid, unknown = (
        int(str(count))
        for count in duck.one("""
            select
                (select count(trace_row) from rows),
                count(*) filter (qid is null and asked is null),
                count(*) filter (
                    coalesce(qid, asked) is not null
                    and coalesce(qid not in (select qid from gold), true)
                )
            from trace
        """)
    )
    stored = ("qid, question, answerable, substrings, gold_citations, constraints",)
    columns = ", ".join(stored + slices.names(options.slice_fields))
    heard = "qid, claim, citations, retrieved, echo"
    return Inputs(
        gold=items,
        lines=lines,
        kept=kept,
        unknown_qid=unknown,
        no_qid=no_qid,
        superseded=max(lines - kept - unknown - no_qid, 0),
        gold_hash=content_hash(duck, columns, "gold"),
        trace_hash=content_hash(duck, heard, "trace where rowid in (select trace_row from rows)"),
    )


def _figures(duck: Duck) -> dict[str, int]:
    names = ("answered", "refused", "answerable", "unanswerable")
    counted = duck.one("""
        select
            count(*) filter (shipped),
            count(*) filter (refused),
            count(*) filter (answerable),
            count(*) filter (not answerable)
        from rows
    """)
    return {name: int(str(count)) for name, count in zip(names, counted, strict=True)}


def _sql(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
