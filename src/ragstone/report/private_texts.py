"""Leaves the texts of the user's data out of a report, or clips them, for every format at once.

Texts are what people and models wrote: questions, claims, expected phrases, constraints, reasons.
Ids, names of checks and slices, settings and numbers are no texts and stay; of the settings only
the reasons of waivers are texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from ragstone.report.document.blocks import (
    Answered,
    Block,
    Cell,
    Chunk,
    Finding,
    Json,
    Offender,
    Offenders,
    Picture,
    QuestionPair,
    QuestionPairs,
    Reading,
    Table,
)
from ragstone.report.document.question_list import QuestionList
from ragstone.report.model import Report
from ragstone.report.text import quoted

Texts = Literal["all", "clip", "none"]

CLIPPED = 80
LEFT_OUT = "(left out)"

# The keys of a report's JSON under which texts are found, however deep.
KEYS = frozenset(
    {
        *("question", "q", "query", "paraphrases", "claim", "claims", "answer", "text"),
        *("gold_claim_substr", "gold_answer", "nuggets", "must_not", "why", "unsupported", "notes"),
        *("constraints", "constraints_echo", "reason", "scholar_reason", "auditor_reason"),
    }
)
# And those of sentences of ours, which may quote one.
SENTENCES = frozenset({"note", "pattern", "reading", "says", "warnings"})
# A sentence that quotes the data puts it between these marks (`quoted`), and nothing else.
_QUOTED = re.compile("“[^”]*”")


def with_texts(report: Report, texts: Texts) -> Report:
    """The report with `all` texts, the first 80 characters of each (`clip`), or `none` of them."""
    if texts == "all":
        return report
    clip = texts == "clip"
    return replace(
        report,
        data=_mapping(report.data, clip),
        settings=_settings(report.settings, clip),
        gates=tuple(replace(gate, note=_sentence(gate.note, clip)) for gate in report.gates),
        blocks=tuple(_block(block, clip) for block in report.blocks),
        warnings=tuple(_sentence(warning, clip) for warning in report.warnings),
        questions=tuple(_questions(each, clip) for each in report.questions),
    )


def _questions(found: QuestionList, clip: bool) -> QuestionList:
    """The list of questions with its texts clipped, or without them."""
    if clip:
        return found.with_texts(map(_short, found.asked), map(_short, found.said))
    nothing = ("",) * len(found.qids)
    return found.with_texts(nothing, nothing)


def _settings(settings: Mapping[str, Json], clip: bool) -> Mapping[str, Json]:
    waive = settings.get("waive")
    if not waive:
        return settings
    return {**settings, "waive": _data(waive, clip, text=False, sentence=False)}


def _short(text: str) -> str:
    return text if len(text) <= CLIPPED else f"{text[:CLIPPED]}…"


def _sentence(words: str, clip: bool) -> str:
    """Our own words stay; only what they quote is cut."""
    return _QUOTED.sub(lambda at: quoted(_short(at[0][1:-1])) if clip else LEFT_OUT, words)


def _block(block: Block, clip: bool) -> Block:
    match block:
        case Table():
            return _table(block, clip)
        case Offenders():
            return replace(block, rows=tuple(offender_with_texts(row, clip) for row in block.rows))
        case QuestionPairs():
            return replace(block, rows=tuple(_pair(row, clip) for row in block.rows))
        case Reading():
            return replace(block, findings=tuple(_finding(each, clip) for each in block.findings))
        case Picture():
            return replace(block, alt=_sentence(block.alt, clip), says=_sentence(block.says, clip))
    return block


def _table(table: Table, clip: bool) -> Table:
    """Without texts the columns that hold them are left out: an empty cell would look like data."""
    held = [name in table.texts for name in table.columns]
    kept = [index for index, text in enumerate(held) if clip or not text]
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(tuple(_cell(row[index], held[index]) for index in kept) for row in table.rows),
        texts=table.texts if clip else (),
    )


def _cell(cell: Cell, text: bool) -> Cell:
    return _short(cell) if text and isinstance(cell, str) else cell


def _finding(finding: Finding, clip: bool) -> Finding:
    pattern, reading = (_sentence(said, clip) for said in (finding.pattern, finding.reading))
    return replace(finding, pattern=pattern, reading=reading)


def offender_with_texts(row: Offender, clip: bool) -> Offender:
    """A row with its texts clipped, or without them."""

    def several(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_short(text) for text in texts) if clip else ()

    # A claim of None means that there was no answer, and "" that it was empty: both stay as facts.
    return replace(
        row,
        question=_short(row.question) if clip and row.question else None,
        claim=row.claim and (_short(row.claim) if clip else LEFT_OUT),
        gold_claim_substr=several(row.gold_claim_substr),
        constraints=several(row.constraints),
        constraints_echo=several(row.constraints_echo),
        gold_answer=several(row.gold_answer),
        nuggets=several(row.nuggets),
        must_not=several(row.must_not),
        why=_short(row.why) if clip else "",
        # Places in a text that is not shown would mark other words.
        found_at=row.found_at if clip else (),
        forbidden_at=row.forbidden_at if clip else (),
        unsupported=several(row.unsupported),
        unsupported_at=row.unsupported_at if clip else (),
        chunks=tuple(Chunk(e.id, _short(e.text)) for e in row.chunks) if clip else (),
        before=_answered(row.before, clip),
    )


def _answered(answered: Answered | None, clip: bool) -> Answered | None:
    if answered is None or not answered.claim:
        return answered
    return replace(answered, claim=_short(answered.claim) if clip else LEFT_OUT)


def _pair(row: QuestionPair, clip: bool) -> QuestionPair:
    """A question of two runs with its texts clipped, or without them."""
    return replace(
        row,
        question=_short(row.question) if clip and row.question else None,
        before=_answered(row.before, clip),
        after=_answered(row.after, clip),
        gold_claim_substr=tuple(map(_short, row.gold_claim_substr)) if clip else (),
    )


def _mapping(data: Mapping[str, Json], clip: bool) -> dict[str, Json]:
    """The data of the JSON; without texts their keys are left out, for null would mean no text."""
    kept: dict[str, Json] = {}
    for key, item in data.items():
        # Under a qid that is spelled like one of the keys there is an object, which is no text.
        text = key in KEYS and bool(item) and isinstance(item, str | list)
        if clip or not text:
            kept[key] = _data(item, clip, text, sentence=key in SENTENCES)
    return kept


def _data(value: Json, clip: bool, text: bool, sentence: bool) -> Json:
    if isinstance(value, list):
        return [_data(item, clip, text, sentence) for item in value]
    if isinstance(value, Mapping):
        if not text:
            return _mapping(value, clip)
        return {key: _data(item, clip, text, sentence) for key, item in value.items()}
    if isinstance(value, str):
        return _short(value) if text else _sentence(value, clip) if sentence else value
    return value
