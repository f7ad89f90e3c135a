"""A path that a user maps a field to must be somewhere: else every line lacks it, silently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    for inputs, names in _by_inputs(work).items():
        paths = {name: parse_mapped(work.options.map[name]).path for name in names}
        have, seen = _counted(work, inputs, set(paths.values()))
        for name, path in paths.items():
            if not have[path]:
                if error := _nowhere(work, inputs, name, path):
                    bad.take(error)
            elif seen > 1 and have[path] * 2 < seen:
                work.warnings.append(_few(work, inputs, name, path, have[path], seen))
    bad.must_be_none()


def _by_inputs(work: Work[O]) -> dict[tuple[str, ...], list[str]]:
    """The fields that are read from some path, by the inputs that have them."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, text in work.options.map.items():
        inputs = tuple(
            given.name
            for given in work.suite.inputs
            if fields_called(given.record, name) and work.sources.get(given.name)
        )
        if inputs and parse_mapped(text).path:
            found.setdefault(inputs, []).append(name)
    return found


def _counted(work: Work[O], inputs: Sequence[str], paths: set[Path]) -> tuple[dict[Path, int], int]:
    """How many of the first lines have something at each path, and how many these are.

    What none of them has is looked for in the others, until one does.
    """
    have, seen = dict.fromkeys(paths, 0), 0
    for line in _lines(work, inputs):
        if seen < COUNTED:
            seen += 1
            looked = list(paths)
        else:
            looked = [path for path in paths if not have[path]]
            if not looked:
                break
        for path in looked:
            have[path] += _has(line, path)
    return have, seen


def _nowhere(work: Work[O], inputs: Sequence[str], name: str, path: Path) -> InputError | None:
    """The error of a path that no line has; none if there is no line with a key."""
    keys: dict[str, None] = {}
    # Of a Parquet file, what else it has is read only now.
    for line in _lines(work, inputs, whole=True):
        keys.update(dict.fromkeys(_paths(line)))
    if not keys:
        return None
    meant = suggestion(spelled(path), list(keys))
    where = f"no line of {' or '.join(inputs)} has {spelled(path)}"
    return InputError(f"map {name}={work.options.map[name]}: {where}{meant}")


def _few(work: Work[O], inputs: Sequence[str], name: str, path: Path, have: int, seen: int) -> str:
    lines = f"{seen:,} lines" if seen < COUNTED else f"the first {seen:,} lines"
    return (
        f"map {name}={work.options.map[name]}: {have:,} of {lines} of {' and '.join(inputs)} "
        f"{'has' if have == 1 else 'have'} {spelled(path)}"
    )


def _lines(work: Work[O], inputs: Sequence[str], *, whole: bool = False) -> Iterator[object]:
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
