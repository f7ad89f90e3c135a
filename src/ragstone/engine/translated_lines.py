"""Lines that were made of another tool's files, with the places that they came from."""

from __future__ import annotations

from collections.abc import Iterator

from ragstone.contracts.placed_lines import PlacedLine
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck, identifier, quoted, text, whole
from ragstone.engine.parquet_columns import Wanted
from ragstone.engine.parquet_files import columns_of

# The columns of a translated file that say which of the foreign files a line came from, and from
# which of its lines; of a line that was made of many rows, in which file it begins.
FROM_FILE, FROM_ROW, FROM_BEGINS = "from_file", "from_row", "from_begins"


def translated_lines(
    duck: Duck, source: Source, wanted: Wanted
) -> list[tuple[str, Iterator[bytes]]]:
    """The lines of a translated source by foreign file; none of a source that is not translated.

    Where a line was made of rows of several files, it is counted, and named by the first file.
    """
    if not source.made_of:
        return []
    columns = [identifier(column.name) for column in columns_of(duck, source, wanted).own]
    packed = ", ".join(f"{name} := {name}" for name in columns)
    rows = (
        f"(select to_json(struct_pack({packed})) as json, {FROM_FILE}, "
        f"coalesce({FROM_ROW}, file_row_number + 1) as line "
        f"from read_parquet({quoted(str(source.path))}, file_row_number = true))"
    )
    named = list(enumerate(source.made_of))
    found = [(name, _placed(duck, f"{rows} where {FROM_FILE} = {place}")) for place, name in named]
    joined = f"{rows} where {FROM_FILE} is null"
    if duck.query(f"select 1 from {joined} limit 1"):
        found.append((source.name, _placed(duck, joined)))
    return found


def _placed(duck: Duck, rows: str) -> Iterator[bytes]:
    for line, json in duck.stream(f"select line, json::varchar from {rows}"):
        yield PlacedLine.of(text(json).encode(), whole(line))
