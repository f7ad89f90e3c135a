"""That texts have few combining marks in a row, as SQL: more take quadratic time to normalise."""

from __future__ import annotations

from ragstone.engine.duck import quoted
from ragstone.matching.combining_marks import ESCAPES_IN_A_ROW, MOST, marks

# A text with so many in a row is looked at in Python: an expression for 30 takes the engine as long
# to prepare as ten thousand lines take to check.
_USUAL = 7


def few_marks(text: str, most: int = MOST) -> str:
    """That a text has so many in a row at most."""
    row = quoted(f"[{marks()}]{{{most + 1}}}")
    # Every mark is a character of several bytes, and most texts have hardly any.
    return (
        f"case when strlen({text}) - length({text}) > {most} "
        f"then not regexp_matches({text}, {row}) else true end"
    )


def usual_marks(text: str) -> str:
    """That a text that is not null has so few that it may be read without another look."""
    return few_marks(text, _USUAL)


def usual_marks_in_line(line: str) -> str:
    """The same of the texts in a line of JSON, where marks may be escapes."""
    return (
        rf"case when contains({line}, '\u') and regexp_matches({line}, {quoted(ESCAPES_IN_A_ROW)}) "
        f"then false else {usual_marks(line)} end"
    )
