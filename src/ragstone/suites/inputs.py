"""From files to the engine's tables: every input of a suite, with every bad line of all of them."""

from __future__ import annotations

from ragstone.contracts.diagnose import Rules
from ragstone.contracts.sources import Source, size_of
from ragstone.engine.content_hash import ContentSum, content_sum
from ragstone.engine.duck import Duck, identifier, listed
from ragstone.engine.read_lines import Loading, list_problems, load
from ragstone.errors import ContractError, Diagnostic, Diagnostics, InputError
from ragstone.progress import doing
from ragstone.suites import slices
from ragstone.suites.declaration import Input, O, Work
from ragstone.suites.several_files import must_answer_once

# What is said of a question's second trace under --keep error.
TRACED = "already has a trace"


def read_inputs(work: Work[O], room: float = 1.0) -> None:
    """Fills a table per input, named by it (`gold`, `trace`, ...), or lists all that is wrong.

    An input with arms gets a table for each of them: `trace_0`, `trace_1`, ... `room` is how much
    more memory the tables take than the files they come from.
    """
    size = size_of([each for some in work.sources.values() for each in some])
    work.duck.expect(int(size * room))
    bad = Diagnostics()
    with doing("reading", size, "B", work.duck.share, step="reading") as task:
        for given in work.suite.inputs:
            if not work.sources.get(given.name):
                continue
            for table, sources in tables_of(work, given):
                task.what = f"reading {given.name}"
                try:
                    with task.piece(size_of(sources)):
                        read_table(work, given, table, sources)
                except InputError as error:
                    bad.take(error)
    bad.must_be_none()
    for each in work.suite.inputs:
        # Which question a trace answers may be known only when all of them are joined.
        if each.answer_key and not each.keeps and work.sources.get(each.name):
            for table, sources in tables_of(work, each):
                must_answer_once(work, each, table, sources)


def tables_of(work: Work[O], given: Input) -> list[tuple[str, tuple[Source, ...]]]:
    """The tables that an input fills, each with the files that it is read from."""
    if given.arms or given.apart:
        return [(arm.table, arm.sources) for arm in work.arms if arm.table.startswith(given.name)]
    return [(given.name, work.sources[given.name])]


def read_table(work: Work[O], given: Input, table: str, sources: tuple[Source, ...]) -> None:
    """One table of an input, checked; counts its lines."""
    loading = loading_of(work, given, table, sources)
    lines = work.lines[table] = load(work.duck, loading)
    must_be_filled(given, sources, lines)
    if _breaks_rules(work, given, table):
        list_problems(work.duck, loading)


def loading_of(work: Work[O], given: Input, table: str, sources: tuple[Source, ...]) -> Loading:
    """What is read of an input, and what is kept of it."""
    record, mapping = given.record, work.mapping(given.record)
    sliced = work.options.slice_fields if given.name == work.suite.slices_of else ()
    files = (given.select,) if isinstance(given.select, str) else given.select
    select = "".join(work.sql(file, **given.parts) for file in files)
    if given.name == work.suite.slices_of:
        select += slices.column(sliced)
    return Loading(
        record,
        sources,
        table,
        select,
        mapping,
        sliced,
        ordered=given.ordered,
        rules=lambda: _rules(work, given),
    )


def must_be_filled(given: Input, sources: tuple[Source, ...], lines: int) -> None:
    """Refuses an input without a line, where that makes no sense."""
    if lines == 0 and given.filled:
        says = f"the {given.name} file holds no item"
        raise ContractError([Diagnostic(sources[0].name, 1, given.unique or "qid", says)])


def _rules(work: Work[O], given: Input) -> Rules:
    """What spans several lines of an input; which qids are known only a good gold set says."""
    if given.keeps and getattr(work.options, "keep", None) == "error":
        return Rules("qid", TRACED)
    checked = given.unknown == "error" and "gold" in work.lines
    known = set(work.duck.texts("select qid from gold")) if checked else None
    return Rules(given.unique, known=known, within=given.within)


def _breaks_rules(work: Work[O], given: Input, table: str) -> bool:
    """The same, over the lines that were read."""
    known = "(select qid from gold)"
    if (
        given.unknown == "error"
        and "gold" in work.lines
        and work.duck.count(f"select count(*) from {table} where qid is null or qid not in {known}")
    ):
        return True
    return bool(given.unique) and is_repeated(work.duck, table, given.unique, given.within)


def is_repeated(duck: Duck, table: str, key: str, within: str = "") -> bool:
    """Whether two rows have the same key; with `within`, the same value there too."""
    alike = f"{key}, {within}" if within else key
    return bool(
        duck.query(
            f"select 1 from {table} where {key} is not null group by {alike} "
            "having count(*) > 1 limit 1"
        )
    )


def sum_inputs(work: Work[O]) -> None:
    """The content of every table read, as a sum over exactly the columns of its projection."""
    tables = {
        table: given
        for given in work.suite.inputs
        if work.sources.get(given.name)
        for table, _ in tables_of(work, given)
        if table not in work.sums
    }
    lines = {table: work.lines.get(table, 0) for table in tables}
    total, share = sum(lines.values()), work.duck.share
    if not tables:
        return
    with doing("hashing", total or 1, "lines", share, step="hashing") as task:
        for table, given in tables.items():
            with task.piece(lines[table]):
                work.sums[table] = content_of(work.duck, given, table)


def content_of(
    duck: Duck, given: Input, table: str, where: str = "true", *, without: bool = False
) -> ContentSum:
    """The content of the rows of an input's table; `source` only says which file a row is of.

    `without` says that nothing is known to be in the columns that were added.
    """
    # Most inputs have nothing in these, and a look at an empty column costs nothing.
    added = [
        identifier(name)
        for name in given.added
        if not without
        and duck.query(f"""
            select 1 from (from {table} union all by name (select null as {name} where false))
            where {identifier(name)} is not null limit 1
        """)
    ]
    aside = listed(("source", *given.rare, *given.added))
    usual = [f"*columns(lambda name: name not in {aside})"]
    rare = [identifier(name) for name in given.rare]
    return content_sum(duck, f"{table} where {where}", usual, rare, added)


def must_share(work: Work[O], one: str, other: str, says: str) -> None:
    """Inputs that hold lines and have no question in common were not meant for each other."""
    if not work.lines.get(one) or not work.lines.get(other):
        return
    shared = work.duck.count(f"select count(*) from {other} where qid in (select qid from {one})")
    if not shared:
        raise InputError(says)
