"""Citations that stand in the text of an answer: positions such as `[1, 2]`, or ids themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragstone.engine.duck import Duck, quoted
from ragstone.errors import ConfigError
from ragstone.matching.user_patterns import checked, compiled
from ragstone.report.document.blocks import Offender
from ragstone.suites.statements import sql_of

# A marker goes with the blank before it: "so [1]." becomes "so.". A line's end stays.
_BLANKS = r"[\t \x{A0}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}]*"

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Markers:
    """What a marker looks like, and whether the first position is 0 or 1."""

    pattern: str
    base: int = 1

    def __post_init__(self) -> None:
        found = checked(self.pattern, "cite_pattern")
        if found.groups != 1:
            raise ConfigError(
                f"cite_pattern: {self.pattern!r} has {found.groups or 'no'} groups; expected one, "
                "which holds the positions or the ids, as in \\[(\\d+)\\]"
            )
        if found.fullmatch(""):
            raise ConfigError(f"cite_pattern: {self.pattern!r} matches where nothing is written")
        checked(self.removed, "cite_pattern", self.pattern)

    @property
    def removed(self) -> str:
        """The pattern of what is not part of the compared claim."""
        return f"{_BLANKS}(?:{self.pattern})"


@dataclass(frozen=True, eq=False, repr=False)
class Said:
    """The columns of a table that say what was answered, cited and retrieved."""

    claim: str = "claim"
    claims: str = "claims"
    citations: str = "citations"
    retrieved: str = "retrieved"


def read_markers(duck: Duck, trace: str, markers: Markers, said: Said | None = None) -> None:
    """Turns the markers in a table's texts into citations."""
    said = said or Said()
    duck.set(markers=markers.removed)
    sql = sql_of(
        "ragstone.suites.answers",
        "inline_markers.sql",
        pattern=quoted(markers.pattern),
        removed=quoted(markers.removed),
        shift=str(1 - markers.base),
        trace=trace,
        claim=said.claim,
        claims=said.claims,
        citations=said.citations,
        retrieved=said.retrieved,
    )
    duck.run(sql)


def with_markers(offender: Offender, written: str, removed: str) -> Offender:
    """The offender with its claim as it was written, and every place in it where it is there."""
    gaps = tuple(found.span() for found in compiled(removed).finditer(written))
    pieces = zip((0, *(end for _, end in gaps)), (*(begin for begin, _ in gaps), None), strict=True)
    if "".join(written[begin:end] for begin, end in pieces) != offender.claim:
        # Two sentences that only together look like a marker: the places could not be told.
        return offender
    return replace(
        offender,
        claim=written,
        found_at=_moved(offender.found_at, gaps),
        forbidden_at=_moved(offender.forbidden_at, gaps),
        unsupported_at=_moved(offender.unsupported_at, gaps),
    )


def _moved(places: Sequence[tuple[int, int]], gaps: Spans) -> Spans:
    """Places in a text without the gaps, in the text with them.

    >>> _moved([(0, 2), (2, 3)], ((2, 6),))
    ((0, 2), (6, 7))
    """
    return tuple((_shifted(begin, gaps), _shifted(end - 1, gaps) + 1) for begin, end in places)


def _shifted(place: int, gaps: Spans) -> int:
    for begin, end in gaps:
        if place >= begin:
            place += end - begin
    return place
