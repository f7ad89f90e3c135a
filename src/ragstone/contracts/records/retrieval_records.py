"""What the retrieval suite reads: gold with paraphrases, logs of query runs, the chunk manifest.

Logs pass through many hands, and a `ΔS` that one of them read in the wrong encoding arrives as
`Î”S` or `ŒîS`. Those spellings are known here, in keys and in values: no log needs repair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ragstone.contracts.record import Field
from ragstone.contracts.records import choices, named

# How each type is counted; a formula is kept like code, because every character of it matters.
TYPES = choices("types")

CONVERGES, COLLAPSES, SPLITS, SCATTERS = "→", "←", "<>", "×"


def misread(text: str) -> tuple[str, ...]:
    """How UTF-8 text looks after it was read as Latin-1, cp1252 or MacRoman.

    >>> misread("ΔS")
    ('Î\\x94S', 'Î”S', 'ŒîS')
    """
    raw = text.encode("utf-8")
    found = [raw.decode("latin-1"), "".join(_cp1252(raw)), raw.decode("mac_roman")]
    return tuple(dict.fromkeys(each for each in found if each != text))


def _cp1252(raw: bytes) -> Iterator[str]:
    for byte in raw:
        try:
            yield bytes((byte,)).decode("cp1252")
        except UnicodeDecodeError:
            # Five bytes mean nothing in cp1252; browsers and editors let them through as controls.
            yield chr(byte)


def _states() -> Iterator[tuple[str, str]]:
    plain = {CONVERGES: "->", COLLAPSES: "<-", SPLITS: "<>", SCATTERS: "x"}
    for state, ascii_form in plain.items():
        for spelling in dict.fromkeys((state, ascii_form, *misread(state))):
            yield spelling, state


# spelling → state, for every spelling of a state.
STATES: Mapping[str, str] = dict(_states())

DELTA_S = ("ΔS", "delta_s", "dS", *misread("ΔS"))
LAMBDA_STATE = ("λ_state", "lambda_state", *misread("λ_state"))


def _spelled(field: Field) -> Iterator[Field]:
    """The field under each of its spellings."""
    spellings = {names[0]: names for names in (DELTA_S, LAMBDA_STATE)}
    if field.name not in spellings:
        yield field
        return
    states = tuple(STATES) if field.kind == "text" else ()
    for name in spellings[field.name]:
        says = field.name if name == field.name else f"another spelling of {field.name}"
        says = f"{says}: {field.says}"
        others = spellings[field.name]
        yield replace(field, name=name, says=says, choices=states, spared=others)


_LOG = named("retrieval_log")

RETRIEVAL_GOLD = named("retrieval_gold")
RETRIEVAL_LOG = replace(_LOG, fields=tuple(s for field in _LOG.fields for s in _spelled(field)))
MANIFEST = named("manifest")
TEXTS = named("texts")
