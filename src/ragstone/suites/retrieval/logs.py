"""From gold and a log to verdict rows: runs, their ranks and citations, ΔS and λ.

Per log there are tables of its runs (`runs_<log>`) and of groups of runs (`triplets_<log>`,
`questions_<log>`); `rows` and `triplets` hold those of every arm.
"""

from __future__ import annotations

from dataclasses import replace

from ragstone.contracts.records.retrieval_records import STATES, TYPES
from ragstone.engine.duck import quoted
from ragstone.suites.declaration import Arm, Numbers, Work
from ragstone.suites.inputs import read_inputs
from ragstone.suites.retrieval import spans
from ragstone.suites.retrieval.delta_s import settle
from ragstone.suites.retrieval.log_facts import Log, gather, log_of
from ragstone.suites.retrieval.metrics import BY_SECTIONS, KS, UNKNOWN_IF_EMPTY
from ragstone.suites.retrieval.options import R

# The tables that stay empty where no file was given.
_ABSENT = {
    "manifest": "id varchar, section varchar, b bigint, e bigint, type varchar, hash varchar, "
    "text varchar",
    "texts": "id varchar, text varchar",
}


def read_tables(work: Work[R]) -> None:
    """The tables of all inputs, with the texts of the manifest among the texts."""
    begins(work)
    # The lists of ids take about half as much again as the lines they came from.
    read_inputs(work, room=1.5)
    ready(work)


def begins(work: Work[R]) -> None:
    """What the projections of lines read, and the checks after them."""
    duck = work.duck
    duck.set(types=list(TYPES), type_names=list(TYPES.values()))
    for name, words in (("states", STATES), ("type_of", TYPES)):
        both = {"keys": list(words), "values": list(words.values())}
        duck.run(f"set variable {name} = map($keys, $values)", both)
    duck.define(work.sql("sections.sql", own=own_sections(work.options.section_pattern)))


def own_sections(pattern: str | None) -> str:
    """The section by the user's own pattern, as a part of the macro `section_of`."""
    return "" if pattern is None else f"nullif(regexp_extract(s, {quoted(pattern)}, 1), ''),"


def ready(work: Work[R]) -> None:
    """The tables of inputs that were not given, and the texts of the manifest among the texts."""
    for table, columns in _ABSENT.items():
        if not work.sources.get(table):
            work.duck.define(f"create or replace temp table {table} ({columns})")
    work.duck.run("""
        create temp view chunk_texts as
        select id, text from texts
        union all
        select id, text from manifest where text is not null and id not in (select id from texts)
    """)


def rows(work: Work[R], arm: Arm) -> None:
    """Adds the rows and triplets of one log, and gathers what else is known of it."""
    duck, log = work.duck, arm.table
    duck.set(unit=work.options.unit)
    spans.convert(work, log)
    broken = spans.broken_hashes(work, log)
    _runs(work, log)
    found = settle(work, arm)
    duck.set(scale=found.scale)
    for file in ("question_types.sql", "placeless.sql"):
        duck.run(work.sql(file, log=log))
    for name, by in (("triplets", "gold_row, seed"), ("questions", "gold_row")):
        duck.run(work.sql("lambda.sql", log=log, name=name, by=by))
    parts = {"log": log, "arm": quoted(arm.name)}
    more = {name: _at_each_k(work, f"{name}_at_k.sql") for name in ("sums", "shares")}
    duck.fill("rows", work.sql("rows.sql", **parts, **more, delta_s=found.column))
    duck.fill("triplets", work.sql("triplets.sql", **parts))
    gather(work, arm, broken)


def _runs(work: Work[R], log: str) -> None:
    """The table of runs; what a log has no use for is not joined."""
    ranks = {"anchor_rank": work.sql("anchor_rank.sql"), "anchor_join": ""}
    if work.duck.count("select count(*) from manifest"):
        work.duck.run(work.sql("anchors_by_manifest.sql", log=log))
        joined = f"left join anchors_{log} as anchors using (run_row)"
        ranks = {"anchor_rank": "anchors.anchor_rank", "anchor_join": joined}
    given = "spans_as_given.sql" if work.options.unit == "bytes" else "spans_converted.sql"
    parts = {"counts": _at_each_k(work, "runs_at_k.sql"), "spans": work.sql(given), **ranks}
    work.duck.run(work.sql("runs.sql", log=log, **parts))


def _at_each_k(work: Work[R], file: str) -> str:
    """The columns that there are for every k."""
    return "".join(work.sql(file, k=str(k)) for k in KS)


def concludes(work: Work[R]) -> None:
    """Notes what is known of every log."""
    for arm in work.arms:
        work.notes[arm.name] = log_of(work, arm)


def known(work: Work[R], arm: str, numbers: Numbers) -> Numbers:
    """Numbers that the log cannot show are absent: never zero, and never vacuously right."""
    log: Log = work.notes[arm]
    # Where gold has anchors and none of them could be looked for, the ids name no section.
    empty = {*UNKNOWN_IF_EMPTY, *(BY_SECTIONS if log.counts["anchors"] else ())}
    return {
        name: replace(each, value=None, numerator=None, interval=None, vacuous=False)
        if name in log.hidden or (name in empty and not each.denominator)
        else each
        for name, each in numbers.items()
    }
