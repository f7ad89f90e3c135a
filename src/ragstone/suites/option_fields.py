"""What an option is: a field of a suite's options, which says about itself what everybody needs.

From the field come the flag, the key in ragstone.toml, the keyword of the Python call, the check of
a value, the entry in the report's settings (and so in the digest) and the line in the docs.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from ragstone.contracts.kinds import MOST, is_number
from ragstone.contracts.plain_numbers import RANGE, clipped
from ragstone.errors import ConfigError
from ragstone.gates.judge import suggestion

# More than any machine that runs this has; DuckDB starts as many as it is told to, or dies trying.
MOST_THREADS = 1024


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Option:
    """What a field of the options says about itself beyond its name, type and default.

    `flags` are the words on the command line (none: `--name`); `flagless` has no flag at all. `key`
    is where ragstone.toml has it: a name in the suite's own table (by default the field's name), a
    dotted name such as `scu.rules`, or "" for nowhere. `called` is its name in messages and
    settings, where that is not the field's. `words` turns the words behind the flag, and `table`
    what TOML holds, into the value; `add` joins the two where flags do not simply win. A number is
    at least `least` and below `most`; without them it is from -1e15 to 1e15. What `is_path` and
    stands in ragstone.toml, or has its default beside one, is seen from that file's folder. Only
    suites with an input of what it `translates` have the option; it is no setting where not given.
    """

    says: str
    flags: tuple[str, ...] = ()
    flagless: bool = False
    metavar: str = ""
    group: str = "scoring"
    key: str | None = None
    called: str = ""
    least: float | None = None
    most: float | None = None
    commas: bool = False
    hashed: bool = True
    words: Callable[[Sequence[str]], object] | None = None
    table: Callable[[object, str], object] | None = None
    add: Callable[[Any, Any], object] | None = None
    is_path: bool = False
    translates: str = ""


def option(default: Any, says: str, **more: Any) -> Any:
    """A field of a suite's options: `k: int = option(5, "how many ids count", least=1)`."""
    made = {"option": Option(says=says, **more)}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=made)
    return dataclasses.field(default=default, metadata=made)


@dataclass(frozen=True, eq=False, repr=False)
class Declared:
    """An option with what its field adds: the name, the default, and the kind of value."""

    name: str
    default: object
    kind: type
    choices: tuple[str, ...]
    optional: bool
    listed: bool
    option: Option

    @property
    def flags(self) -> tuple[str, ...]:
        if self.option.flagless:
            return ()
        return self.option.flags or (f"--{self.name.replace('_', '-')}",)

    @property
    def called(self) -> str:
        return self.option.called or self.name

    @property
    def key(self) -> str:
        return self.name if self.option.key is None else self.option.key


_DECLARED: dict[type[Any], tuple[Declared, ...]] = {}


def declared(options: type[Any]) -> tuple[Declared, ...]:
    """Every option of a suite, in the order of declaration."""
    if options not in _DECLARED:
        _DECLARED[options] = tuple(
            _declared(field) for field in dataclasses.fields(options) if "option" in field.metadata
        )
    return _DECLARED[options]


def _declared(field: "dataclasses.Field[Any]") -> Declared:
    hint: object = field.type
    optional = get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint)
    if optional:
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    listed = hint == tuple[str, ...]
    choices = tuple(get_args(hint)) if get_origin(hint) is Literal else ()
    kind = str if choices or listed else get_origin(hint) or hint
    if not isinstance(kind, type):
        raise TypeError(f"option {field.name}: no flag or key can be made of {hint!r}")
    made: Option = field.metadata["option"]
    default = {} if field.default is dataclasses.MISSING else field.default
    return Declared(field.name, default, kind, choices, optional, listed, made)


_EXPECTED = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
}


def checked(found: Declared, value: object, at: str = "") -> object:
    """The value, if it is of the option's kind and within its bounds; ConfigError says why not.

    >>> from ragstone.suites.options import Options
    >>> level = next(each for each in declared(Options) if each.name == "confidence")
    >>> checked(level, 2.0)
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: confidence: expected a number from 0.5 to below 0.999999, found 2.0
    """
    name = at or found.called
    if value is None and found.optional:
        return None
    if found.listed:
        return _checked_list(found, value, name)
    if found.kind not in _EXPECTED:
        return value
    if is_number(value) and found.kind in (int, float):
        # Before it is made a float, which cannot hold a whole number of 400 digits.
        _check_bounds(found, value, name)
    if found.kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, found.kind) or (isinstance(value, bool) and found.kind is not bool):
        raise ConfigError(f"{name}: expected {_wanted(found)}, found {clipped(value)}")
    if isinstance(value, str):
        _must_be_text(value, name)
    if found.choices and value not in found.choices:
        raise ConfigError(f"{name}: there is no {value!r}{suggestion(str(value), found.choices)}")
    return value


def _checked_list(found: Declared, value: object, name: str) -> tuple[str, ...]:
    items = (value,) if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise ConfigError(f"{name}: expected a list of strings, found {clipped(value)}")
    for item in items:
        if not isinstance(item, str) or not item.strip():
            raise ConfigError(f"{name}: expected a string that is not empty, found {clipped(item)}")
        _must_be_text(item, name)
    return tuple(items)


def _must_be_text(value: str, name: str) -> None:
    """Half of a surrogate pair, as Python reads a flag that is not UTF-8, cannot be written."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{name}: expected UTF-8, found {clipped(value)}") from None


def _check_bounds(found: Declared, value: Any, name: str) -> None:
    low, high = found.option.least, found.option.most
    # Written so that NaN, which is neither below nor above anything, is out of bounds.
    if (low is not None and not value >= low) or (high is not None and not value < high):
        raise ConfigError(f"{name}: expected {_wanted(found)}, found {clipped(value)}")
    if not -MOST <= value <= MOST:
        wanted = f"{_EXPECTED[found.kind]} {RANGE}"
        raise ConfigError(f"{name}: expected {wanted}, found {clipped(value)}")


def _wanted(found: Declared) -> str:
    low, high = found.option.least, found.option.most
    kind = _EXPECTED[found.kind]
    if low is not None and high is not None:
        most = f"{high - 1:,.0f}" if found.kind is int else f"below {high:g}"
        return f"{kind} from {low:g} to {most}"
    return f"{kind} of at least {low:g}" if low is not None else kind
