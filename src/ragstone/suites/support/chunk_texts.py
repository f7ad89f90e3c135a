"""Where the texts of chunks come from: a file of texts, or a manifest, such as that of an index."""

from __future__ import annotations

from typing import Any

from ragstone.contracts.records.retrieval_records import MANIFEST, TEXTS
from ragstone.suites.declaration import Input, Work

TEXTS_OF_CHUNKS = Input(
    name="texts",
    record=TEXTS,
    says="texts of chunks, to look up what answers say: {id, text} a line",
    select="retrieval/texts.sql",
    unique="id",
    required=False,
)
TEXT_INPUTS = (
    TEXTS_OF_CHUNKS,
    Input(
        name="manifest",
        record=MANIFEST,
        says="a chunk manifest with texts, such as manifest.jsonl of an index",
        select="retrieval/texts.sql",
        unique="id",
        required=False,
    ),
)


def view_texts(work: Work[Any]) -> bool:
    """Makes the view `chunk_texts`, where --texts come before the manifest; whether it has any."""
    given = [each.name for each in TEXT_INPUTS if work.sources.get(each.name)]
    parts = [
        f"select id, text, {place} as place from {name} where text is not null"
        for place, name in enumerate(given)
    ] or ["select '' as id, '' as text, 0 as place where false"]
    work.duck.run(
        "create or replace temp view chunk_texts as "
        f"select id, arg_min(text, place) as text from ({' union all '.join(parts)}) group by id"
    )
    return bool(work.duck.count("select count(*) from (from chunk_texts limit 1)"))
