"""Where the ΔS of a log comes from, its scale, and the line that is in force.

The log's own ΔS is taken as it is, with the thresholds of the spec. Otherwise it is computed from
texts, and because every embedder has its own scale, a gate on a computed ΔS is unmeasurable until
the line that separates relevant from not relevant was learned (`ragstone retrieval calibrate`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ragstone.embedders.embed import DEFAULT_EMBEDDER, Embedder, Vector, delta_s, find
from ragstone.progress import doing
from ragstone.suites.declaration import Arm, Work
from ragstone.suites.retrieval.delta_s_by_rank import keep_items
from ragstone.suites.retrieval.metrics import LINE
from ragstone.suites.retrieval.options import R

BATCH = 256


@dataclass(frozen=True, slots=True)
class DeltaS:
    """The ΔS of one log: its source, its embedder, its line, and how many runs have none."""

    source: Literal["log", "computed", "none"]
    embedder: str | None
    line: float
    calibrated: bool
    of: Literal["cited", "rank 1"]
    unknown: int = 0

    @property
    def scale(self) -> float:
        """What all thresholds of the spec are multiplied by."""
        return self.line / LINE

    @property
    def off_scale(self) -> bool:
        """Whether no threshold means anything: every embedder has its own scale."""
        return self.source == "computed" and not self.calibrated

    @property
    def column(self) -> str:
        return "cited_delta_s" if self.of == "cited" else "first_delta_s"


# The ΔS of every item that was retrieved, as the log brings it or as it was computed.
_ITEMS = {
    "log": """
        select unnest(range(1, len(delta_s_list) + 1)) as rank, unnest(delta_s_list) as delta_s
        from runs_{log} as runs join {log} as log on log.rowid = runs.run_row
    """,
    "computed": "select rank, delta_s from wanted join computed using (query, id) where rank > 0",
    "none": "select 0::bigint as rank, null::double as delta_s where false",
}


def find_source(work: Work[R], arm: Arm, *, answers: bool, measured: bool) -> None:
    """Notes where the ΔS of a log comes from: whether any of its lines answers, or measures it."""
    texts = work.duck.count("select count(*) from chunk_texts")
    source = "log" if measured else "computed" if texts else "none"
    work.notes[_source(arm)] = source, "cited" if answers else "rank 1"
    if source == "computed" and work.options.embedder != DEFAULT_EMBEDDER:
        # A model may give a text other last digits in another batch.
        work.undivided = f"a ΔS computed by {work.options.embedder}"


def _source(arm: Arm) -> str:
    return f"source of ΔS of {arm.name}"


def settled(work: Work[R], arm: Arm) -> DeltaS:
    """The ΔS of a log that was looked at."""
    source, of = work.notes[_source(arm)]
    if source != "computed":
        return DeltaS(source, None, LINE, False, of)
    options = work.options
    line, name = options.delta_s_line, _embedder(work).identity
    calibrated = line is not None and options.delta_s_line_for == name
    chosen = line if line is not None and calibrated else LINE
    return DeltaS("computed", name, chosen, calibrated, of)


def _embedder(work: Work[R]) -> Embedder:
    """The embedder, which is loaded once."""
    if "embedder" not in work.notes:
        work.notes["embedder"] = find(work.options.embedder, work.options.allow_download)
    found: Embedder = work.notes["embedder"]
    return found


def settle(work: Work[R], arm: Arm) -> DeltaS:
    """The ΔS of the runs, computed if that is from texts; counts those that have none."""
    duck, log, found = work.duck, arm.table, settled(work, arm)
    if found.source == "computed":
        _compute(work, log, _embedder(work), found)
    needed = "answered and cited_id is not null" if found.of == "cited" else "retrieved > 0"
    unknown = f"select count(*) from runs_{log} where {needed} and {found.column} is null"
    work.gathered.count(f"unknown_delta_s of {arm.name}", duck.count(unknown))
    keep_items(work, arm, _ITEMS[found.source].format(log=log))
    return found


def _compute(work: Work[R], log: str, embedder: Embedder, found: DeltaS) -> None:
    """Fills the ΔS column of the runs from texts, and computes that of all they retrieved."""
    duck = work.duck
    target = "runs.cited_id" if found.of == "cited" else "log.ids[1]"
    duck.run(work.sql("delta_s_wanted.sql", log=log, target=target))
    texts = "select distinct query, id, text from wanted join chunk_texts using (id) order by all"
    pairs = [[str(each) for each in pair] for pair in duck.query(texts)]
    vectors = embedded(embedder, (text for query, _, text in pairs for text in (query, text)))
    duck.run(
        "create or replace temp table computed as select unnest($queries::varchar[]) as query, "
        "unnest($ids::varchar[]) as id, unnest($values::double[]) as delta_s",
        {
            "queries": [query for query, _, _ in pairs],
            "ids": [chunk for _, chunk, _ in pairs],
            "values": [delta_s(vectors[query], vectors[text]) for query, _, text in pairs],
        },
    )
    duck.run(f"""
        create or replace temp table runs_{log} as
        select runs.* replace (computed.delta_s as {found.column})
        from runs_{log} as runs
        left join (from wanted where rank = 0) as target using (run_row)
        left join computed using (query, id)
    """)


def embedded(embedder: Embedder, texts: Iterable[str]) -> dict[str, Vector]:
    """The vector of each distinct text, in batches of a fixed order and size."""
    distinct = sorted(set(texts))
    vectors: dict[str, Vector] = {}
    with doing("embedding", len(distinct), "texts", step="embedding") as task:
        for start in range(0, len(distinct), BATCH):
            part = distinct[start : start + BATCH]
            vectors.update(zip(part, embedder.embed(part), strict=True))
            task.done += len(part)
    return vectors
