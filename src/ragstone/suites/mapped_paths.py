"""A path that a user maps a field to must be somewhere: else every line lacks it, silently."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ragstone.contracts.diagnose import numbered
from ragstone.contracts.json_paths import EACH, Path, spelled
from ragstone.contracts.mapped_fields import parse_mapped
from ragstone.contracts.path_columns import path_columns
from ragstone.contracts.record import Record, fields_called, value_at
from ragstone.contracts.sources import Source
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.contracts.table_files import table_rows
from ragstone.engine.parquet_columns import wanted
from ragstone.engine.parquet_files import lines_or_rows
from ragstone.errors import Diagnostics, InputError
from ragstone.gates.judge import suggestion
from ragstone.suites.declaration import O, Work

# So many lines are counted: all of most gold sets, and no noticeable time of a large log.
COUNTED = 10_000


def must_be_found(work: Work[O]) -> None:
    """Each mapped path is in some line of the inputs that have the field; one is enough.

    A path that few of the first lines have is warned of: it may be another one that is meant.
    """
    bad = Diagnostics()
    for name, text in work.options.map.items():
        path = parse_mapped(text).path
        inputs = [
            given.name
            for given in work.suite.inputs
            if fields_called(given.record, name) and work.sources.get(given.name)
        ]
        if not inputs or not path:
            continue
        have, seen = _counted(work, inputs, path)
        if have:
            if seen > 1 and have * 2 < seen:
                work.warnings.append(_few(name, text, path, inputs, have, seen))
            continue
        keys: dict[str, None] = {}
        # Of a Parquet file, what else it has is read only now.
        for line in _lines(work, inputs, whole=True):
            keys.update(dict.fromkeys(_paths(line)))
        if not keys:
            continue
        meant = suggestion(spelled(path), list(keys))
        where = f"no line of {' or '.join(inputs)} has {spelled(path)}"
        bad.take(InputError(f"map {name}={text}: {where}{meant}"))
    bad.must_be_none()


def _counted(work: Work[O], inputs: list[str], path: Path) -> tuple[int, int]:
    """How many of the first lines have something at a path, and how many these are.

    Where none of them does, it is looked for in all others until one does.
    """
    have = seen = 0
    for line in _lines(work, inputs):
        if seen < COUNTED:
            seen += 1
            have += _has(line, path)
        elif have or _has(line, path):
            return max(have, 1), seen
    return have, seen


def _few(name: str, text: str, path: Path, inputs: list[str], have: int, seen: int) -> str:
    lines = f"{seen:,} lines" if seen < COUNTED else f"the first {seen:,} lines"
    return (
        f"map {name}={text}: {have:,} of {lines} of {' and '.join(inputs)} "
        f"{'has' if have == 1 else 'have'} {spelled(path)}"
    )


def _lines(work: Work[O], inputs: list[str], *, whole: bool = False) -> Iterator[object]:
    for name in inputs:
        record = work.suite.input(name).record
        for source in work.sources[name]:
            # What cannot be read is named when the input is, with everything else.
            with suppress(InputError):
                yield from _values(work, record, source, whole)


def _values(work: Work[O], record: Record, source: Source, whole: bool) -> Iterator[object]:
    mapping = work.mapping(record)
    asked = wanted(record, mapping, tuple(path_columns(source.name)), whole=whole)
    lines = lines_or_rows(work.duck, source, asked)
    if record.tables:
        yield from table_rows(source.name, lines, mapping)
        return
    for _, line in numbered(lines):
        with suppress(NotJson):
            yield parse(line, explain=False)


def _has(line: object, path: Path) -> bool:
    """Whether the line has a value at the path."""
    found = value_at(line, path)
    if EACH in path and isinstance(found, list) and found:
        return any(item is not None for item in found)
    return found is not None


def _paths(value: object, at: Path = ()) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield spelled((*at, key))
            yield from _paths(item, (*at, key))
    elif isinstance(value, list):
        for item in value[:1]:
            yield from _paths(item, (*at, EACH))
