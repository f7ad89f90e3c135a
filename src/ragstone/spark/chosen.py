"""Whether a run is scored on Spark, and whether that can be; only then is pyspark looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ragstone.errors import ConfigError
from ragstone.suites.declaration import AnySuite, Work
from ragstone.suites.options import Options
from ragstone.suites.registry import suites

if TYPE_CHECKING:
    from ragstone.spark.rows_out import RowsFolder

Elsewhere = Callable[[Work[Any]], None]


@contextmanager
def elsewhere(
    suite: AnySuite,
    options: Options,
    session: Any = None,
    *,
    rows_for: str = "",
    rows: RowsFolder | None = None,
) -> Iterator[Elsewhere | None]:
    """Inside, what reads and scores in the place of this machine; None where this machine does.

    `rows_for` names what needs every row of the run, which no driver holds; `rows` is where
    executors may write them.
    """
    if options.engine != "spark":
        yield None
        return
    if suite.on_spark is None:
        able = [each.name for each in suites() if each.on_spark]
        raise ConfigError(
            f"{suite.name} cannot be scored on Spark, but {', '.join(able[:-1])} and {able[-1]} "
            "can; leave out --engine spark"
        )
    if rows_for:
        raise ConfigError(
            f"{rows_for} needs every row, and from Spark come only those that a report shows; "
            "leave out --engine spark"
        )
    from ragstone.spark.driver import scoring
    from ragstone.spark.spark_session import session_for

    with session_for(options, session) as found:
        yield scoring(found, rows)
