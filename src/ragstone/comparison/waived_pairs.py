"""Waived questions in a comparison: no gate of it counts them, and what became of each is told."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ragstone.comparison.protected import BROKEN, KNOWN
from ragstone.comparison.row_sets import SavedMetric
from ragstone.engine.duck import Duck, identifier
from ragstone.suites.gathered import Gathered
from ragstone.suites.waived_questions import states
from ragstone.suites.waivers import Waived, Waiver

# The pairs of the questions that gates count.
REST = "(select * from pairs anti join waived_questions using (qid))"


def keep_waived(duck: Duck, qids: Sequence[str]) -> None:
    """Fills `waived_questions` with those that no gate counts."""
    duck.run("create or replace temp table waived_questions (qid varchar)")
    duck.run("insert into waived_questions select unnest($qids)", {"qids": list(qids)})


def waived_of_metric(duck: Duck, metric: str) -> int:
    """How many waived questions are in the set of a metric, in either run."""
    one, two = (identifier(f"{side}:{metric}") for side in ("a", "b"))
    return duck.count(
        f"select count(*) from pairs where qid in (from waived_questions) "
        f"and ({one} is not null or {two} is not null)"
    )


def waived_states(
    duck: Duck,
    told: Gathered,
    waive: Sequence[Waiver],
    out: Collection[str],
    gated: Mapping[str, SavedMetric],
) -> tuple[Waived, ...]:
    """What has become of every waiver: a question fails that broke, or that a gate finds worse."""
    if not waive:
        return ()
    fails = set(told.sets.get(BROKEN, ()))
    for name, metric in gated.items():
        one, two = (identifier(f"{side}:{name}") for side in ("a", "b"))
        worse = f"{two} < {one}" if metric.better == "higher" else f"{two} > {one}"
        fails |= {
            *duck.texts(
                f"select qid from pairs semi join waive_questions using (qid) where {worse}"
            )
        }
    qids = {waiver.qid for waiver in waive}
    known = qids & told.sets.get(KNOWN, set())
    return states(waive, out, frozenset(known), frozenset(fails & qids))
