"""What was expected of a claim and what was found in it, in words, for the rows that are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragstone.suites.answers.typed_answers import Expected, expected_of

if TYPE_CHECKING:
    from ragstone.matching.expectations import Claim, Match


def explained(
    claim: object,
    gold_answer: Any = None,
    nuggets: Any = None,
    must_not: Any = None,
    decimal_mark: Any = ".",
    question: Any = None,
) -> dict[str, object]:
    """The fields of an offender that say what gold expects, why it is not met, and where it is."""
    from ragstone.matching.answer_forms import first_of
    from ragstone.matching.expectations import Claim

    expected = expected_of(gold_answer, nuggets, must_not, decimal_mark, question)
    said = Claim(claim if isinstance(claim, str) else "", decimal_mark)
    made: dict[str, object] = {
        "gold_answer": tuple(each.expected for each in expected.answers),
        "nuggets": tuple(
            f"{each.id}: {each.expectation.expected}{'' if each.vital else ' (not vital)'}"
            for each in expected.nuggets
        ),
        "must_not": tuple(each.expected for each in expected.must_not),
    }
    if not said.text.strip():
        return made
    forbidden = [match for each in expected.must_not if (match := each.match(said)).ok]
    found = [*expected.answers, *(nugget.expectation for nugget in expected.nuggets)]
    held = [match for each in found if (match := each.match(said)).ok]
    return {
        **made,
        "why": "; ".join(_reasons(expected, said, forbidden)),
        "accepted_by": first_of([each.match(said) for each in expected.answers], "").rule,
        "found_at": _places(held),
        "forbidden_at": _places(forbidden),
    }


def _reasons(expected: Expected, claim: Claim, forbidden: list[Match]) -> Iterator[str]:
    """A sentence for each kind of expectation that the claim does not meet."""
    from ragstone.matching.answer_forms import of_one_gold

    answers = of_one_gold([each.match(claim) for each in expected.answers])
    if answers and not any(match.ok for match in answers):
        wanted = " or ".join(dict.fromkeys(match.expected for match in answers))
        found = "; ".join(dict.fromkeys(match.found for match in answers if match.found))
        hedges = "it as one of several alternatives" if any(m.hedged for m in answers) else ""
        yield f"expected {wanted}, the claim has {found or hedges or 'nothing of the kind'}"
    missing = [each for each in expected.nuggets if not each.match(claim).ok]
    if missing:
        names = ", ".join(f"{each.id}{' (vital)' if each.vital else ''}" for each in missing)
        held = len(expected.nuggets) - len(missing)
        yield f"{held} of {len(expected.nuggets)} nuggets found, not {names}"
    if forbidden:
        yield f"the claim says what it must not: {' and '.join(m.expected for m in forbidden)}"


def _places(matches: list[Match]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted({span for match in matches for span in match.spans}))
