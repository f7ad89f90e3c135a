"""Verdict rows outside the engine: as Parquet or CSV files, and as what a report keeps of them."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.engine.duck import Duck, identifier, quoted
from ragstone.errors import ConfigError
from ragstone.measure.metric import Count, Mean, Metric, Quantile, Ratio, value_sql
from ragstone.scratch import keep, make_folder, remove_folder
from ragstone.suites.declaration import Check
from ragstone.suites.spreadsheet_cells import cell_sql

if TYPE_CHECKING:
    from ragstone.report.document.blocks import Offender


def rows_sql(
    checks: Mapping[str, Check], metrics: tuple[Metric, ...], order: tuple[str, ...]
) -> str:
    """Every verdict row: arm, qid, every check by its name, every metric's value, in order.

    A check and a metric of one name (`missing`) are one column: the check's.
    """
    columns = {name: f"({check.holds})::boolean" for name, check in checks.items()}
    for metric in metrics:
        if isinstance(metric, Ratio | Count | Mean | Quantile) and metric.over == "rows":
            columns.setdefault(metric.name, value_sql(metric))
    listed = ", ".join(f"{sql} as {identifier(name)}" for name, sql in columns.items())
    return f"select arm, qid, {listed} from rows order by arm, {', '.join(order)}"


def write_parquet(duck: Duck, select: str, path: Path) -> None:
    duck.run(f"copy ({select}) to {quoted(str(path))} (format parquet, use_tmp_file false)")


def _write_csv(duck: Duck, parquet: Path, path: Path) -> None:
    """The rows of a Parquet file as a CSV file."""
    texts = ", ".join(f"{cell_sql(name)} as {name}" for name in ("arm", "qid"))
    duck.run(
        f"copy (select * replace ({texts}) from read_parquet({quoted(str(parquet))})) "
        f"to {quoted(str(path))} (format csv, header true, use_tmp_file false)"
    )


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            yield chunk


class KeptRows:
    """The verdict rows of a report that was made in Python: files in a folder that goes with it."""

    def __init__(self) -> None:
        self._folder = folder = make_folder()
        self._cleanup = weakref.finalize(self, remove_folder, folder)
        # The verdict rows, and what a report shows of those that cost something.
        self.rows, self.costs = keep(folder, ()), keep(folder, ())

    def content(self, name: str) -> Iterator[bytes]:
        """The rows as the bytes of a Parquet or CSV file of the user's."""
        if Path(name).suffix.lower() != ".csv":
            return _chunks(self.rows)
        made = keep(self._folder, ())
        with Duck() as duck:
            _write_csv(duck, self.rows, made)
        return _chunks(made)

    def arrow(self) -> Any:
        """The rows as a pyarrow table."""
        try:
            from pyarrow import parquet  # type: ignore[import-untyped]
        except ModuleNotFoundError:
            raise ConfigError(
                "rows() needs pyarrow, which is not installed: pip install pyarrow"
            ) from None
        return parquet.read_table(self.rows)

    def offenders(self, metric: str) -> tuple[Offender, ...]:
        """Every row that cost this metric something, in the order of the report."""
        from ragstone.suites.offenders import offender_of

        with Duck() as duck:
            found = duck.dicts(
                f"from read_parquet({quoted(str(self.costs))}) where list_contains(costs, $metric)",
                {"metric": metric},
            )
        return tuple(offender_of(row) for row in found)
