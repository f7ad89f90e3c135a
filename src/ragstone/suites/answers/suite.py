"""Grounded question answering: precision, citations, refusals, constraints.

`evaluate` is the whole suite: read strictly, one verdict row per question, numbers from rows, gates
from numbers. The rows stay in the engine, for the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from ragstone.contracts.record import Record
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.trace_records import TRACE
from ragstone.contracts.sources import Source, size_of
from ragstone.engine.content_hash import content_sum
from ragstone.engine.duck import Duck, quoted
from ragstone.engine.fold import install
from ragstone.engine.line_places import must_be_unique
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import ContractError, Diagnostic
from ragstone.gates.gate import Judged
from ragstone.gates.judge import judge, merge
from ragstone.measure.measure import measure, measure_by
from ragstone.measure.metric import Measured, Metric
from ragstone.suites.answers import slices
from ragstone.suites.answers.metrics import default_gates, metrics
from ragstone.suites.answers.options import Keep, Options
from ragstone.suites.answers.scu import DEFAULT_RULES, Rule, compile_rules

# Questions that are joined at a time: each holds about 200 bytes while it is.
_PART = 1_000_000

# Everything that the report shows of an input, and so what its hash covers.
_GOLD = "qid, question, answerable, substrings, gold_citations, constraints, slices"
_TRACE = "qid, claim, citations, retrieved, echo"
_SCORED = "trace where rowid not in (select trace_row from dropped)"


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
    duck.expect(size_of((*gold, *trace)))
    items, lines = read_inputs(duck, gold, trace, options)
    slices.must_be_known(duck, options.slice_fields)
    verdict_rows(duck, options)
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
            where=slices.name_of(part.where),
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
    inputs = _inputs(duck, items, lines)
    return Evaluation(options, declared, inputs, _figures(duck), measured, judged, by)


def read_inputs(
    duck: Duck,
    gold: tuple[Source, ...],
    trace: tuple[Source, ...],
    options: Options,
    record: Record = TRACE,
    more: str = "",
) -> tuple[int, int]:
    """The tables `gold` and `trace`, checked; returns how many lines each had.

    A suite whose lines say more than a trace names its `record`, and what `more` to select.
    """
    install(duck)
    mapping = options.mapping_for(GOLD)
    fields = options.slice_fields
    select = _sql("gold.sql") + slices.column(fields)
    bad: list[Diagnostic] = []
    items = lines = 0
    try:
        items = load(duck, Loading(GOLD, gold, "gold", select, mapping, fields, ordered=False))
        if items == 0:
            raise ContractError([Diagnostic(gold[0].name, 1, "qid", "the gold file holds no item")])
        must_be_unique(duck, "gold", gold, mapping, "was already given")
    except ContractError as error:
        bad.extend(error.diagnostics)
    mapping = options.mapping_for(record)
    try:
        lines = load(duck, Loading(record, trace, "trace", _sql("trace.sql") + more, mapping))
        asked = _join_older(duck)
        if options.keep == "error":
            must_be_unique(duck, "trace", trace, mapping, "already has a trace", asked)
    except ContractError as error:
        bad.extend(error.diagnostics)
    if bad:
        raise ContractError(bad)
    return items, lines


def _join_older(duck: Duck) -> dict[str, str]:
    """Gives traces of the older shape their qid; returns which question led to which."""
    if not duck.one("select count(asked) from trace")[0]:
        return {}
    duck.run(_sql("older.sql"))
    found = duck.query("select distinct asked, qid from trace where asked is not null")
    return {str(question): str(qid) for question, qid in found if qid is not None}


def verdict_rows(duck: Duck, options: Options) -> None:
    """The table `rows`: one verdict row per question."""
    # No list is longer than an integer of DuckDB can say.
    duck.set(k=min(options.k, 2**31), missing=options.missing)
    duck.run(_sql("macros.sql"))
    _tokens(duck, options.refusal)
    _dropped(duck, options.keep)
    _contradictions(duck, options)
    _judge(duck)
    duck.run(_sql("patterns.sql"))


def _judge(duck: Duck) -> None:
    """Fills `rows`, in as many parts as keep the memory small."""
    questions = int(str(duck.one("select count(*) from gold")[0]))
    parts = max(1, -(-questions // _PART))
    for part in range(parts):
        duck.set(parts=parts, part=part)
        head = "insert into rows" if part else "create temp table rows as"
        with duck.ordering(False), duck.joining_as_written():
            duck.run(f"{head}\n{_sql('rows.sql')}")


def _tokens(duck: Duck, refusal: tuple[str, ...]) -> None:
    """Macros for the refusal tokens: what a folded claim holds, and what it is when stripped."""
    folded = [
        str(token)
        for (token,) in duck.query(
            "select fold(strip(token)) from (select unnest($tokens) as token)",
            {"tokens": list(refusal)},
        )
    ]
    holds = " or ".join(f"contains(claim, {quoted(token)})" for token in folded)
    equal = ", ".join(quoted(token) for token in folded)
    duck.run(f"create macro holds_token(claim) as {holds}")
    duck.run(f"create macro is_token(claim) as claim in ({equal})")


def _dropped(duck: Duck, keep: Keep) -> None:
    """The table of lines that are not scored."""
    stays = "min" if keep == "first" else "max"
    sql = _sql("dropped.sql").replace("$stays", stays)
    duck.run(sql if keep != "all" else sql.replace("having count(*) > 1", "having false"))


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


def _inputs(duck: Duck, items: int, lines: int) -> Inputs:
    dropped = {
        str(why): int(str(n))
        for why, n in duck.query("select why, count(*) from dropped group by why")
    }
    kept = duck.one("select count(trace_row) from rows")[0]
    return Inputs(
        gold=items,
        lines=lines,
        kept=int(str(kept)),
        unknown_qid=dropped.get("unknown_qid", 0),
        no_qid=dropped.get("no_qid", 0),
        superseded=dropped.get("superseded", 0),
        gold_hash=content_sum(duck, "gold", _GOLD).finish(),
        trace_hash=content_sum(duck, _SCORED, _TRACE).finish(),
    )


def _figures(duck: Duck) -> dict[str, int]:
    names = ("answered", "refused", "answerable", "unanswerable")
    counted = duck.one("""
        select
            coalesce(sum(rows) filter (shipped), 0),
            coalesce(sum(rows) filter (refused), 0),
            coalesce(sum(rows) filter (answerable), 0),
            coalesce(sum(rows) filter (not answerable), 0)
        from patterns
    """)
    return {name: int(str(count)) for name, count in zip(names, counted, strict=True)}


def _sql(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
