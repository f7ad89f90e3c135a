"""Which typed answers, nuggets and forbidden parts each claim holds: one step over the lines whose
question has any, before the verdict rows are made."""

from __future__ import annotations

import functools
import json
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


@functools.lru_cache(maxsize=_CHUNK)
def expected_of(
    gold_answer: str | None, nuggets: str | None, must_not: str | None, decimal: str
) -> Expected:
    """The expectations of a gold item from their JSON texts; those of a gold set are often alike.

    Each typed answer and each forbidden part is kept apart, for the report names them one by one.
    """
    from ragstone.matching.expectations import parse, parse_forbidden
    from ragstone.matching.nuggets import parse_nuggets

    return Expected(
        tuple(parse([each], decimal) for each in _listed(gold_answer)),
        parse_nuggets(_listed(nuggets), decimal),
        tuple(parse_forbidden([each], decimal) for each in _listed(must_not)),
    )


def _listed(given: str | None) -> list[object]:
    value = json.loads(given) if given is not None else []
    return value if isinstance(value, list) else [value]


def judge(expected: Expected, claim: Claim) -> Judged:
    """Looks for everything that is expected of one claim."""
    held = [nugget for nugget in expected.nuggets if nugget.match(claim).ok]
    return Judged(
        any(answer.match(claim).ok for answer in expected.answers),
        len(held),
        sum(nugget.vital for nugget in held),
        any(part.match(claim).ok for part in expected.must_not),
    )


def judge_typed(duck: Duck, trace: str, decimal: str) -> None:
    """Makes the table `typed_{trace}` of what the claims hold of what gold asks for."""
    duck.run(f"""
        create or replace temp table typed_{trace} (
            trace_row bigint, answered boolean, nuggets_found uinteger, vital_found uinteger,
            forbidden boolean
        )
    """)
    duck.run(sql_of(__package__, "asked.sql", trace=trace))
    if decimal == ".":
        _judge_plain_numbers(duck, trace)
    lines = duck.count(f"select count(*) from asked_{trace}")
    for start in range(0, lines, _CHUNK):
        _judge_some(duck, trace, decimal, start)
    duck.run(f"drop table asked_{trace}")


def _judge_plain_numbers(duck: Duck, trace: str) -> None:
    """Takes the lines that ask for a number alone, where SQL is sure of it, out of those left."""
    # Most gold sets expect no numbers, and their tables take a while to load.
    from ragstone.suites.answers.quick_numbers import install, quick_numbers

    install(duck)
    alone = f"(from asked_{trace} where nuggets is null and must_not is null)"
    duck.run(f"""
        insert into typed_{trace}
        select trace_row, answered, 0, 0, false from ({quick_numbers(alone)})
    """)
    duck.run(f"""
        create or replace temp table asked_{trace} as from asked_{trace}
        where trace_row not in (select trace_row from typed_{trace})
    """)


def _judge_some(duck: Duck, trace: str, decimal: str, start: int) -> None:
    """Judges the next lines of `asked_{trace}`, and adds what comes of them to `typed_{trace}`."""
    from ragstone.matching.expectations import Claim, Misfit

    found = duck.query(f"""
        select trace_row, qid, claim, gold_answer, nuggets, must_not from asked_{trace}
        where rowid >= {start} and rowid < {start + _CHUNK}
    """)
    rows: dict[str, list[object]] = {name: [] for name in ("trace_row", *Judged.__slots__)}
    for trace_row, qid, claim, *asked in found:
        try:
            expected = expected_of(*asked, decimal)
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
