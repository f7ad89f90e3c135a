"""TOML files, with reasons in our own words where one cannot be read.

Python's words may change with its version, and a diagnostic must not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from ragstone.errors import ConfigError

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_toml(path: Path, ours: tuple[str, ...] = ()) -> dict[str, object]:
    """The file as a table; ConfigError says why it cannot be read, with line and column.

    `ours` is the way to the one table that is read by us, where the others belong to other tools.
    """
    # Not at the top: `ragstone --help` is faster without it.
    import tomllib

    try:
        text = path.read_text(encoding="utf-8-sig")
        table = tomllib.loads(text)
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
    within = "".join(f"{step}." for step in ours)
    for key in (key for key in _too_large("", table) if f"{key}.".startswith(within)):
        raise ConfigError(f"{path}: {key}: a whole number has at most 64 bits in TOML")
    return table


def _too_large(at: str, value: object) -> Iterator[str]:
    """The keys of the whole numbers that do not fit into 64 bits, which Python reads all the same.

    >>> list(_too_large("", {"a": {"b": [1, 2**63]}, "c": -(2**63)}))
    ['a.b[1]']
    """
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _too_large(f"{at}.{key}" if at else key, item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _too_large(f"{at}[{number}]", item)
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        yield at


def packaged(package: str, name: str) -> dict[str, Any]:
    """A table of words or texts that is installed with a package."""
    import tomllib

    return tomllib.loads(resources.files(package).joinpath(name).read_text(encoding="utf-8"))


def reason_of(words: str, text: str) -> str:
    """Python's reason in our own words, and the place in the text.

    >>> reason_of("Invalid value (at line 1, column 5)", "k = yes")
    "expected a value; text stands in quotes (line 1, column 5: 'k = yes')"
    """
    import tomllib
    from importlib import resources

    table = resources.files("ragstone.contracts").joinpath("toml_reasons.toml")
    reasons = tomllib.loads(table.read_text(encoding="utf-8")).items()
    reason = next((ours for theirs, ours in reasons if words.startswith(theirs)), "cannot be read")
    place = _PLACE.search(words)
    if place is None or place[1] is None:
        return f"{reason} (at the end of the file)"
    line = text.split("\n")[int(place[1]) - 1].strip()
    return f"{reason} (line {place[1]}, column {place[2]}: {line[:60]!r})"
