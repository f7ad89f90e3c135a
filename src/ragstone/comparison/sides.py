"""What a word of the command line stands for: a system of it, saved rows, a report, or traces."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from ragstone.comparison.compare_rows import Compared, Comparing, compared, comparing
from ragstone.comparison.divided_rows import show_rows
from ragstone.comparison.row_sets import (
    is_rows,
    read_about,
    read_row_set,
    reading_rows,
    row_set,
)
from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError, InputError
from ragstone.ledger.run_place import PLACE
from ragstone.ledger.run_store import FoundRun, RunStore
from ragstone.ledger.run_words import look_for_run
from ragstone.progress import doing
from ragstone.suites.arms_apart import names_of, sources_of
from ragstone.suites.declaration import AnySuite, Input, Outcome, Work
from ragstone.suites.evaluate import run
from ragstone.suites.options import Options
from ragstone.suites.saved_rows import about, fill_saved
from ragstone.suites.verdict_files import KeptRows

O = TypeVar("O", bound=Options)  # noqa: E741 (the usual letter for options)


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: a file of saved rows, or what is to be scored first.

    `name` is what reports call it, `word` what the user wrote. `arm` is one of several systems of
    the file; `rows` is None until what is `given` has been scored, and `kept` keeps those files.
    `run` is the digest of a run of the ledger.
    """

    name: str
    word: str
    rows: Path | None = None
    arm: str | None = None
    given: Any = None
    suite: str | None = None
    kept: KeptRows | None = None
    run: str | None = None


def look_up(
    word: str, systems: Mapping[str, Any], place: str = PLACE, suite: str | None = None
) -> Side:
    """A system of this command, an existing path, or a run of the ledger at `place`.

    Found twice or not at all is an error. Of a run of several suites, `suite` says whose rows.
    """
    side = look_for(word, systems, place, suite)
    if side is not None:
        return side
    there = f"; there are the systems {', '.join(systems)}" if systems else ""
    raise InputError(f"{word}: no system of this command, no run and no file has this name{there}")


def look_for(
    word: str, systems: Mapping[str, Any], place: str = PLACE, suite: str | None = None
) -> Side | None:
    """The same, and None where nothing is called that."""
    path, arm = _path_of(word)
    if word in systems and path is not None:
        raise ConfigError(f"{word} is a system of this command and a file too; rename one of them")
    run = look_for_run(word, RunStore(place), suite)
    if run is not None and (word in systems or path is not None):
        what = "a system of this command" if word in systems else "a file"
        raise ConfigError(f"{word} is {what} and a run too; write more of the one that is meant")
    if run is not None:
        return side_of_run(run, word, suite)
    if word in systems:
        return Side(word, word, given=systems[word])
    return None if path is None else _side_of_file(path, arm, word)


def side_of_run(run: FoundRun, word: str, suite: str | None) -> Side:
    """The rows of a run; those that are elsewhere are copied, and go with the side."""
    suites = run.suites()
    chosen = suites[0] if len(suites) == 1 else suite or ""
    if chosen not in suites:
        there = f"there are {', '.join(suites)}" if suites else "it has no rows"
        asked = f"has no suite {chosen!r}" if chosen else "has several suites; name one (--suite)"
        raise ConfigError(f"{word}: the run {run.digest[:8]} {asked}: {there}")
    name = f"{chosen}/rows.parquet".lstrip("/")
    kept = KeptRows()
    rows = run.local(name, kept.folder)
    with Duck(1) as duck:
        about = read_about(duck, rows, run.named(name))
    named_suite = str(about["suite"])
    return Side(run.called, word, rows=rows, suite=named_suite, kept=kept, run=run.digest)


def suites_in(word: str, place: str) -> list[str]:
    """The suites that a baseline has rows of; none for traces, which no suite owns."""
    run = look_for_run(word, RunStore(place))
    if run is None:
        owner = look_up(word, {}, place).suite
        return [] if owner is None else [owner]
    return [name or _suite_of(run) for name in run.suites()]


def _suite_of(run: FoundRun) -> str:
    return str(json.loads(run.read("report.json"))["suite"])


def side_of(given: Any, name: str, place: str = PLACE, suite: str | None = None) -> Side:
    """A side as a call in Python gives it: a report with rows, a path, or data in memory.

    `name` is what it is called where nothing else names it.
    """
    kept = getattr(given, "kept", None)
    if isinstance(kept, KeptRows):
        return Side(name, name, rows=kept.rows, kept=kept, suite=given.suite)
    if hasattr(given, "kept"):
        raise ConfigError(f"{name}: this report has no rows: only one that a call made keeps them")
    if isinstance(given, str | Path):
        return look_up(str(given), {}, place, suite)
    return Side(name, name, given=given)


def _path_of(word: str) -> tuple[Path | None, str | None]:
    """The file that a word names, and behind a colon the system in it."""
    if _is_file(word) or any(sign in word for sign in "*?["):
        return Path(word), None
    file, colon, arm = word.rpartition(":")
    return (Path(file), arm) if colon and _is_file(file) else (None, None)


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        # A name that is too long, or holds a NUL, is no file's.
        return False


def _side_of_file(path: Path, arm: str | None, word: str) -> Side:
    if not path.is_file():
        return Side(word, word, given=[word])
    with Duck(1) as duck:
        rows = path if is_rows(duck, path) else _rows_beside(duck, path)
        if rows is None:
            if arm is not None:
                raise InputError(f"{path} holds no verdict rows, and so no system {arm!r}")
            return Side(word, word, given=[word])
        about = read_about(duck, rows, str(rows))
    return Side(arm or word, word, rows=rows, arm=arm, suite=str(about["suite"]))


def _rows_beside(duck: Duck, path: Path) -> Path | None:
    """The rows of a report's JSON, which have its name but for the extension; None: no report."""
    if path.suffix.lower() != ".json":
        return None
    try:
        whole = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    if not isinstance(whole, dict) or not {"format", "suite", "digest"} <= whole.keys():
        return None
    rows = path.with_suffix(".parquet")
    if not _is_file(str(rows)):
        raise InputError(
            f"{path} is a report without its rows: {rows} does not exist; write both with "
            f"-o {path} -o {rows}"
        )
    if read_about(duck, rows, str(rows))["digest"] != whole["digest"]:
        raise InputError(f"{rows} holds the rows of another run than {path}; write both in one run")
    return rows


def named(sides: Sequence[Side]) -> tuple[Side, ...]:
    """The sides with names for reports: no path, and no two the same.

    >>> [side.name for side in named([Side("a/run.parquet", ""), Side("b/run.parquet", "")])]
    ['run 1', 'run 2']
    """
    names = names_of([side.name for side in sides], "side")
    return tuple(replace(side, name=name) for side, name in zip(sides, names, strict=True))


def done_in(suite: AnySuite) -> Input | None:
    """The input that holds what a pipeline did, where that is one: what two runs differ in."""
    arms = [each for each in suite.inputs if each.arms]
    alone = [each for each in suite.inputs if each.required and each.many and not each.shared]
    found = arms or alone
    return found[0] if len(found) == 1 else None


def scored(
    side: Side, suite: AnySuite, inputs: Mapping[str, Any], options: O, threads: int | None
) -> Side:
    """The side with its rows: those of a file as they are, others from a run of the suite."""
    if side.rows is not None:
        return side
    done = done_in(suite)
    if done is None:
        raise ConfigError(
            f"{side.word}: {suite.name} is compared by its rows; write them with -o rows.parquet"
        )
    keep = KeptRows(compared_only=True)
    with Duck(threads) as duck:
        sources, arms = sources_of(suite, {**inputs, done.name: side.given}, duck)
        run(suite, duck, sources, _for_rows(options), arms, keep)
    return replace(side, rows=keep.rows, kept=keep, suite=suite.name)


def _for_rows(options: O) -> O:
    """The options of a run that only makes rows: what is waived is for the comparison to know."""
    return replace(options, baseline=None, waive=(), as_of=None)


def compare_given(
    sides: Sequence[Side],
    suite: AnySuite,
    inputs: Mapping[str, Any],
    options: O,
    threads: int | None = None,
) -> Compared:
    """Scores what is not scored yet, and compares: two systems of one gold set in one engine."""
    a, b = sides
    how = comparing(options)
    done = done_in(suite)
    if a.rows is None and b.rows is None and done is not None and suite.compared is not None:
        both = {**inputs, done.name: {"a": a.given, "b": b.given}}
        with doing("comparing", steps={"judging": 8, "comparing": 2}):
            return _compared_in_one(suite, both, _for_rows(options), (a, b), how, threads)
    with doing("comparing", steps={"a": 4, "b": 4, "comparing": 2}):
        with doing("scoring", step="a"):
            one = scored(a, suite, inputs, options, threads)
        with doing("scoring", step="b"):
            two = scored(b, suite, inputs, options, threads)
        return compare_sides(one, two, how, threads)


class _Tables:
    """Takes the rows of the systems `a` and `b` as the tables that a comparison reads."""

    def __init__(self) -> None:
        self.about: dict[str, Any] = {}

    def take(self, work: Work[Any], outcome: Outcome[Any]) -> None:
        self.about = about(work, outcome)
        for side in ("a", "b"):
            fill_saved(work, outcome, side, f"saved_{side}")
            show_rows(work.duck, side)


def _compared_in_one(
    suite: AnySuite,
    inputs: Mapping[str, Any],
    options: O,
    sides: tuple[Side, Side],
    how: Comparing,
    threads: int | None,
) -> Compared:
    tables = _Tables()
    with Duck(threads) as duck:
        sources, arms = sources_of(suite, inputs, duck)
        # The report of several systems compares them in its own way, and is not asked for here.
        outcome = run(replace(suite, compared=None), duck, sources, options, arms, tables)
        a = row_set(tables.about, sides[0].name, "a", "a")
        b = row_set(tables.about, sides[1].name, "b", "b")
        found = compared(duck, a, b, how)
    warnings = dict.fromkeys((*outcome.warnings, *found.warnings))
    return replace(found, warnings=tuple(warnings))


def compare_sides(a: Side, b: Side, how: Comparing, threads: int | None = None) -> Compared:
    """Both sides, whose rows are there, in an engine of their own."""
    if a.rows is None or b.rows is None:
        raise ValueError("both sides must have been scored")
    files = {a.name: a.rows, b.name: b.rows}
    with Duck(threads) as duck, reading_rows(duck, files):
        if how.memory:
            duck.limit(how.memory, how.temp)
        one = read_row_set(duck, a.rows, a.name, "a", a.arm)
        two = read_row_set(duck, b.rows, b.name, "b", b.arm)
        return compared(duck, one, two, how)
