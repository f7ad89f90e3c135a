"""The form of the gold editor: its fields as a draft of an item, and a draft as its fields."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from ragstone.contracts.not_json import NotJson
from ragstone.contracts.strict_json import parse
from ragstone.tools.gold_draft import Draft

# All fields together, and one of them.
MOST_BYTES = 256 * 1024
MOST_FIELDS = 400
KINDS = {
    "": "none: the words above prove it",
    "number": "number",
    "date": "date, such as 2023-07-01",
    "yesno": "yes or no",
    "text": "these words, side by side",
    "words": "these words, in any order",
    "name": "a name",
    "list": "all of these (with | between)",
    "any": "whole words, any of (with | between)",
    "regex": "pattern (RE2)",
    "json": "as JSON",
}


@dataclass(frozen=True, slots=True)
class Filled:
    """What a person has written: the draft, and what it began with.

    `since` is the digest of the gold file, `base` the item as it was, "" of a new one. `place` says
    which question or record the editor was opened from.
    """

    draft: Draft
    since: str
    base: str = ""
    place: tuple[tuple[str, str], ...] = ()
    by: str = ""
    why: str = ""
    freeze: bool = False

    def fields(self) -> list[tuple[str, str]]:
        """The same as fields of a form, for a page that only hands them on."""
        kind, value, unit = typed_fields(self.draft.answer)
        draft = self.draft
        return [
            *self.place,
            ("since", self.since),
            ("base", self.base),
            ("by", self.by),
            ("why", self.why),
            *([("freeze", "yes")] if self.freeze else []),
            ("name", draft.qid),
            ("question", draft.question),
            ("answerable", "yes" if draft.answerable else "no"),
            ("phrases", "\n".join(draft.phrases)),
            ("kind", kind),
            ("value", value),
            ("unit", unit),
            *(("chunk", id) for id in draft.citations),
            ("paraphrases", "\n".join(draft.paraphrases)),
            ("tags", ", ".join(draft.tags)),
            ("anchor", draft.anchor),
        ]


PLACE = ("qid", "record", "at")


def filled(body: bytes) -> tuple[Filled, dict[str, str]]:
    """What the body of a form says, and its fields, each once; ValueError where it is none."""
    pairs = parse_qsl(
        body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS
    )
    once = {name: text.replace("\r\n", "\n").replace("\0", "") for name, text in pairs}
    chosen = [text for name, text in pairs if name == "chunk"]
    draft = Draft(
        qid=once.get("name", ""),
        question=" ".join(once.get("question", "").split()),
        answerable=once.get("answerable", "yes") != "no",
        phrases=_lines(once.get("phrases", "")),
        answer=typed_answer(*(once.get(name, "").strip() for name in ("kind", "value", "unit"))),
        citations=(*chosen, *_lines(once.get("chunks", ""))),
        paraphrases=_lines(once.get("paraphrases", "")),
        tags=tuple(once.get("tags", "").split(",")),
        anchor=once.get("anchor", ""),
    ).tidied()
    place = tuple((name, once[name]) for name in PLACE if once.get(name))
    return (
        Filled(
            draft,
            once.get("since", ""),
            once.get("base", ""),
            place,
            " ".join(once.get("by", "").split())[:200],
            " ".join(once.get("why", "").split())[:500],
            once.get("freeze") == "yes",
        ),
        once,
    )


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))


def typed_answer(kind: str, value: str, unit: str = "") -> str:
    """The JSON of a typed answer; what cannot be one is told by the check of the item.

    >>> typed_answer("number", "30", "days"), typed_answer("yesno", "No"), typed_answer("", "x")
    ('{"number": 30, "unit": "days"}', '{"yesno": false}', '')
    """
    if kind not in KINDS or not kind or not value:
        return ""
    match kind:
        case "json":
            return value
        case "number":
            made: dict[str, object] = {"number": _number(value)}
            return _json({**made, **({"unit": unit} if unit else {})})
        case "yesno":
            word = value.casefold()
            said = {"yes": True, "true": True, "no": False, "false": False}.get(word)
            return _json({"yesno": value if said is None else said})
        case "any" | "list":
            return _json({kind: [each.strip() for each in value.split("|") if each.strip()]})
    return _json({kind: value})


def _number(value: str) -> object:
    """A number as JSON has it, where that is the same text; else the text, with its zeros."""
    try:
        found = parse(value.encode("utf-8", "replace"))
    except NotJson:
        return value
    plain = isinstance(found, int | float) and not isinstance(found, bool)
    return found if plain and _json(found) == value else value


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def typed_fields(answer: str) -> tuple[str, str, str]:
    """A typed answer as kind, value and unit; one that the fields cannot say is shown as JSON.

    >>> typed_fields('{"number": 30, "unit": "days"}'), typed_fields('{"name": "Ann Lee"}')
    (('number', '30', 'days'), ('name', 'Ann Lee', ''))
    >>> typed_fields('{"name": "Ann Lee", "surname": false}')
    ('json', '{"name": "Ann Lee", "surname": false}', '')
    """
    if not answer:
        return "", "", ""
    try:
        held = parse(answer.encode("utf-8", "replace"))
    except NotJson:
        return "json", answer, ""
    found = _plain_fields(held) if isinstance(held, dict) else None
    # The fields stand for it only if they give the very same back.
    if found is not None and typed_answer(*found) == answer:
        return found
    return "json", answer, ""


def _plain_fields(held: Mapping[str, object]) -> tuple[str, str, str] | None:
    match dict(held):
        case {"number": number, **rest} if set(rest) <= {"unit"}:
            return "number", number if isinstance(number, str) else _json(number), _text(rest)
        case {"date": str(date), **rest} if not rest:
            return "date", date, ""
        case {"yesno": bool(said), **rest} if not rest:
            return "yesno", "yes" if said else "no", ""
    match list(held.items()):
        case [("any" | "list" as kind, list(words))] if _are_texts(words):
            return kind, " | ".join(words), ""
        case [("text" | "words" | "name" | "regex" as kind, str(words))]:
            return kind, words, ""
    return None


def _text(rest: Mapping[str, object]) -> str:
    unit = rest.get("unit", "")
    return unit if isinstance(unit, str) else ""


def _are_texts(words: Sequence[object]) -> bool:
    return all(isinstance(each, str) for each in words)
