"""TOML files, with reasons in our own words where one cannot be read.

Python's words may change with its version, and a diagnostic must not.
"""

from __future__ import annotations

import re
from pathlib import Path

from ragstone.errors import ConfigError

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
# How Python's reason begins, and ours.
_REASONS = (
    ("Cannot declare", "the table is already there"),
    ("Cannot overwrite", "the key is already there"),
    ("Duplicate inline table key", "the key is already there"),
    ("Cannot mutate", "the table is already complete and takes no more keys"),
    ("Cannot redefine", "the table is already complete and takes no more keys"),
    ("Expected '='", "expected = after a key"),
    ("Expected ']'", "the [ of a table's name is not closed"),
    ("Invalid initial character", "expected a key"),
    ("Invalid statement", "expected a key or a [table]"),
    ("Invalid value", "expected a value; text stands in quotes"),
    ("Invalid date", "there is no such date or time"),
    ("Unclosed array", "expected a comma or the ] of a list"),
    ("Unclosed inline table", "expected a comma or the } of an inline table"),
    ("Expected newline", "expected the end of the line after a value"),
    ("Expected", "a string is not closed"),
    ("Unterminated string", "a string is not closed"),
    ("Unescaped", r"not a valid \escape in a string"),
    ("Invalid hex value", r"not a valid \uXXXX escape in a string"),
    ("Escaped character", r"not a valid \uXXXX escape in a string"),
    ("Illegal character", "a string is not closed on its line, or holds a control character"),
    ("Found invalid character", "a control character"),
)


def read_toml(path: Path) -> dict[str, object]:
    """The file as a table; ConfigError says why it cannot be read, with line and column."""
    # Not at the top: `ragstone --help` is faster without it.
    import tomllib

    try:
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 (at byte {error.start + 1})") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {reason_of(str(error), text)}") from None
    except RecursionError:
        raise ConfigError(f"{path} is not valid TOML: a list or table is nested too deep") from None
    except ValueError:
        # The one that is left: Python reads no whole number of more than 4300 digits.
        raise ConfigError(f"{path} is not valid TOML: a number is too long") from None


def reason_of(words: str, text: str) -> str:
    """Python's reason in our own words, and the place in the text.

    >>> reason_of("Invalid value (at line 1, column 5)", "k = yes")
    "expected a value; text stands in quotes (line 1, column 5: 'k = yes')"
    """
    reason = next((ours for theirs, ours in _REASONS if words.startswith(theirs)), "cannot be read")
    place = _PLACE.search(words)
    if place is None or place[1] is None:
        return f"{reason} (at the end of the file)"
    line = text.split("\n")[int(place[1]) - 1].strip()
    return f"{reason} (line {place[1]}, column {place[2]}: {line[:60]!r})"
