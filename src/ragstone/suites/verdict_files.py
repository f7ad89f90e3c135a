"""Verdict rows outside the engine: as Parquet or CSV files, and as what a report keeps of them."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.engine.duck import Duck, quoted
from ragstone.errors import ConfigError
from ragstone.progress import doing, weighing
from ragstone.scratch import keep, make_folder, remove_folder
from ragstone.suites.declaration import Check, Outcome, Work
from ragstone.suites.offenders import costly_metrics, offender_of, offenders_sql
from ragstone.suites.saved_rows import EXTRA, FIRST_ASKED, KEY, about, saved_sql
from ragstone.suites.spreadsheet_cells import cell_sql
from ragstone.suites.step_weights import amount_of

if TYPE_CHECKING:
    from ragstone.report.document.blocks import Offender
    from ragstone.suites.options import Texts


def write_parquet(
    duck: Duck, select: str, path: Path, about: Mapping[str, object] | None = None
) -> None:
    """What a statement selects as a Parquet file, which says of itself what `about` holds."""
    told = ""
    if about is not None:
        said = json.dumps(about, ensure_ascii=False)
        told = f", kv_metadata {{{KEY}: {quoted(said)}}}"
    where = quoted(str(path))
    duck.run(f"copy ({select}) to {where} (format parquet, use_tmp_file false{told})")


def _write_csv(duck: Duck, parquet: Path, path: Path) -> None:
    """The rows of a Parquet file as a CSV file: what a spreadsheet can show of them."""
    texts = ", ".join(f"{cell_sql(name)} as {name}" for name in ("arm", "qid"))
    shown = f"* exclude ({', '.join((*EXTRA, FIRST_ASKED))}) replace ({texts})"
    duck.run(
        f"copy (select {shown} from read_parquet({quoted(str(parquet))})) "
        f"to {quoted(str(path))} (format csv, header true, use_tmp_file false)"
    )


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            yield chunk


class KeptRows:
    """The verdict rows of a report that was made in Python: files in a folder that goes with it.

    Of a run that is `compared_only` nobody reads the file: rows come in any order, and what they
    cost is not written, which takes as long as half a score; nor is it where nobody asks for
    `costs`. Rows to be `recorded` may hold less of the texts, and are then written once more, or
    instead of the others where they are `recorded_only`.
    """

    def __init__(
        self,
        *,
        compared_only: bool = False,
        costs: bool = True,
        recorded: Texts | None = None,
        recorded_only: bool = False,
    ) -> None:
        self.compared_only, self._costs = compared_only, costs
        self._recorded, self._recorded_only = recorded, recorded_only
        self.folder = folder = make_folder()
        self._cleanup = weakref.finalize(self, remove_folder, folder)
        # The verdict rows, and what a report shows of those that cost something.
        self.rows, self.costs = keep(folder, ()), keep(folder, ())
        self.recorded = self.rows
        self._checks: Mapping[str, Check] = {}

    def take(self, work: Work[Any], outcome: Outcome[Any]) -> None:
        """Writes the rows while they are in the engine."""
        self._checks = work.suite.checks
        if self.compared_only:
            with work.duck.ordering(False):
                select = saved_sql(work, outcome.metrics, ordered=False)
                write_parquet(work.duck, select, self.rows, about(work, outcome))
            return
        written = [*self._selects(work, outcome)]
        rows, unit = amount_of(work)
        with doing("", rows * len(written), unit, work.duck.share) as task:
            for path, select, said in written:
                with task.piece(rows):
                    write_parquet(work.duck, select, path, said)

    def _selects(
        self, work: Work[Any], outcome: Outcome[Any]
    ) -> Iterator[tuple[Path, str, Mapping[str, object] | None]]:
        """Each file, what is selected for it, and what it says of itself."""
        said = about(work, outcome)
        texts = self._recorded if self._recorded_only else None
        yield self.rows, saved_sql(work, outcome.metrics, texts=texts), said
        if not self._recorded_only and self._recorded not in (None, work.options.report_texts):
            self.recorded = keep(self.folder, ())
            yield self.recorded, saved_sql(work, outcome.metrics, texts=self._recorded), said
        if self._costs:
            own = [gate for gate in outcome.gates_on_all if gate.arm == work.shown]
            costly = costly_metrics(outcome.metrics, None, own)
            yield self.costs, offenders_sql(work, work.arm(work.shown), costly, own, None), None

    def content(self, name: str) -> Iterator[bytes]:
        """The rows as the bytes of a Parquet or CSV file of the user's."""
        made = self.rows
        if Path(name).suffix.lower() == ".csv":
            made = keep(self.folder, ())
            with Duck() as duck:
                count = duck.count(f"select count(*) from read_parquet({quoted(str(self.rows))})")
                with doing(f"writing {name}", count, "rows", duck.share):
                    _write_csv(duck, self.rows, made)
        yield from weighing(_chunks(made), f"writing {name}", made.stat().st_size)

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
        with Duck() as duck:
            found = duck.dicts(
                f"from read_parquet({quoted(str(self.costs))}) where list_contains(costs, $metric)",
                {"metric": metric},
            )
        return tuple(offender_of(row, self._checks) for row in found)
