"""What is wrong with the inputs, in the same words as on one machine.

Executors say in which tables something is wrong. The driver then reads these once more, line by
line, and names every problem with its file and line; those that are good are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragstone.contracts.diagnose import Rules
from ragstone.contracts.sources import Source
from ragstone.engine.read_lines import Loading, list_problems
from ragstone.errors import ConfigError, ContractError, Diagnostic, Diagnostics, InputError
from ragstone.spark.job import Whole, columns_of, parted_inputs, rows_of
from ragstone.spark.per_question import Partial
from ragstone.suites.declaration import Input, Work
from ragstone.suites.inputs import TRACED, loading_of, must_be_filled, read_table, tables_of

# Such tables travel with every task; a message of Spark Connect has at most 128 MB.
_MOST = 100 * 10**6

Asked = Callable[[], dict[str, str]]


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
            found[table] = Whole(columns_of(work.duck, table), rows_of(work.duck, table))
            size = len(found[table].rows)
            if size > _MOST:
                raise ConfigError(
                    f"{given.name} are {size / 10**6:,.0f} MB, and travel with every task: on "
                    f"Spark they may be {_MOST // 10**6} MB"
                )
    return found, bad


def raise_problems(
    work: Work[Any],
    found: Sequence[Partial],
    bad: Mapping[str, InputError],
    asked: Asked = dict,
) -> None:
    """Raises with all that is wrong with any input, if something is."""
    refused = {table for partial in found for table in partial.refused}
    repeated = {table for partial in found for table in partial.repeated}
    problems = Diagnostics()
    for given in work.suite.inputs:
        if not work.sources.get(given.name):
            continue
        for table, sources in tables_of(work, given):
            # Which traces repeat a question is looked at once all lines are good.
            wrong = refused if given.keeps else refused | repeated
            faulty = any(source.fault and not source.table for source in sources)
            if table in bad:
                problems.take(bad[table])
            elif table in wrong or faulty:
                problems.take(_listed(loading_of(work, given, table, sources), work))
            elif given.filled and not any(partial.lines.get(table) for partial in found):
                problems.take(_not_filled(given, sources))
    problems.must_be_none()
    for given in work.suite.inputs:
        for table, sources in tables_of(work, given) if work.sources.get(given.name) else ():
            if table in repeated:
                rules = Rules("qid", TRACED, asked=asked())
                mapping = work.mapping(given.record)
                loading = Loading(given.record, sources, "", "", mapping, rules=lambda: rules)
                problems.take(_listed(loading, work))
    problems.must_be_none()


def _listed(loading: Loading, work: Work[Any]) -> InputError:
    """What is wrong with the lines of a table."""
    tables = [source.name for source in loading.sources if source.table]
    if tables:
        # What no file holds has no line to name.
        says = f"some row breaks the contract of a {loading.record.name}, or has the qid of another"
        return ContractError([Diagnostic("", 0, "", f"{', '.join(tables)}: {says}")])
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
