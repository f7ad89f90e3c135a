"""Questions that may never break, whatever else a comparison says: `--protect`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragstone.engine.duck import Duck, text
from ragstone.errors import ConfigError, InputError
from ragstone.gates.gate import Judged, Status, Threshold
from ragstone.gates.judge import not_tested, suggestion, waived_words
from ragstone.measure.metric import Count, Measured
from ragstone.report.text import listed
from ragstone.suites.gathered import Gathered

GATE = "protected"
PROTECTED = Count(
    name=GATE,
    title="protected questions that broke",
    of="true",
    hit="broke",
    better="lower",
    says="Of the questions that may never break, those that were right before and are wrong now.",
)
_FIRST = 10
# What is told of questions that are called by name: those that there are, those that were right
# before and are wrong now, and those that nothing is known of because one side is not judged.
KNOWN, BROKEN, NOT_COMPARED = "known", "broken", "not compared"


def named_questions(given: Sequence[str]) -> tuple[str, ...]:
    """The qids of `--protect`: separated by commas, or a line each in a file behind an @.

    >>> named_questions(["A1,A2", "A2"])
    ('A1', 'A2')
    """
    found: list[str] = []
    for word in given:
        parts = _lines(word[1:]) if word.startswith("@") else word.split(",")
        found += [part.strip() for part in parts if part.strip()]
    if given and not found:
        raise ConfigError(f"--protect {' '.join(given)} names no question")
    return tuple(dict.fromkeys(found))


def _lines(name: str) -> list[str]:
    try:
        return Path(name).read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise InputError(f"--protect: {name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"--protect: {name} is not UTF-8") from error


def keep_named(duck: Duck, protect: Sequence[str], waive: Sequence[str]) -> None:
    """Fills `protected_questions` and `waive_questions`: those that are called by name."""
    for table, qids in (("protected_questions", protect), ("waive_questions", waive)):
        duck.run(f"create or replace temp table {table} (qid varchar)")
        if qids:
            duck.run(f"insert into {table} select distinct unnest($qids)", {"qids": list(qids)})


def tell_named(duck: Duck, told: Gathered) -> None:
    """Of the questions that are called by name: which there are, broke, and are not compared."""
    named = "select qid from protected_questions union select qid from waive_questions"
    if not duck.query(f"{named} limit 1"):
        return
    rows = duck.query(f"""
        with unjudged as (
            select qid from rows_a where is_right is null
            union all select qid from rows_b where is_right is null
        )
        select qid, qid in (select qid from turned where list = 'broke'),
            fate = 'equal' and qid not in (from unjudged),
        from gold_pairs where qid in ({named})
    """)
    told.keep_all(KNOWN, (text(qid) for qid, _, _ in rows))
    told.keep_all(BROKEN, (text(qid) for qid, is_broken, _ in rows if is_broken))
    told.keep_all(NOT_COMPARED, (text(qid) for qid, _, is_compared in rows if not is_compared))


def must_be_known(duck: Duck, told: Gathered, qids: Sequence[str]) -> None:
    """A protected qid that neither set of rows has is an error."""
    unknown = sorted({*qids} - told.sets.get(KNOWN, set()))
    if unknown:
        problems = [f"{qid!r}{_close(duck, qid)}" for qid in unknown[:_FIRST]]
        more = f" (and {len(unknown) - _FIRST:,} more)" if len(unknown) > _FIRST else ""
        raise ConfigError(f"--protect: neither side has a question {'; nor '.join(problems)}{more}")


def _close(duck: Duck, qid: str) -> str:
    """The known question that is spelled most like this one."""
    known = duck.texts(
        "select qid from (select qid from rows_a union select qid from rows_b) "
        "order by jaro_winkler_similarity(qid, $qid) desc, qid limit 5",
        {"qid": qid},
    )
    return suggestion(qid, known, f"such as {known[0]!r}")


def protected_gate(
    told: Gathered, protect: Sequence[str], waived: Sequence[str] = ()
) -> tuple[Judged, ...]:
    """One gate: none of the protected questions broke. Without any there is no gate.

    Those that are waived do not count in it.

    A protected question that is not compared, or not judged, is no pass: its gold item may have
    been changed because it broke.
    """
    if not protect:
        return ()
    rows = sorted({*protect} - {*waived})
    broke = [qid for qid in rows if qid in told.sets.get(BROKEN, ())]
    not_compared = [qid for qid in rows if qid in told.sets.get(NOT_COMPARED, ())]
    status, note = Status.PASS, ""
    if broke:
        status, note = Status.FAIL, f"broke: {_few(broke)}"
    elif not_compared:
        status = Status.UNMEASURABLE
        note = f"not compared, because the gold item changed: {_few(not_compared)}"
    out = len({*protect} & {*waived})
    gate = Judged(
        name=GATE,
        metric=GATE,
        threshold=Threshold("=", 0),
        value=float(len(broke)),
        judged_on=float(len(broke)),
        interval=None,
        status=status,
        note="; ".join(filter(None, (note, waived_words(out)))),
        numerator=len(broke),
        denominator=len(rows),
        tested=len(rows) - len(not_compared),
        waived=out,
    )
    if not rows:
        gate = not_tested(gate, "every protected question is waived", required=True)
    return (gate,)


def protected_metric(gates: Sequence[Judged]) -> dict[str, Measured]:
    """The number behind the gate, as a metric that every page can show."""
    return {
        gate.name: Measured(PROTECTED, gate.value, gate.numerator, gate.denominator, None, False)
        for gate in gates
    }


def _few(qids: Sequence[str]) -> str:
    return listed(qids, limit=_FIRST, length=80)
