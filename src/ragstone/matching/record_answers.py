"""A record in a claim: one JSON object or a Markdown table of two columns, field by field."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ragstone.matching.answer_forms import Expectation
from ragstone.matching.claim_reading import Claim, Match

_FENCE = "```"
_ROW = re.compile(r"(?m)^[ \t]{0,3}\|([^|\n]+)\|([^|\n]+)\|[ \t]{0,3}$")
_RULE = re.compile(r"[\s:-]+")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value as JSON has it: true, false or a number."""

    value: float | bool

    @property
    def expected(self) -> str:
        return json.dumps(self.value)

    def match(self, claim: Claim) -> Match:
        ok = claim.text.strip() == self.expected
        span = (0, len(claim.text))
        return Match(ok, (span,) if ok else (), self.expected, claim.text.strip(), "record" * ok)


@dataclass(frozen=True, slots=True)
class RecordAnswer:
    """Fields that each meet their form; a closed record has no others."""

    fields: tuple[tuple[str, Expectation], ...]
    closed: bool = False

    @property
    def expected(self) -> str:
        return ", ".join(f"{name}: {form.expected}" for name, form in self.fields)

    def match(self, claim: Claim) -> Match:
        record = _record_in(claim.text)
        if record is None:
            return Match(False, (), self.expected, "")
        wrong = [
            f"{name}: {form.expected}"
            for name, form in self.fields
            if not _meets(record.get(name), form)
        ]
        more = [name for name in record if name not in dict(self.fields)] if self.closed else []
        wrong += [f"no field {name}" for name in more]
        found = ", ".join(f"{name}: {_as_text(record[name])}" for name in record)
        right = sum(_meets(record.get(name), form) for name, form in self.fields)
        share = right / len(self.fields)
        if wrong:
            return Match(False, (), "; ".join(wrong), found, field_accuracy=share)
        span = (0, len(claim.text))
        return Match(True, (span,), self.expected, found, "record", field_accuracy=share)


def _meets(value: object, form: Expectation) -> bool:
    if value is None:
        return False
    return form.match(Claim(_as_text(value))).ok


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _record_in(text: str) -> Mapping[str, object] | None:
    """The one record that a claim is or holds; None where it holds none, or several."""
    # What stands between two fences, without the word for its language.
    fenced = [part.partition("\n")[2] for part in text.split(_FENCE)[1:-1:2]]
    records = [record for part in fenced or [text] if (record := _object(part)) is not None]
    if records or fenced:
        return records[0] if len(records) == 1 else None
    return _table(text)


def _object(text: str) -> Mapping[str, object] | None:
    try:
        value = json.loads(text, object_pairs_hook=_once_each)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A field that stands there twice says two things."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a field stands there twice")
    return dict(pairs)


def _table(text: str) -> Mapping[str, object] | None:
    rows = [(found[1].strip(), found[2].strip()) for found in _ROW.finditer(text)]
    if len(rows) < 3 or not all(map(_RULE.fullmatch, rows[1])):
        return None
    fields = rows[2:]
    return dict(fields) if len({name for name, _ in fields}) == len(fields) else None
