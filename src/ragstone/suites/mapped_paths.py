"""A path that a user maps a field to must be somewhere: else every line lacks it, silently."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ragstone.contracts.diagnose import numbered
from ragstone.contracts.json_paths import EACH, Path, parse_path, spelled
from ragstone.contracts.path_columns import path_columns
from ragstone.contracts.record import Record, mapping_of, value_at
from ragstone.contracts.sources import Source
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.contracts.table_files import table_rows
from ragstone.engine.parquet_columns import wanted
from ragstone.engine.parquet_files import lines_or_rows
from ragstone.errors import Diagnostics, InputError
from ragstone.gates.judge import suggestion
from ragstone.suites.declaration import O, Work


def must_be_found(work: Work[O]) -> None:
    """Each mapped path is in some line of the inputs that have the field; one is enough."""
    bad = Diagnostics()
    for name, path in work.options.map.items():
        inputs = [
            given.name
            for given in work.suite.inputs
            if mapping_of(given.record, {name: path}) and work.sources.get(given.name)
        ]
        if not inputs or any(_has(line, path, {}) for line in _lines(work, inputs)):
            continue
        keys: dict[str, None] = {}
        # Of a Parquet file, what else it has is read only now.
        for line in _lines(work, inputs, whole=True):
            _has(line, path, keys)
        if not keys:
            continue
        meant = suggestion(path, list(keys))
        says = f"map {name}={path}: no line of {' or '.join(inputs)} has {path}{meant}"
        bad.take(InputError(says))
    bad.must_be_none()


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


def _has(line: object, path: str, keys: dict[str, None]) -> bool:
    """Whether the line has a value at the path; else its keys, nested ones with dots, are noted."""
    steps = parse_path(path)
    found = value_at(line, steps)
    if EACH in steps and isinstance(found, list) and found:
        found = next((item for item in found if item is not None), None)
    if found is not None:
        return True
    keys.update(dict.fromkeys(_paths(line)))
    return False


def _paths(value: object, at: Path = ()) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield spelled((*at, key))
            yield from _paths(item, (*at, key))
    elif isinstance(value, list):
        for item in value[:1]:
            yield from _paths(item, (*at, EACH))
