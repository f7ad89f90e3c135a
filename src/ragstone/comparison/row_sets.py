"""A set of verdict rows that was saved as Parquet: what is in it, and what it says of itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragstone.comparison.divided_rows import show_rows
from ragstone.engine.duck import Duck, identifier, quoted
from ragstone.errors import InputError
from ragstone.suites.saved_rows import EXTRA, FIRST_ASKED, FORMAT, KEY

Side = Literal["a", "b"]

_NUMBERS = frozenset({"DOUBLE", "FLOAT", "BOOLEAN", "TINYINT", "INTEGER", "BIGINT"})
_WRITE_AGAIN = "write it again with -o rows.parquet"


@dataclass(frozen=True, slots=True)
class SavedMetric:
    """How a metric of the rows is declared; `column` holds each row's own number.

    On one that is `barred` no gate decides, and it says why.
    """

    name: str
    kind: str
    column: str
    better: str
    declared: Mapping[str, Any]
    barred: str = ""

    @property
    def yes_no(self) -> bool:
        """Whether a row's own number is 1 or 0 (or absent)."""
        return self.kind in ("ratio", "count")

    @property
    def bounds(self) -> tuple[float, float] | None:
        """What one question's number cannot leave; None where nothing bounds it."""
        if self.yes_no:
            return 0.0, 1.0
        found = self.declared.get("bounds")
        return None if found is None else (float(found[0]), float(found[1]))

    @property
    def unit(self) -> str:
        return str(self.declared.get("unit") or "")


@dataclass(frozen=True, slots=True)
class RowSet:
    """Verdict rows of one system in the engine, in the table `rows_a` or `rows_b`.

    `name` is what the user calls it, and `arm` whose rows of the file they are. `settings` are
    those that change what a number is; `gated` are the metrics that a gate of its run looked at.
    The numbers of those that are `untested` are of rows that none of them could have failed on.
    `unfrozen` rows are of gold that was not as it was frozen.
    """

    name: str
    table: str
    arm: str
    suite: str
    version: str
    digest: str
    settings: Mapping[str, Any]
    metrics: Mapping[str, SavedMetric]
    gated: tuple[str, ...]
    slice_fields: tuple[str, ...]
    untested: frozenset[str] = frozenset()
    unfrozen: bool = False


def read_row_set(duck: Duck, path: Path, name: str, side: Side, arm: str | None = None) -> RowSet:
    """The rows of a Parquet file as the table `rows_a` or `rows_b`; InputError says what is wrong.

    A file with the rows of several systems needs the name of one.
    """
    about = read_about(duck, path, name)
    arms = [str(each) for each in about["arms"]]
    if arm is None and len(arms) > 1:
        raise InputError(
            f"{name} holds the rows of {len(arms)} systems; name one of them, as in "
            f"{name}:{arms[0]} (there are {', '.join(arms)})"
        )
    if arm is not None and arm not in arms:
        raise InputError(f"{name} has no system {arm!r}; there are {', '.join(arms)}")
    chosen = arms[0] if arm is None else arm
    found = row_set(about, name, side, chosen)
    columns = _must_have(duck, path, name, found.metrics)
    asked = "" if FIRST_ASKED in columns else f", null::varchar as {FIRST_ASKED}"
    rows = f"select *{asked} from read_parquet({quoted(str(path))}) where arm = {quoted(chosen)}"
    duck.run(f"create or replace temp view saved_{side} as {rows}")
    show_rows(duck, side)
    return found


def row_set(about: Mapping[str, Any], name: str, side: Side, arm: str) -> RowSet:
    """What rows say of themselves, of the table `rows_a` or `rows_b` that holds those of an arm."""
    return RowSet(
        name=name,
        table=f"rows_{side}",
        arm=arm,
        suite=str(about["suite"]),
        version=str(about["version"]),
        digest=str(about["digest"]),
        settings=about["settings"],
        metrics={each: _metric(each, said) for each, said in about["metrics"].items()},
        gated=tuple(about["gated"]),
        slice_fields=tuple(about["slice_fields"]),
        untested=frozenset(about.get("untested", {}).get(arm, ())),
        unfrozen=bool(about.get("unfrozen")),
    )


def read_about(duck: Duck, path: Path, name: str) -> dict[str, Any]:
    """What a file of verdict rows says of itself."""
    with _no_rows(name):
        said = duck.query(
            f"select decode(value) from parquet_kv_metadata({quoted(str(path))}) "
            f"where decode(key) = {quoted(KEY)}"
        )
        about = json.loads(str(said[0][0])) if said else None
    if not isinstance(about, dict):
        raise InputError(f"{name} holds no verdict rows that can be compared; {_WRITE_AGAIN}")
    if about.get("format") != FORMAT:
        raise InputError(
            f"{name} has rows of format {about.get('format')!r}, and this version reads {FORMAT}; "
            f"{_WRITE_AGAIN}"
        )
    keys = ("suite", "version", "digest", "settings", "metrics", "gated", "slice_fields", "arms")
    lacking = [key for key in keys if key not in about]
    if lacking or not isinstance(about["metrics"], dict):
        raise InputError(f"{name} does not say its {(lacking or ['metrics'])[0]}; {_WRITE_AGAIN}")
    return about


def is_rows(duck: Duck, path: Path) -> bool:
    """Whether a file is Parquet with verdict rows of ours; traces may be Parquet too.

    A damaged one is neither, and no reason to ask for a gold set.
    """
    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            return False
    with _unreadable(f"{path} cannot be read as a Parquet file"):
        return bool(
            duck.count(
                f"select count(*) from parquet_kv_metadata({quoted(str(path))}) "
                f"where decode(key) = {quoted(KEY)}"
            )
        )


def _metric(name: str, said: Mapping[str, Any]) -> SavedMetric:
    aside = ("kind", "column", "barred")
    declared = {key: value for key, value in said.items() if key not in aside}
    barred = str(said.get("barred", ""))
    return SavedMetric(name, said["kind"], said["column"], said["better"], declared, barred)


def _must_have(
    duck: Duck, path: Path, name: str, metrics: Mapping[str, SavedMetric]
) -> Mapping[str, str]:
    """The columns, with every one that a comparison reads, and numbers where it reads numbers."""
    with _no_rows(name):
        described = duck.query(f"describe select * from read_parquet({quoted(str(path))})")
    kinds = {str(column): str(kind) for column, kind, *_ in described}
    for column in ("arm", "qid", *EXTRA):
        if column not in kinds:
            raise InputError(f"{name} has no column {identifier(column)}; {_WRITE_AGAIN}")
    for metric in metrics.values():
        if kinds.get(metric.column) not in _NUMBERS:
            raise InputError(
                f"{name} has no numbers in the column {identifier(metric.column)}; {_WRITE_AGAIN}"
            )
    return kinds


@contextmanager
def reading_rows(duck: Duck, files: Mapping[str, Path]) -> Iterator[None]:
    """Inside, rows are read; where the engine cannot, a file that is damaged is named.

    What is damaged behind a good footer is found when it is read. Only then every column of the
    files, by name, is read once more, to tell a bad file from a fault of ours.
    """
    from ragstone.engine.native import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise
    except duckdb.Error:
        for name, path in files.items():
            with _no_rows(name):
                duck.count(f"select count(hash(each)) from read_parquet({quoted(str(path))}) each")
        raise


def _no_rows(name: str) -> AbstractContextManager[None]:
    return _unreadable(f"{name} cannot be read as a Parquet file of verdict rows")


@contextmanager
def _unreadable(says: str) -> Iterator[None]:
    """Inside, an error of the engine means that the file is no Parquet, or a damaged one."""
    from ragstone.engine.native import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise
    except (duckdb.Error, UnicodeDecodeError, ValueError) as error:
        raise InputError(says) from error
