"""What is wrong with the inputs, in the same words as on one machine.

Executors say what is wrong with which line. Where that spans several lines (a qid that is there
twice), the driver reads the table once more, line by line; tables that are good are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ragstone.contracts.diagnose import Rules
from ragstone.contracts.record import Record
from ragstone.contracts.sources import Source
from ragstone.engine.read_lines import Loading, list_problems
from ragstone.errors import DISPLAY, ConfigError, ContractError, Diagnostics, InputError
from ragstone.spark.cluster import Cluster
from ragstone.spark.job import Whole, needs_of, parted_inputs, whole_of
from ragstone.spark.per_question import Partial
from ragstone.spark.said_lines import Said, error_of, lines_before, splits_before
from ragstone.suites.declaration import Input, Work
from ragstone.suites.inputs import TRACED, loading_of, must_be_filled, read_table, tables_of
from ragstone.suites.several_files import put_together, refuse

# Such tables travel with every task; a message of Spark Connect has at most 128 MB.
_MOST = 100 * 10**6


def read_whole(work: Work[Any]) -> tuple[dict[str, Whole], dict[str, InputError]]:
    """The tables that every executor needs whole, and what is wrong with their inputs."""
    found: dict[str, Whole] = {}
    bad: dict[str, InputError] = {}
    parted = {given.name for given in parted_inputs(work)}
    for given in work.suite.inputs:
        if given.name in parted or not work.sources.get(given.name):
            continue
        for table, sources in tables_of(work, given):
            try:
                read_table(work, given, table, sources)
            except InputError as error:
                bad[table] = error
                continue
            found[table] = whole_of(work.duck, table)
            must_travel(given.name, found[table])
    return found, bad


def must_travel(name: str, whole: Whole) -> None:
    """Refuses a table that is too large to go with every task."""
    size = len(whole.rows)
    if size > _MOST:
        raise ConfigError(
            f"{name} has {size / 10**6:,.0f} MB, and travels with every task: on Spark it may have "
            f"{_MOST // 10**6} MB"
        )


def raise_problems(
    work: Work[Any],
    cluster: Cluster,
    found: Sequence[Partial],
    bad: Mapping[str, InputError],
) -> None:
    """Raises with all that is wrong with any input, if something is."""
    problems = Diagnostics()
    repeated: dict[str, dict[str, str]] = {}
    for some in found:
        for name, asked in some.repeated.items():
            repeated.setdefault(name, {}).update(asked)
    strange = frozenset[str]().union(*(some.strange for some in found))
    for given, table, sources in _tables(work):
        said = _said_of(table, cluster, found)
        faulty = any(source.fault and not source.table for source in sources)
        # Which traces repeat a question is looked at once all lines are good.
        twice = table in repeated and not given.keeps
        # Which qids are known only a good gold set says.
        known = given.unknown == "error" and not problems
        if table in bad:
            problems.take(bad[table])
        elif said or faulty or twice or (known and table in strange):
            if known and "gold" not in work.lines:
                _read_gold(work)
            problems.take(_wrong_with(work, cluster, given, table, said))
        elif given.filled and not any(some.lines.get(table) for some in found):
            problems.take(_not_filled(given, sources))
    problems.must_be_none()
    for given, table, sources in _tables(work):
        if table in repeated:
            rules = partial(Rules, "qid", TRACED, asked=repeated[table])
            mapping = work.mapping(given.record)
            loading = Loading(given.record, sources, "", "", mapping, rules=rules)
            problems.take(_listed(work, loading))
    problems.must_be_none()
    for _, table, sources in _tables(work):
        refuse(work.suite, sources, put_together(some.shared.get(table, {}) for some in found))


def _wrong_with(
    work: Work[Any], cluster: Cluster, given: Input, table: str, said: Sequence[Said]
) -> InputError:
    """What is wrong with the lines of a table, of which executors have said something."""
    sources = dict(tables_of(work, given))[table]
    if needs_of(work).reads:
        return _read_again(work, given, sources)
    loading = loading_of(work, given, table, sources)
    # Only whoever sees all lines knows what spans several, or is the end of a file.
    spans = given.unknown == "error" or loading.rules().unique
    faulty = any(source.fault and not source.table for source in sources)
    alone = said and not faulty and not spans and _told_in_full(said)
    return _numbered(cluster, said, sources) if alone else _listed(work, loading)


def _read_again(work: Work[Any], given: Input, sources: tuple[Source, ...]) -> InputError:
    """What is wrong with files that the suite reads in its own way."""
    if error := _of_catalogue(given.record, sources):
        return error
    reads = needs_of(work).reads
    assert reads is not None
    try:
        for source in sources:
            reads(work, given, "read_again", source, divided=False)
    except InputError as error:
        return error
    names = ", ".join(source.name for source in sources)
    return InputError(f"{names}: an executor refused a line, and here none is wrong")


def _of_catalogue(record: Record, sources: tuple[Source, ...]) -> InputError | None:
    """What no file holds has no line to name."""
    tables = [source.name for source in sources if source.table]
    if not tables:
        return None
    says = f"some row breaks the contract of a {record.name}, or has the qid of another"
    return InputError(f"{', '.join(tables)}: {says}")


def _read_gold(work: Work[Any]) -> None:
    """Gold, for whoever has to know which qids it has."""
    given = work.suite.input("gold")
    for table, sources in tables_of(work, given):
        read_table(work, given, table, sources)


def _tables(work: Work[Any]) -> Iterator[tuple[Input, str, tuple[Source, ...]]]:
    for given in work.suite.inputs:
        if work.sources.get(given.name):
            for table, sources in tables_of(work, given):
                yield given, table, sources


def _said_of(table: str, cluster: Cluster, found: Sequence[Partial]) -> list[Said]:
    """What executors say of the lines of a table, in the order of the lines."""
    names = [each.name for each in cluster.job.tables]
    said = (each for some in found for each in some.refused if names[each.tab] == table)
    return sorted(said, key=lambda each: each.place)


def _told_in_full(said: Sequence[Said]) -> bool:
    """Whether nothing is left that would have to be described."""
    display = DISPLAY.get()
    return all(each.count for each in said) and not (display is not None and display.every)


def _numbered(cluster: Cluster, said: Sequence[Said], sources: tuple[Source, ...]) -> ContractError:
    needed = splits_before(said, cluster.splits)
    return error_of(said, sources, lines_before(needed, cluster.breaks(needed)))


def _listed(work: Work[Any], loading: Loading) -> InputError:
    """What is wrong with the lines of a table, each read here once more."""
    if error := _of_catalogue(loading.record, loading.sources):
        return error
    try:
        list_problems(work.duck, loading)
    except InputError as error:
        return error


def _not_filled(given: Input, sources: tuple[Source, ...]) -> InputError:
    try:
        must_be_filled(given, sources, 0)
    except InputError as error:
        return error
    raise AssertionError(given.name)
