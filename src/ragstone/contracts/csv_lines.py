"""The rows of CSV and TSV files as lines of JSON: a cell becomes what its field asks for.

The header names the fields, with dots for those inside others (`answer_json.claim`). A cell is
text; where the field is a flag, a number or a list, the text of one becomes one, and any other
text is left for the contract to refuse. An empty cell is an absent value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from ragstone.contracts.diagnose import OLDER_KEYS
from ragstone.contracts.ids import NotIds, ids_in
from ragstone.contracts.json_paths import BadPath, parse_path
from ragstone.contracts.kinds import ANY_NUMBER, Kind
from ragstone.contracts.placed_lines import PlacedLine
from ragstone.contracts.plain_numbers import real_number
from ragstone.contracts.record import FieldMap, Record, paths_of
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.contracts.table_files import delimited
from ragstone.errors import Diagnostic

Keys = tuple[str, ...]

_NUMBER = re.compile(ANY_NUMBER)
# A list of texts without an escape needs no parser, and most lists are such.
_PLAIN_LIST = re.compile(r'\[(?:"[^"\\\x00-\x1f]*+"(?:, ?"[^"\\\x00-\x1f]*+")*+)?\]')
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,14}")


def csv_lines(
    name: str,
    lines: Iterable[bytes],
    mark: str,
    record: Record | None,
    mapping: FieldMap,
    columns: Mapping[str, str],
) -> Iterator[PlacedLine]:
    """The rows of a table, each as a line; `columns` are the same in every row that lacks them.

    Without a record all cells are texts.
    """
    writer: _Writer | None = None
    for found in delimited(name, lines, mark):
        if isinstance(found, Diagnostic):
            yield PlacedLine.of(b"", found.line, fault=(found.field, found.reason))
            continue
        if writer is None:
            paths = {column: keys_of(column) for column in found.cells}
            kinds = _kinds(record, mapping) if record else {}
            fault = _barred(paths) or (_foreign(paths, kinds, record) if record else None)
            if fault:
                yield PlacedLine.of(b"", 1, fault=fault)
                return
            writer = _Writer(paths, kinds, columns)
        yield PlacedLine.of(writer.line_of(found.cells), found.line)


def keys_of(column: str) -> Keys:
    """Where the cells of a column belong: dots go into objects, if the name is such a path.

    >>> keys_of("answer_json.claim"), keys_of('"gpt-4.1"'), keys_of("latency [ms]"), keys_of("a.")
    (('answer_json', 'claim'), ('gpt-4.1',), ('latency [ms]',), ('a.',))
    """
    try:
        path = parse_path(column)
    except BadPath:
        return (column,)
    keys = tuple(step for step in path if isinstance(step, str))
    return keys if len(keys) == len(path) else (column,)


def _barred(paths: Mapping[str, Keys]) -> tuple[str, str] | None:
    """Two columns of which one would have to be inside the other, as `a` and `a.b`."""
    taken = {keys: column for column, keys in paths.items()}
    for column, keys in paths.items():
        for depth in range(1, len(keys)):
            if keys[:depth] in taken:
                return column, f"the column {taken[keys[:depth]]!r} is in the header too"
        if taken[keys] != column:
            return column, f"the column {taken[keys]!r} names the same field"
    return None


def _foreign(
    paths: Mapping[str, Keys], kinds: Mapping[Keys, Kind], record: Record
) -> tuple[str, str] | None:
    """What is wrong with a header that names no field: it is one fault, and not one a row."""
    known = {keys[0] for keys in kinds} | set(OLDER_KEYS)
    if any(keys[0] in known for keys in paths.values()):
        return None
    return "columns", f"no column is a field of a {record.name}: {', '.join(paths)[:200]}"


class _Writer:
    """Makes JSON of rows with one header: rows with the same empty cells have one template."""

    def __init__(
        self,
        paths: Mapping[str, Keys],
        kinds: Mapping[Keys, Kind],
        columns: Mapping[str, str],
    ) -> None:
        self._paths = list(paths.values())
        self._cells = [_cell_writer(kinds.get(keys)) for keys in self._paths]
        own = {keys[0] for keys in self._paths}
        self._fixed = {key: value for key, value in columns.items() if key not in own}
        self._templates: dict[tuple[bool, ...], str] = {}

    def line_of(self, row: Mapping[str, object]) -> bytes:
        given = tuple(map(bool, row.values()))
        template = self._templates.get(given)
        if template is None:
            template = self._templates[given] = self._template(given)
        cells = zip(self._cells, row.values(), strict=True)
        written = [write(cell) for write, cell in cells if isinstance(cell, str)]
        return template.format(*written).encode("utf-8", "surrogatepass")

    def _template(self, given: tuple[bool, ...]) -> str:
        """The JSON of such rows, with the number of a cell in braces where it belongs."""
        tree: dict[str, object] = dict(self._fixed)
        there = (keys for keys, is_there in zip(self._paths, given, strict=True) if is_there)
        for place, keys in enumerate(there):
            inside = tree
            for key in keys[:-1]:
                inside = inside.setdefault(key, {})  # type: ignore[assignment]
            inside[keys[-1]] = place
        return _braced(tree)


def _braced(value: object) -> str:
    if isinstance(value, int):
        return f"{{{value}}}"
    if isinstance(value, dict):
        inside = ", ".join(f"{_braced(key)}: {_braced(item)}" for key, item in value.items())
        return f"{{{{{inside}}}}}"
    return _text(str(value)).replace("{", "{{").replace("}", "}}")


def _kinds(record: Record, mapping: FieldMap) -> dict[Keys, Kind]:
    """The kind of the field that is read from each place."""
    found: dict[Keys, Kind] = {}
    for field in record.fields:
        for path in paths_of(field, mapping):
            keys = tuple(step for step in path if isinstance(step, str))
            if len(keys) == len(path):
                found.setdefault(keys, field.values)
    return found


def _cell_writer(kind: Kind | None) -> Callable[[str], str]:
    if kind is None or kind.column == "VARCHAR" or kind.name == "id":
        return _text
    if kind.name == "any":
        return _any
    if kind.name == "flag":
        return _flag
    if kind.bounds is not None or kind.name == "moment":
        return _number
    return _texts if kind.name in ("texts", "evidence") else _nested


_text = json.encoder.encode_basestring


def _flag(cell: str) -> str:
    word = cell.strip().lower()
    return word if word in ("true", "false") else _text(cell)


def _number(cell: str) -> str:
    word = cell.strip()
    if _NUMBER.fullmatch(word):
        return word
    number = real_number(word)
    return _text(cell) if number is None else repr(number)


def _nested(cell: str) -> str:
    """A list or an object as JSON spells it."""
    if _PLAIN_LIST.fullmatch(cell):
        return cell
    if not cell.lstrip().startswith(("[", "{")):
        return _text(cell)
    try:
        parse(cell.encode("utf-8", "surrogatepass"), explain=False)
    except NotJson:
        return _text(cell)
    # No string of JSON has a line break in it.
    return cell.replace("\n", " ").replace("\r", " ")


def _any(cell: str) -> str:
    """A seed is a number; what a number would not give back letter by letter stays text."""
    if _WHOLE.fullmatch(cell) or cell in ("true", "false"):
        return cell
    return _nested(cell)


def _texts(cell: str) -> str:
    """A list of texts as JSON spells it, or as Python does, which data frames write."""
    written = _nested(cell)
    if not written.startswith('"') or not cell.lstrip().startswith("["):
        return written
    try:
        return json.dumps(ids_in(cell), ensure_ascii=False)
    except NotIds:
        return written
