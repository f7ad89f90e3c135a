"""Where does a log's ΔS come from, on which scale is it, and which line is in force?

The log's own ΔS is taken as it is, with the thresholds of the spec. Otherwise it is computed from
texts, and because every embedder has its own scale, a computed ΔS is gated only after the line
that separates relevant from not relevant was learned (`ragstone retrieval calibrate`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ragstone.engine.duck import Duck
from ragstone.suites.retrieval.embed import Embedder, Vector, delta_s, find
from ragstone.suites.retrieval.metrics import LINE
from ragstone.suites.retrieval.options import Options

BATCH = 256


@dataclass(frozen=True, slots=True)
class DeltaS:
    """The ΔS of one log: its source, its embedder, its line, and how many runs have none."""

    source: Literal["log", "computed", "none"]
    embedder: str | None
    line: float
    calibrated: bool
    basis: Literal["cited", "rank 1"]
    unknown: int

    @property
    def scale(self) -> float:
        """What all thresholds of the spec are multiplied by."""
        return self.line / LINE

    @property
    def column(self) -> str:
        return "cited_delta_s" if self.basis == "cited" else "first_delta_s"


def settle(duck: Duck, side: str, options: Options) -> DeltaS:
    """Decides where ΔS comes from, and computes it if that is from texts."""
    answers, measured = duck.one(f"""
        select count(*) filter (answered), (select count(*) from log_{side} where measured)
        from runs_{side}
    """)
    basis: Literal["cited", "rank 1"] = "cited" if answers else "rank 1"
    texts = duck.one("select count(*) from texts")[0]
    if measured or not texts:
        source: Literal["log", "none"] = "log" if measured else "none"
        found = DeltaS(source, None, LINE, False, basis, 0)
    else:
        embedder = find(options.embedder, options.allow_download)
        _compute(duck, side, embedder, basis)
        line, name = options.delta_s_line, embedder.identity
        calibrated = line is not None and options.delta_s_line_for == name
        chosen = line if line is not None and calibrated else LINE
        found = DeltaS("computed", name, chosen, calibrated, basis, 0)
    needed = "answered and cited_id is not null" if answers else "retrieved > 0"
    unknown = duck.one(
        f"select count(*) from runs_{side} where {needed} and {found.column} is null"
    )[0]
    return DeltaS(
        found.source, found.embedder, found.line, found.calibrated, basis, int(str(unknown))
    )


def _compute(duck: Duck, side: str, embedder: Embedder, basis: str) -> None:
    """Fills the ΔS column of the runs from the texts of the questions and the chunks."""
    column = "cited_delta_s" if basis == "cited" else "first_delta_s"
    target = "runs.cited_id" if basis == "cited" else "log.ids[1]"
    duck.run(f"""
        create or replace temp table wanted as
        select
            runs.run_row,
            coalesce(log.query, gold.paraphrases[1]) as query,
            {target} as id,
        from runs_{side} as runs
        join log_{side} as log on log.rowid = runs.run_row
        join gold on gold.rowid = runs.gold_row
    """)
    pairs = [
        (str(query), str(chunk), str(text))
        for query, chunk, text in duck.query(
            "select distinct query, id, text from wanted join texts using (id) order by all"
        )
    ]
    vectors = embedded(embedder, (text for query, _, text in pairs for text in (query, text)))
    duck.run("create or replace temp table computed (query varchar, id varchar, delta_s double)")
    if pairs:
        duck.run(
            "insert into computed select unnest($queries), unnest($ids), unnest($values)",
            {
                "queries": [query for query, _, _ in pairs],
                "ids": [chunk for _, chunk, _ in pairs],
                "values": [delta_s(vectors[query], vectors[text]) for query, _, text in pairs],
            },
        )
    duck.run(f"""
        create or replace temp table runs_{side} as
        select runs.* replace (computed.delta_s as {column})
        from runs_{side} as runs
        left join wanted using (run_row)
        left join computed using (query, id)
    """)


def embedded(embedder: Embedder, texts: Iterable[str]) -> dict[str, Vector]:
    """The vector of each distinct text, in batches of a fixed order and size."""
    distinct = sorted(set(texts))
    vectors: dict[str, Vector] = {}
    for start in range(0, len(distinct), BATCH):
        part = distinct[start : start + BATCH]
        vectors.update(zip(part, embedder.embed(part), strict=True))
    return vectors
