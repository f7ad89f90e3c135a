"""Whether the ids that gold names have gone out of use: a re-chunked index is no regression."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ragstone.comparison.protected import GATE as PROTECTED
from ragstone.engine.duck import Duck
from ragstone.gates.gate import TOLERANCE, Judged, Status, Threshold

REASON = "labels_changed"
SHARE = 0.20
ADVICE = (
    "carry the ids of gold over with ragstone migrate OLD_MANIFEST NEW_MANIFEST --gold GOLD, and "
    "score B with the new gold set"
)


@dataclass(frozen=True, slots=True)
class ChangedLabels:
    """Of the ids that gold names, how many A retrieved for some question, and B for none."""

    ids: int
    gone: int
    most: float

    @property
    def share(self) -> float:
        return self.gone / self.ids

    @property
    def says(self) -> str:
        return (
            f"{self.gone:,} of the {self.ids:,} ids that gold names were retrieved in A and are "
            f"nowhere in what B retrieved ({100 * self.share:.0f} %, more than {self.most:g}): the "
            f"index has other ids now, and nothing can be said about what became worse; {ADVICE}."
        )


def keep_wanted_ids(duck: Duck) -> None:
    """Adds to `wanted_ids`: the ids of gold, and how often B did not retrieve one that was wanted.

    Asks the questions that both sets have with one gold item.
    """
    duck.fill(
        "wanted_ids",
        """
        select id, count(*) filter (not coalesce(list_contains(retrieved, id), false)) as lacking
        from (
            select unnest(wanted_ids) as id, retrieved from rows_b
            where qid in (select qid from gold_pairs where fate = 'equal')
        )
        group by id
        """,
    )


def changed_labels(
    duck: Duck, parts: Iterable[None] = (None,), most: float = SHARE
) -> ChangedLabels | None:
    """What is gone of the ids of gold where that is more than a share of `most`; else None.

    `parts` show `rows_a` and `rows_b` once more, a part at a time.
    """
    # What B retrieved for a question that wants it is not gone: mostly that settles it, without
    # looking for every id in every list.
    ids, lacking = duck.counts(
        "select count(distinct id), coalesce(sum(lacking), 0)::bigint from wanted_ids"
    )
    if lacking <= most * ids:
        return None
    for _ in parts:
        _keep_retrieved_ids(duck)
    (gone,) = duck.counts("""
        select count(distinct id) from retrieved_ids where side = 'a'
        and id not in (select id from retrieved_ids where side = 'b')
    """)
    found = ChangedLabels(ids, gone, most)
    return found if found.share > most + TOLERANCE else None


def _keep_retrieved_ids(duck: Duck) -> None:
    """Adds to `retrieved_ids`: of the ids that B may have lost, those that each side retrieved."""
    sides = " union all ".join(
        f"select '{side}' as side, unnest(retrieved) as id from rows_{side}" for side in ("a", "b")
    )
    duck.fill(
        "retrieved_ids",
        f"""
        select distinct side, id from ({sides})
        where id in (select id from wanted_ids where lacking > 0)
        """,
    )


def without_verdict(gates: Sequence[Judged], labels: ChangedLabels) -> tuple[Judged, ...]:
    """The gates where the labels changed: only what a protected question says still counts."""
    undecided = tuple(
        gate
        if gate.name == PROTECTED
        else replace(gate, status=Status.UNMEASURABLE, proven=None, note=REASON)
        for gate in gates
    )
    return (
        *undecided,
        Judged(
            name=REASON,
            metric=REASON,
            threshold=Threshold("<=", labels.most),
            value=labels.share,
            judged_on=labels.share,
            interval=None,
            status=Status.UNMEASURABLE,
            note=f"the index has other ids than gold; {ADVICE}",
            numerator=labels.gone,
            denominator=labels.ids,
            tested=labels.ids,
        ),
    )
