"""Text cells of the tables we write, so that a spreadsheet shows them and never runs them.

A cell that begins with `=`, `+`, `-` or `@` is a formula to a spreadsheet, and a qid of a user's
file may be `=cmd|calc!A1`. An apostrophe in front makes it text. A number such as -0.5 is left as
it is. No command of ours reads these tables, so none has to take the apostrophe away.
"""

from __future__ import annotations

import re

# Python and the engine read both patterns alike. The wide signs are taken for formulas in Japanese
# and Chinese spreadsheets; a tab or a carriage return in front of a sign is skipped by some.
_FORMULA = "^[=+@\t\r＝＋－＠-]"
_NUMBER = "^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?$"
_is_formula, _is_number = re.compile(_FORMULA), re.compile(_NUMBER.replace("$", r"\Z"))


def cell(text: str) -> str:
    """The text of a cell, with an apostrophe where a spreadsheet would take it for a formula.

    >>> [cell(text) for text in ("=1+1", "@SUM(1)", "-0.5", "+3", "-", "p1#2", "'a")]
    ["'=1+1", "'@SUM(1)", '-0.5', '+3', "'-", 'p1#2', "'a"]
    """
    return f"'{text}" if _is_formula.match(text) and not _is_number.match(text) else text


def cell_sql(column: str) -> str:
    """What `cell` gives, as SQL over a column of texts."""
    formula = f"regexp_matches({column}, '{_FORMULA}')"
    number = f"regexp_matches({column}, '{_NUMBER}')"
    return f"case when {formula} and not {number} then '''' || {column} else {column} end"
