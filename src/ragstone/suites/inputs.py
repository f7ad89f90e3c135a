"""From files to the engine's tables: every input of a suite, with every bad line of all of them."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.contracts.record import shown
from ragstone.contracts.sources import Source, size_of
from ragstone.engine.content_hash import content_sum
from ragstone.engine.duck import Duck, identifier
from ragstone.engine.line_places import must_be_unique, places
from ragstone.engine.read_lines import Loading, as_jsonl, load
from ragstone.errors import ContractError, Diagnostic, InputError
from ragstone.suites import slices
from ragstone.suites.declaration import Input, O, Work


def read_inputs(work: Work[O], room: float = 1.0) -> None:
    """Fills a table per input, named by it (`gold`, `trace`, ...), or lists all that is wrong.

    An input with arms gets a table for each of them: `trace_0`, `trace_1`, ... `room` is how much
    more memory the tables take than the files they come from.
    """
    size = size_of([each for some in work.sources.values() for each in some])
    work.duck.expect(int(size * room))
    bad: list[Diagnostic] = []
    for given in work.suite.inputs:
        if not work.sources.get(given.name):
            continue
        for table, sources in tables_of(work, given):
            try:
                read_table(work, given, table, sources)
            except ContractError as error:
                bad.extend(error.diagnostics)
    if bad:
        raise ContractError(bad)
    for given in work.suite.inputs:
        if given.unknown == "error" and work.sources.get(given.name):
            for table, sources in tables_of(work, given):
                must_be_known(work, given, table, sources)


def tables_of(work: Work[O], given: Input) -> list[tuple[str, tuple[Source, ...]]]:
    """The tables that an input fills, each with the files that it is read from."""
    if given.arms or given.apart:
        return [(arm.table, arm.sources) for arm in work.arms if arm.table.startswith(given.name)]
    return [(given.name, work.sources[given.name])]


def read_table(work: Work[O], given: Input, table: str, sources: tuple[Source, ...]) -> None:
    """One table of an input, checked; counts its lines."""
    record, mapping = given.record, work.mapping(given.record)
    sliced = work.options.slice_fields if given.name == work.suite.slices_of else ()
    files = (given.select,) if isinstance(given.select, str) else given.select
    select = "".join(work.sql(file, **given.parts) for file in files)
    if given.name == work.suite.slices_of:
        select += slices.column(sliced)
    loading = Loading(record, sources, table, select, mapping, sliced, ordered=given.ordered)
    lines = load(work.duck, loading)
    if lines == 0 and given.filled:
        says = f"the {given.name} file holds no item"
        raise ContractError([Diagnostic(sources[0].name, 1, given.unique or "qid", says)])
    if given.unique:
        must_be_unique(work.duck, table, sources, mapping, "was already given", key=given.unique)
    work.lines[table] = lines


def sum_inputs(work: Work[O]) -> None:
    """The content of every table read, as a sum over exactly the columns of its projection."""
    for given in work.suite.inputs:
        if not work.sources.get(given.name):
            continue
        for table, _ in tables_of(work, given):
            if table not in work.sums:
                work.sums[table] = content_sum(work.duck, table, columns_of(work.duck, table))


def columns_of(duck: Duck, table: str) -> str:
    """The columns that a projection selected, as SQL; `source` only says which file a row is of."""
    return ", ".join(identifier(name) for name in duck.columns(table) if name != "source")


def must_share(work: Work[O], one: str, other: str, says: str) -> None:
    """Inputs that hold lines and have no question in common were not meant for each other."""
    if not work.lines.get(one) or not work.lines.get(other):
        return
    shared = work.duck.count(f"select count(*) from {other} where qid in (select qid from {one})")
    if not shared:
        raise InputError(says)


def must_be_known(work: Work[O], given: Input, table: str, sources: Sequence[Source]) -> None:
    """Every line names a question of the gold set; each that does not is listed with its place."""
    unknown = work.duck.texts(f"""
        select distinct coalesce(qid, '') from {table}
        where qid is null or qid not in (select qid from gold)
    """)
    if not unknown:
        return
    bad = []
    # A line of a Parquet file is its row.
    plain = [as_jsonl(work.duck, source) for source in sources]
    for qid, at in places(work.duck, plain, work.mapping(given.record), unknown).items():
        says = f"{shown(qid)} is not a question of the gold set"
        if not qid:
            says = f"the {given.record.name} names none"
        bad += [Diagnostic(place.file, place.line, "qid", says) for place in at]
    raise ContractError(sorted(bad))
