"""What is weak about typed answers, nuggets and must_not: what always, never or wrongly matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragstone.matching.expectations import Claim, Expectation, Misfit, parse, parse_forbidden
from ragstone.matching.numbers import numbers
from ragstone.matching.phrases import FLOOR, weight
from ragstone.matching.user_patterns import compiled

Found = tuple[str, str]
"""A rule, and what it says."""


def lint_typed(item: Mapping[str, Any], phrases: list[str]) -> Iterator[Found]:
    """Every weakness of what one gold item expects beyond its phrases."""
    answers, forbidden = listed(item, "gold_answer"), listed(item, "must_not")
    nuggets = listed(item, "nuggets")
    facts = [_without_name(nugget) for nugget in nuggets]
    every = [*answers, *facts, *forbidden]
    for form in forms_in(every):
        yield from _of_form(form)
    # In must_not and in `all` a plain text is a phrase, with its floor.
    for text in [*forbidden, *(part for form in forms_in(every) for part in form.get("all", ()))]:
        if isinstance(text, str) and weight(text) < FLOOR:
            says = f"{text!r} is under {FLOOR} characters: never matches; write it as any"
            yield "short_phrase", says
    yield from _polarity(answers)
    yield from _in_question(item, answers)
    yield from _expected_and_forbidden(forbidden, [*phrases, *_texts([*answers, *facts])])
    if not item["answerable"] and (answers or nuggets):
        yield "unanswerable_with_answer", "not answerable, yet has typed answers or nuggets"
    if nuggets and not (phrases or answers or any(map(_is_vital, nuggets))):
        yield "no_vital_nugget", "none of its nuggets is vital: any claim is right"


def listed(item: Mapping[str, Any], name: str) -> list[Any]:
    """The entries of a field that may be one thing or a list of them."""
    found = item.get(name)
    return [] if found is None else list(found) if isinstance(found, list) else [found]


def _is_vital(nugget: Mapping[str, Any]) -> bool:
    return nugget.get("vital") is not False


def _without_name(nugget: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in nugget.items() if key not in ("id", "vital")}


def forms_in(values: list[Any]) -> Iterator[Mapping[str, Any]]:
    """Every typed answer, also those inside others."""
    for value in values:
        if isinstance(value, Mapping):
            yield value
            inside = [value.get(key) or () for key in ("any", "all", "list", "also")]
            yield from forms_in([part for parts in inside for part in parts])


def _of_form(form: Mapping[str, Any]) -> Iterator[Found]:
    if "regex" in form and compiled(form["regex"]).search("") is not None:
        yield "regex_matches_everything", f"{form['regex']!r} matches every claim"
    if "number" in form:
        yield from _of_number(form)
    signs = {part.get("yesno") for part in form.get("all", ()) if isinstance(part, Mapping)}
    if {True, False} <= signs:
        yield "contradictory_answer", "all of yes and no: no claim says both first"


def _of_number(form: Mapping[str, Any]) -> Iterator[Found]:
    written = form["number"]
    if isinstance(written, str):
        found = numbers(written, str(form.get("decimal") or "."))
        if found and found[0].scaled:
            yield "scale_in_number", f"{written!r} names a scale: write it in the unit"
    tolerance = form.get("rel")
    if tolerance is not None and float(tolerance) >= 1:
        yield "trivial_answer", f"rel {tolerance} takes 0 for {written}"


def _polarity(answers: list[Any]) -> Iterator[Found]:
    signs = {answer.get("yesno") for answer in answers if isinstance(answer, Mapping)}
    if {True, False} <= signs:
        yield "trivial_answer", "takes yes and no alike"


def _in_question(item: Mapping[str, Any], answers: list[Any]) -> Iterator[Found]:
    question = str(item.get("question") or "")
    for answer in answers:
        read = _read(answer)
        # A pattern that matches nothing at all is told of by itself.
        if read and any(begin < end for begin, end in read.match(Claim(question)).spans):
            yield "answer_in_question", f"{read.expected} is in the question itself"


def _expected_and_forbidden(forbidden: list[Any], texts: list[str]) -> Iterator[Found]:
    """What must not be said, and is what gold expects: no answer could be right."""
    for part in forbidden:
        read = _read(part, forbidden=True)
        hit = next((text for text in texts if read and read.match(Claim(text)).ok), None)
        if read is not None and hit is not None:
            yield "expected_and_forbidden", f"must_not {read.expected} is in the expected {hit!r}"


def _texts(values: list[Any]) -> Iterator[str]:
    """What is expected, as a claim would say it: the words, and the numbers with their units."""
    for form in forms_in(values):
        yield from (part for key in ("any", "all") for part in form.get(key, ()) if _is_text(part))
        if "number" in form:
            yield " ".join(filter(None, (str(form["number"]), form.get("unit"))))
    yield from filter(_is_text, values)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _read(value: Any, *, forbidden: bool = False) -> Expectation | None:
    """The expectation; one that only the other decimal mark can read is left alone."""
    try:
        return (parse_forbidden if forbidden else parse)(value)
    except Misfit:
        return None
