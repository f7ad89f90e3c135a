"""Which typed answers, nuggets and forbidden parts each claim holds: one step over the lines whose
question has any, before the verdict rows are made."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragstone.engine.duck import Duck, text
from ragstone.errors import InputError
from ragstone.suites.statements import sql_of

if TYPE_CHECKING:
    from ragstone.matching.expectations import Claim, Expectation
    from ragstone.matching.nuggets import Nugget

# Lines that are judged at a time, so that the texts of a large input are never all in memory.
_CHUNK = 20_000


@dataclass(frozen=True, slots=True)
class Expected:
    """What one gold item expects beyond phrases, ready to be looked for."""

    answers: tuple[Expectation, ...] = ()
    nuggets: tuple[Nugget, ...] = ()
    must_not: tuple[Expectation, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """What a claim holds of it."""

    answered: bool
    nuggets_found: int
    vital_found: int
    forbidden: bool
    accepted_by: str | None = None
    in_alternative: bool = False
    list_found: float | None = None
    field_accuracy: float | None = None


@functools.lru_cache(maxsize=_CHUNK)
def expected_of(
    gold_answer: str | None,
    nuggets: str | None,
    must_not: str | None,
    decimal: str,
    question: str | None = None,
) -> Expected:
    """The expectations of a gold item from their JSON texts; those of a gold set are often alike.

    Each typed answer and each forbidden part is kept apart, for the report names them one by one.
    """
    from ragstone.matching.expectations import parse, parse_forbidden
    from ragstone.matching.nuggets import parse_nuggets

    return Expected(
        tuple(parse([each], decimal, question=question or "") for each in _listed(gold_answer)),
        parse_nuggets(_listed(nuggets), decimal, question=question or ""),
        tuple(parse_forbidden([each], decimal) for each in _listed(must_not)),
    )


def _listed(given: str | None) -> list[object]:
    value = json.loads(given) if given is not None else []
    return value if isinstance(value, list) else [value]


def judge(expected: Expected, claim: Claim) -> Judged:
    """Looks for everything that is expected of one claim."""
    from ragstone.matching.answer_forms import first_of

    held = [nugget for nugget in expected.nuggets if nugget.match(claim).ok]
    answers = [answer.match(claim) for answer in expected.answers]
    answer = first_of(answers, "")
    return Judged(
        answer.ok,
        len(held),
        sum(nugget.vital for nugget in held),
        any(part.match(claim).ok for part in expected.must_not),
        answer.rule or None,
        bool(answer.hedged),
        _highest(match.list_found for match in answers),
        _highest(match.field_accuracy for match in answers),
    )


def _highest(shares: Iterable[float | None]) -> float | None:
    """The best of several shares; None where nothing has one."""
    return max((share for share in shares if share is not None), default=None)


def judge_typed(duck: Duck, trace: str, decimal: str) -> None:
    """Makes the table `typed_{trace}` of what the claims hold of what gold asks for."""
    duck.run(f"""
        create or replace temp table typed_{trace} (
            trace_row bigint, answered boolean, nuggets_found uinteger, vital_found uinteger,
            forbidden boolean, accepted_by varchar, in_alternative boolean, list_found double,
            field_accuracy double
        )
    """)
    duck.run(sql_of(__package__, "asked.sql", trace=trace))
    _judge_plain(duck, trace, decimal)
    lines = duck.count(f"select count(*) from asked_{trace}")
    for start in range(0, lines, _CHUNK):
        _judge_some(duck, trace, decimal, start)
    duck.run(f"drop table asked_{trace}")


def _judge_plain(duck: Duck, trace: str, decimal: str) -> None:
    """Takes the lines of which SQL is sure out of those left: one number, one name, one text."""
    # Most gold sets expect none of these, and their tables take a while to load.
    from ragstone.suites.answers.quick_numbers import install, quick_numbers
    from ragstone.suites.answers.quick_words import quick_words

    install(duck)
    alone = f"(from asked_{trace} where nuggets is null and must_not is null)"
    plain = [quick_words(alone), *([quick_numbers(alone)] if decimal == "." else [])]
    for query in plain:
        duck.run(f"""
            insert into typed_{trace}
            select trace_row, answered, 0, 0, false, accepted_by, false, null, null from ({query})
        """)
    duck.run(f"""
        create or replace temp table asked_{trace} as from asked_{trace}
        where trace_row not in (select trace_row from typed_{trace})
    """)


def _judge_some(duck: Duck, trace: str, decimal: str, start: int) -> None:
    """Judges the next lines of `asked_{trace}`, and adds what comes of them to `typed_{trace}`."""
    from ragstone.matching.expectations import Claim, Misfit

    found = duck.query(f"""
        select trace_row, qid, claim, gold_answer, nuggets, must_not, question from asked_{trace}
        where rowid >= {start} and rowid < {start + _CHUNK}
    """)
    rows: dict[str, list[object]] = {name: [] for name in ("trace_row", *Judged.__slots__)}
    for trace_row, qid, claim, gold_answer, nuggets, must_not, question in found:
        try:
            expected = expected_of(gold_answer, nuggets, must_not, decimal, question)
        except Misfit as error:
            # The contract takes a number by either mark: only a run knows which one is meant.
            raise InputError(
                f"gold: question {text(qid)}: {error.reason} (decimal is {decimal!r})"
            ) from None
        judged = judge(expected, Claim(text(claim), decimal))
        rows["trace_row"].append(trace_row)
        for name in Judged.__slots__:
            rows[name].append(getattr(judged, name))
    columns = ", ".join(f"unnest(${name})" for name in rows)
    duck.run(f"insert into typed_{trace} select {columns}", rows)
