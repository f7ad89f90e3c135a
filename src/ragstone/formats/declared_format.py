"""What a format is: what another tool's file looks like, and the SQL that makes our lines of it.

The declaration is a table of TOML. Those that come with Ragstone are files beside their SQL; a
user's own is `[format.NAME]` in ragstone.toml; a package's is found by its entry point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from ragstone.contracts.plain_numbers import clipped
from ragstone.errors import ConfigError, InputError
from ragstone.gates.judge import suggestion

Reads = Literal["traces", "gold"]
CutKind = Literal["lines", "elements", "pairs", "document", "table", "words", "parquet"]
_KEYS = ("says", "reads", "sql", "unit", "cuts", "keys", "joined", "joins", "rows_in", "inside")
_TABLES = ("columns", "lost", "lacks", "sample")


@dataclass(frozen=True, slots=True)
class Cut:
    """How a file becomes rows.

    lines: JSON Lines, a row each. elements: the elements of the array at `path` of one JSON
    document; pairs: the values of the object there, each with its `key`. document: the whole
    document is a row. table: TSV or CSV, a row each with the cells under the names of the header.
    words: a row for each line, a list of what stands between tabs, or else between blanks.
    parquet: rows with the declared columns, each of its type in DuckDB.
    """

    kind: CutKind
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """Files of the format by name, the lines that must come out of them, and what must be lost."""

    files: Mapping[str, str]
    out: str
    lost: Mapping[str, int] = field(default_factory=dict)
    lacks: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Format:
    """A format: `name`, what it `reads`, what it is (`says`), and the SQL that translates it.

    The SQL selects from `raw`, which has `file` (the number of the file), `row` (the line that the
    row begins on, or the row of a table) and `json`; with `pairs` also `key`, and the `columns` of
    Parquet files, which have no `json`. It gives the columns
    of our record, and beside them `file` and `row` again, `lost` (the name of why this row gives no
    line, or null), `lacks` (names of what the line had to come out without), `rows` (how many of
    the rows it stands for, 1) and `named` (what to call it when it is lost). Of every row that came
    in something must be said. `lost` and `lacks` explain these names. Statements before the last
    make tables. A format that `joins` spans makes the table `spans`, and the rest is there already
    (`joins/spans_after.sql`). Of a format that is `joined`, a line is made of several rows, which
    have no `row` then; `rows_in` counts what came in, where that is not `raw`.

    `unit` is what rows are called. `keys` are sets of keys of which one tells the format: they name
    it in an error. `inside` are the files that are read where a folder is given. `system` is the
    one that was chosen of several whose answers a file holds (the column `system`).
    """

    name: str
    reads: Reads
    says: str
    sql: str
    unit: str = "lines"
    cuts: tuple[Cut, ...] = (Cut("lines"),)
    columns: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[frozenset[str], ...] = ()
    joined: bool = False
    rows_in: str = "count(*) from raw"
    inside: tuple[str, ...] = ()
    lost: Mapping[str, str] = field(default_factory=dict)
    lacks: Mapping[str, str] = field(default_factory=dict)
    samples: tuple[Sample, ...] = ()
    system: str = ""

    @property
    def flag(self) -> str:
        """How a command line names it."""
        return f"--{'gold-' if self.reads == 'gold' else ''}from {self.name}"

    @property
    def makes(self) -> str:
        """What comes out, in the plural."""
        return "traces" if self.reads == "traces" else "gold items"


def read_format(path: Path) -> Format:
    """The format that a TOML file declares, with the SQL file beside it; for packages."""
    from ragstone.contracts.toml_file import read_toml

    return format_of(path.stem, read_toml(path), path.with_suffix(".sql"), str(path))


def format_of(name: str, table: Mapping[str, Any], sql: Path, at: str) -> Format:
    """The format of a declaration; ConfigError says what is wrong with it."""
    must_declare(table, at)
    try:
        statement = _joined_sql(sql.read_text(encoding="utf-8"), table.get("joins"), at)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"{at}: the SQL file {sql} cannot be read: {reason}") from None
    given = {key: table[key] for key in ("says", "unit", "joined", "rows_in") if key in table}
    return Format(
        **{"says": f"the format {name} of ragstone.toml", **given},
        name=name,
        reads=table["reads"],
        sql=statement,
        cuts=tuple(_cut(word, at) for word in table.get("cuts", ["lines"])),
        columns=table.get("columns", {}),
        keys=tuple(frozenset(some) for some in table.get("keys", ())),
        inside=tuple(table.get("inside", ())),
        lost=table.get("lost", {}),
        lacks=table.get("lacks", {}),
        samples=tuple(Sample(**sample) for sample in table.get("sample", ())),
    )


def _joined_sql(own: str, joins: str | None, at: str) -> str:
    """The SQL of a format, between what all that join their rows in this way have in common."""
    if joins is None:
        return own
    folder = Path(__file__).parent / "joins"
    known = sorted(path.name.removesuffix("_after.sql") for path in folder.glob("*_after.sql"))
    if joins not in known:
        raise ConfigError(f"{at}.joins: there is no {joins!r}{suggestion(joins, known)}")
    names = (f"{joins}_before.sql", f"{joins}_after.sql")
    before, after = ((folder / name).read_text(encoding="utf-8") for name in names)
    return f"{before}\n{own.rstrip().removesuffix(';')};\n\n{after}"


def must_declare(table: object, at: str) -> None:
    """Refuses a declaration with an unknown key, or a value of another kind than the key's."""
    if not isinstance(table, Mapping):
        raise ConfigError(f"{at}: expected a table, found {clipped(table)}")
    for key, value in table.items():
        if key not in (*_KEYS, *_TABLES):
            raise ConfigError(f"{at}.{key}: there is no such key{suggestion(key, _KEYS)}")
        if key in ("says", "reads", "sql", "unit", "joins", "rows_in"):
            wanted, fits = "a string", isinstance(value, str) and bool(value)
        elif key in ("cuts", "inside"):
            wanted, fits = "a list of strings", _are_texts(value)
        elif key == "keys":
            wanted = "a list of lists of strings"
            fits = isinstance(value, list) and all(map(_are_texts, value))
        elif key == "joined":
            wanted, fits = "true or false", isinstance(value, bool)
        elif key == "sample":
            wanted, fits = "a list of tables", isinstance(value, list)
        else:
            wanted = "a table of strings"
            fits = isinstance(value, Mapping) and _are_texts(list(value.values()))
        if not fits:
            raise ConfigError(f"{at}.{key}: expected {wanted}, found {clipped(value)}")
    if table.get("reads") not in get_args(Reads):
        found = table.get("reads")
        raise ConfigError(f"{at}.reads: expected 'traces' or 'gold', found {clipped(found)}")
    for word in table.get("cuts", ()):
        _cut(word, at)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _cut(word: str, at: str) -> Cut:
    """`elements results.results` is a kind of cut, and the way to the array."""
    kind, _, path = word.partition(" ")
    for known in get_args(CutKind):
        if kind == known:
            return Cut(known, tuple(filter(None, path.strip().split("."))))
    raise ConfigError(f"{at}.cuts: there is no {kind!r}{suggestion(kind, get_args(CutKind))}")


def listed_units(count: int, unit: str) -> str:
    """How many there are, in words.

    >>> listed_units(1, "spans"), listed_units(2_000, "gold items")
    ('1 span', '2,000 gold items')
    """
    return f"{count:,} {unit.removesuffix('s') if count == 1 else unit}"


def first_of(names: Sequence[str], shown: int = 3) -> str:
    """The first few of some names."""
    rest = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {rest:,} more" if rest > 0 else "")
