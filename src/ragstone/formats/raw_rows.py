"""The rows of foreign files as the table `raw`, which a format's SQL reads.

Large files of JSON Lines and Parquet are read by the engine alone. What is small, or is cut in
another way, is parsed strictly in Python first, which can say what is wrong and on which line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from ragstone.contracts.diagnose import BOM, numbered
from ragstone.contracts.packed import blocks_in
from ragstone.contracts.record import Record
from ragstone.contracts.sources import Source, find, lines_of, size_of
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.engine.duck import Duck, identifier, listed, quoted
from ragstone.engine.line_files import LINE_LIMIT
from ragstone.engine.parquet_columns import Wanted
from ragstone.engine.parquet_files import columns_of
from ragstone.errors import Diagnostic, Diagnostics, InputError
from ragstone.formats.declared_format import Cut, Format, first_of
from ragstone.scratch import keep

# Up to this size all lines are parsed in Python: blank ones are counted, and bad ones named.
_SMALL = 4 * 1024 * 1024
# A row that was parsed in Python: its line in the file, its key, and its value.
_PARSED = "(json->0)::bigint as row, json->>1 as key, json->2 as json"
_JSON_CUTS = ("lines", "elements", "pairs", "document")


def files_of(found: Iterable[Source], format: Format, scratch: Path) -> tuple[Source, ...]:
    """The files behind sources; a folder stands for the files of the format that are in it."""
    made: list[Source] = []
    seen: set[str] = set()
    for source in found:
        folder = source.folder
        if source.fault and Path(source.name).is_dir():
            # One without a file of the usual endings.
            folder = source.name
        if not format.inside or not folder:
            made.append(source)
        elif folder not in seen:
            seen.add(folder)
            made += _inside(folder, format, scratch)
    # How a file is cut is the format's word, whatever it looks like.
    return tuple(replace(source, form="lines") for source in made)


def _inside(folder: str, format: Format, scratch: Path) -> tuple[Source, ...]:
    """The files of a folder that the format reads."""
    within = [path for each in format.inside for path in sorted(Path(folder).glob(each))]
    if not within:
        wanted = first_of(format.inside)
        raise InputError(f"{folder} holds no {wanted}, which {format.name} reads")
    return find(within, format.name, scratch)


def raw_sql(
    duck: Duck,
    format: Format,
    sources: tuple[Source, ...],
    *,
    limit: int = LINE_LIMIT,
    plainly: bool = False,
) -> str:
    """The table of all rows; `plainly` says that Python is to parse every one of them.

    The engine reads no line of more than `limit` bytes.
    """
    cuts = [_cut_of(format, source) for source in sources]
    plainly = plainly or size_of(sources) <= _SMALL
    parts: list[str] = []
    bad = Diagnostics()

    def group_of(place: int) -> tuple[Cut, str, int]:
        # Files whose rows need no numbers are read together, which takes all cores.
        return cuts[place], sources[place].compression, 0 if format.joined else place

    for (cut, _, _), group in groupby(range(len(sources)), key=group_of):
        places = list(group)
        some = [sources[place] for place in places]
        if cut.kind == "parquet":
            parts += [
                _parquet(duck, format, each, place)
                for place, each in zip(places, some, strict=True)
            ]
        elif cut.kind == "lines" and not plainly:
            parts.append(_lines(some, places[0], limit, numbers=not format.joined))
        else:
            parts += [
                _parsed(duck, cut, each, place, bad)
                for place, each in zip(places, some, strict=True)
            ]
    bad.must_be_none()
    if format.columns:
        # The SQL may speak of them where no file is Parquet.
        nulls = [f"null::{kind} as {identifier(name)}" for name, kind in format.columns.items()]
        parts.append(f"select {', '.join(nulls)} where false")
    return "\nunion all by name\n".join(parts)


def _cut_of(format: Format, source: Source) -> Cut:
    """How this file is cut: Parquet by its mark, the others by what they begin with."""
    source.must_be_readable()
    parquet = [cut for cut in format.cuts if cut.kind == "parquet"]
    others = [cut for cut in format.cuts if cut.kind != "parquet"]
    if source.parquet or not others:
        if not (source.parquet and parquet):
            said = (
                "Parquet, which {} does not read" if source.parquet else "not Parquet, which {} is"
            )
            raise InputError(f"{source.name} is {said.format(format.name)}")
        return parquet[0]
    first, more = _beginning(source)
    is_json = first[:1] in (b"{", b"[")
    fitting = [cut for cut in others if (cut.kind in _JSON_CUTS) is is_json] or others
    lines = [cut for cut in fitting if cut.kind == "lines"]
    whole = [cut for cut in fitting if cut.kind != "lines"]
    if not lines or not whole:
        return fitting[0]
    return whole[0] if _is_document(first, more, whole[0]) else lines[0]


def _beginning(source: Source) -> tuple[bytes, bool]:
    """The first line that holds something, and whether another does."""
    lines = (line for _, line in numbered(lines_of(source)))
    return next(lines, b""), next(lines, None) is not None


def _is_document(first: bytes, more: bool, cut: Cut) -> bool:
    """Whether it is one document: its first line is not all of a value, or is all there is."""
    try:
        value = parse(first, explain=False)
    except NotJson:
        return True
    if isinstance(value, dict) and not more:
        return cut.path[0] in value if cut.path else cut.kind != "elements"
    return not more and isinstance(value, list)


def _lines(sources: list[Source], start: int, limit: int, *, numbers: bool) -> str:
    files = listed([str(source.path) for source in sources])
    row = "row_number() over ()" if numbers else "null::bigint"
    return (
        f"select {start} + file_index as file, {row} as row, null::varchar as key, json "
        f"from read_ndjson_objects({files}, format = 'newline_delimited', "
        f"compression = {quoted(sources[0].compression)}, maximum_object_size = {limit})"
    )


def longest_line(sources: Iterable[Source]) -> int:
    """The bytes of the longest line of files that are not Parquet."""
    texts = (source for source in sources if not source.parquet)
    return max((len(line) for source in texts for line in lines_of(source)), default=0)


def _parquet(duck: Duck, format: Format, source: Source, place: int) -> str:
    """The declared columns of a Parquet file, and no others; one that it lacks is null."""
    asked = Wanted(Record("", "", ()), frozenset(format.columns))
    found = {column.name: column for column in columns_of(duck, source, asked).own}
    if not found:
        wanted = first_of(list(format.columns), 5)
        raise InputError(f"{source.name} has none of the columns of {format.name}: {wanted}")
    values = [
        f"cast({found[name].value if name in found else 'null'} as {kind}) as {identifier(name)}"
        for name, kind in format.columns.items()
    ]
    return (
        f"select {place} as file, file_row_number + 1 as row, null::varchar as key, "
        f"null::json as json, {', '.join(values)} "
        f"from read_parquet({quoted(str(source.path))}, file_row_number = true, "
        "binary_as_string = true)"
    )


def _parsed(duck: Duck, cut: Cut, source: Source, place: int, bad: Diagnostics) -> str:
    """The rows of a file, parsed in Python and kept as lines of their own."""
    longest = 0

    def lines() -> Iterator[bytes]:
        nonlocal longest
        for row, key, value in _values(cut, source, bad):
            text = json.dumps([row, key, value], ensure_ascii=False).encode()
            longest = max(longest, len(text))
            yield text + b"\n"

    path = keep(duck.scratch, lines())
    return (
        f"select {place} as file, {_PARSED} from read_ndjson_objects({quoted(str(path))}, "
        f"format = 'newline_delimited', maximum_object_size = {2 * longest + LINE_LIMIT})"
    )


def _values(cut: Cut, source: Source, bad: Diagnostics) -> Iterator[tuple[int, str, object]]:
    """Each row with the line that it begins on and its key; what is no row is added to `bad`."""
    try:
        if cut.kind in ("table", "words"):
            yield from _cells(cut, source, bad)
            return
        for line, key, text in _texts(cut, source):
            try:
                yield line, key, _value(text, explain=not bad.counting)
            except NotJson as error:
                bad.add(Diagnostic(source.name, line, error.field, str(error)))
    except InputError as error:
        bad.take(error)


def _value(text: bytes, *, explain: bool) -> object:
    """The value of a row, strictly; but a NaN, which Python's writers call absent, is null.

    >>> _value(b'{"a": NaN}', explain=True)
    {'a': None}
    """
    try:
        return parse(text, explain=explain)
    except NotJson:
        if b"NaN" not in text:
            raise
    try:
        value = json.loads(text, parse_constant={"NaN": None}.__getitem__)
    except (ValueError, KeyError, RecursionError):
        return parse(text, explain=explain)
    # Whatever else is wrong with it is still refused.
    return parse(json.dumps(value).encode(), explain=explain)


def _texts(cut: Cut, source: Source) -> Iterator[tuple[int, str, bytes]]:
    """The JSON of each row, with the line that it begins on and its key."""
    if cut.kind == "lines":
        for number, text in numbered(lines_of(source)):
            if text in (b"{", b"["):
                raise InputError(
                    f"{source.name} is one JSON document over several lines, where JSON Lines are "
                    "expected: one object a line (jq -c writes them)"
                )
            yield number, "", text
        return
    blocks = blocks_in(source.path, source.compression)
    if cut.kind == "document":
        yield 1, "", b"".join(blocks).removeprefix(BOM).strip()
        return
    from ragstone.contracts.json_elements import elements

    pairs = cut.kind == "pairs"
    for each in elements(blocks, cut.path, name=source.name, pairs=pairs):
        yield each.line, each.key, each.text


def _cells(cut: Cut, source: Source, bad: Diagnostics) -> Iterator[tuple[int, str, object]]:
    """The rows of a table by the names of its header, or the words of each line."""
    lines = lines_of(source)
    if cut.kind == "words":
        for number, line in numbered(lines):
            try:
                text = line.decode()
            except UnicodeDecodeError:
                bad.add(Diagnostic(source.name, number, "line", "it is not UTF-8"))
                continue
            yield number, "", [cell.strip() for cell in text.split("\t" if "\t" in text else None)]
        return
    from ragstone.contracts.table_files import rows_of

    header, _ = _beginning(source)
    for row in rows_of(source.name, "tsv" if b"\t" in header else "csv", lines):
        if isinstance(row, Diagnostic):
            bad.add(row)
        else:
            yield row[0], "", row[1]
