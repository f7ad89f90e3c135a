"""What changed between two versions of a gold set, item by item and field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragstone.progress import counting
from ragstone.report.document.blocks import Json
from ragstone.report.formats.json_text import plain
from ragstone.report.formats.markdown_text import LONGEST, code, prose
from ragstone.report.text import shown, visible
from ragstone.suites.gold_lock import Difference, item_hash

Items = Mapping[str, Mapping[str, object]]
ABSENT = "(absent)"
# A text is shown from a little before the first character that differs.
_BEFORE, _SHOWN, _WIDE = 20, 120, 400


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field of an item before and after; `None` where it was or is not there."""

    name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class GoldDiff:
    """The qids that differ, the question of each, and how the fields of those in both changed.

    Against a lock alone there are only hashes: `fields` is then empty.
    """

    found: Difference
    questions: Mapping[str, str]
    fields: Mapping[str, tuple[FieldChange, ...]]


def diff(before: Items, after: Items) -> GoldDiff:
    """Two versions of a gold set, by qid.

    >>> made = diff({"A": {"qid": "A", "k": 1}}, {"A": {"qid": "A", "k": 2}, "B": {"qid": "B"}})
    >>> made.found.counts, made.fields["A"]
    ('1 added, 1 changed', (FieldChange(name='k', before=1, after=2),))
    """
    both = sorted(before.keys() & after.keys())
    looked = counting(both, "comparing", "items", step="comparing")
    fields = {qid: _fields(before[qid], after[qid]) for qid in looked}
    fields = {qid: changed for qid, changed in fields.items() if changed}
    found = Difference(
        tuple(sorted(after.keys() - before.keys())),
        tuple(sorted(before.keys() - after.keys())),
        tuple(fields),
    )
    named = (*found.added, *found.removed, *found.changed)
    questions = {qid: _question(after.get(qid) or before[qid]) for qid in named}
    return GoldDiff(found, questions, fields)


def _fields(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[FieldChange, ...]:
    names = dict.fromkeys((*before, *after))
    return tuple(
        FieldChange(name, before.get(name), after.get(name))
        for name in names
        if item_hash(before.get(name)) != item_hash(after.get(name))
        or (name in before) != (name in after)
    )


def _question(item: Mapping[str, object]) -> str:
    asked = item.get("question")
    wordings = item.get("paraphrases")
    if not isinstance(asked, str) and isinstance(wordings, list) and wordings:
        asked = wordings[0]
    return asked if isinstance(asked, str) else ""


def in_words(change: FieldChange, limit: int = _SHOWN) -> tuple[str, str]:
    """A field before and after, each cut to where they differ.

    >>> in_words(FieldChange("gold_citations", ["p1", "p2"], None))
    ('["p1", "p2"]', '(absent)')
    >>> in_words(FieldChange("notes", "a" * 50 + "b", "a" * 50 + "c"), limit=30)
    ('…aaaaaaaaaaaaaaaaaaaab', '…aaaaaaaaaaaaaaaaaaaac')
    """
    before, after = _text(change.before), _text(change.after)
    same = _shared(before, after)
    if max(len(before), len(after)) <= limit or same <= _BEFORE:
        return before, after
    start = same - _BEFORE
    return f"…{before[start:]}", f"…{after[start:]}"


def _text(value: object) -> str:
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with that are the same."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


def as_lines(made: GoldDiff, title: str) -> Iterator[str]:
    """The difference for a terminal."""
    yield visible(f"{title}: {made.found.counts}")
    for sign, qids in (("+", made.found.added), ("-", made.found.removed)):
        for qid in qids:
            yield f"{sign} {shown(qid, 80)}  {shown(made.questions.get(qid, ''), _SHOWN)}".rstrip()
    for qid in made.found.changed:
        yield f"~ {shown(qid, 80)}  {shown(made.questions.get(qid, ''), _SHOWN)}".rstrip()
        for change in made.fields.get(qid, ()):
            before, after = in_words(change)
            yield f"    {shown(change.name, 80)}: {shown(before, _SHOWN)}"
            yield f"    {' ' * len(shown(change.name, 80))}→ {shown(after, _SHOWN)}"


def as_markdown(made: GoldDiff, title: str) -> str:
    """The difference as a comment under a pull request; what does not fit is counted."""
    parts = [f"### {prose(title)}: {made.found.counts}"]
    rows = [
        *(("added", qid, "", "", made.questions.get(qid, "")) for qid in made.found.added),
        *(("removed", qid, "", made.questions.get(qid, ""), "") for qid in made.found.removed),
        *_changed_rows(made),
    ]
    if rows:
        parts += ["", "| | qid | field | before | after |", "| --- | --- | --- | --- | --- |"]
    room = LONGEST - sum(len(part) + 1 for part in parts)
    for place, (kind, qid, name, before, after) in enumerate(rows):
        cells = (kind, code(qid), code(name) if name else "", *map(_cell, (before, after)))
        line = f"| {' | '.join(cells)} |"
        room -= len(line) + 1
        if room < 200:
            parts += ["", f"_{len(rows) - place:,} more rows do not fit into a comment._"]
            break
        parts.append(line)
    return "\n".join(parts) + "\n"


def _changed_rows(made: GoldDiff) -> Iterator[tuple[str, str, str, str, str]]:
    for qid in made.found.changed:
        changes: Sequence[FieldChange] = made.fields.get(qid, ())
        if not changes:
            yield "changed", qid, "", "", ""
        for change in changes:
            yield ("changed", qid, change.name, *in_words(change, _WIDE))


def _cell(text: str) -> str:
    return prose(text, _WIDE) if text else ""


def as_data(made: GoldDiff) -> dict[str, Json]:
    """The difference as plain data; every value whole."""
    return {
        "added": list(made.found.added),
        "removed": list(made.found.removed),
        "changed": [
            {
                "qid": qid,
                "fields": {
                    change.name: {"before": plain(change.before), "after": plain(change.after)}
                    for change in made.fields.get(qid, ())
                },
            }
            for qid in made.found.changed
        ],
        "same": not made.found,
    }
