"""Surnames that two people of a gold set share: alone they do not say who is meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ragstone.matching.letters import letters_of
from ragstone.suites.answers.lint import Weakness
from ragstone.suites.answers.typed_lint import forms_in, listed


def surname(name: str) -> str:
    return letters_of(name.split()[-1])


def shared(names: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The surnames that people of other first names have in two items: pairs of qid and name.

    >>> shared([("q1", "Ann Lee"), ("q2", "Bob Lee"), ("q3", "Carl Moe"), ("q3", "C. Moe")])
    frozenset({'lee'})
    """
    bearers: dict[str, dict[str, str]] = {}
    for qid, name in names:
        bearers.setdefault(surname(name), {})[letters_of(name.split()[0])] = qid
    return frozenset(each for each, qids in bearers.items() if len(set(qids.values())) > 1)


def lint_surnames(gold: Sequence[Mapping[str, object]]) -> list[Weakness]:
    """The names of a gold set that their surname alone may stand for, though two share it."""
    names = [*_names(gold)]
    of_two = shared((qid, name) for qid, name, _ in names)
    return [
        Weakness(
            qid,
            "shared_surname",
            f'{name!r} shares its surname with another item: write "surname": false',
        )
        for qid, name, alone in names
        if alone and surname(name) in of_two
    ]


def _names(gold: Sequence[Mapping[str, object]]) -> Iterator[tuple[str, str, bool]]:
    """Every name that gold expects, with its qid, and whether its surname alone is enough."""
    for item in gold:
        for form in forms_in(listed(item, "gold_answer")):
            if "name" in form:
                yield str(item["qid"]), str(form["name"]), form.get("surname") is not False
